"""Substitutes for the instances, failure groups and loads of a Run, in a run of workers."""

from collections.abc import Callable, Mapping
from typing import Any, cast

from tsvc.cluster.snapshot import Merge
from tsvc.engine.instance import Instance
from tsvc.engine.load.counters import FailureGroups, InstanceState
from tsvc.engine.load.generator import GeneratorLoad
from tsvc.results.records import Record


class KeptInstance:
    """An instance that a worker has kept in detail, with all that results and traces need."""

    def __init__(self, detail: Mapping[str, Any], records: list[Record]) -> None:
        """`detail`: the known members of the instance's detail in a result."""
        self.idx = int(detail["idx"])
        self.detail: dict[str, Any] | None = {
            "vars": {},
            "check_log": [],
            "trace_log": [],
            **detail,
        }
        self.state = InstanceState(detail["state"])
        self.reason = detail["reason"]
        seconds, micros = detail["time_start"]
        self.wall_start = seconds + micros / 1e6
        self.started_at = 0.0
        self.finished_at = detail.get("duration", 0.0)
        self._records = records

    def recorded(self) -> list[Record]:
        """Return the messages of the instance."""
        return self._records

    def release_variables(self) -> None:
        """Do nothing: there are no variables to release."""


def kept_instance(detail: Mapping[str, Any], records: list[Record]) -> Instance:
    """Return a KeptInstance typed as an Instance, since a run keeps instances as that."""
    return cast(Instance, KeptInstance(detail, records))


class Halted:
    """A halted instance of a worker; `resume` asks the worker to resume it."""

    def __init__(self, resume: Callable[[], bool]) -> None:
        self.resume = resume


class Generators(GeneratorLoad):
    """The loads of all workers, of which the highest limits the run."""

    def __init__(self, now: float, merge: Merge) -> None:
        super().__init__(now)
        self._merge = merge

    def as_dict(self, now: float) -> dict[str, Any]:
        loads = [one.last["generator"] for one in self._merge.players.values() if one.last]
        lags = [one["loop_lag_ms"] for one in loads if one["loop_lag_ms"] is not None]
        return {
            "cpu": max((one["cpu"] for one in loads), default=0.0),
            "loop_lag_ms": max(lags, default=None),
        }


class Groups(FailureGroups):
    """The failure groups of all workers."""

    def __init__(self, merge: Merge) -> None:
        super().__init__()
        self._merge = merge

    def as_list(self) -> list[dict[str, Any]]:
        return self._merge.failures()
