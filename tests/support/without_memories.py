"""Compares runs with the same runs while all memories (caches) are off.

Everything in a result is compared, and every instance in detail: its checks, its variables, the
octets of its messages. Times, and the ports that the system chose for connections, are left out.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from support.loads import load
from tsvc import memo
from tsvc.engine.fast_path import HitRate, RunFastPath
from tsvc.engine.instance import Instance
from tsvc.engine.result.result import detail
from tsvc.engine.run import Run
from tsvc.operations.fast_path.contract import Replayed
from tsvc.protocols.diameter import dictionary
from tsvc.protocols.tcap import messages
from tsvc.protocols.tcap.messages import Unreadable

Told = dict[str, Any]
# A transaction id, even with a damaged tag, and perhaps with one octet more.
_ID = re.compile(rb"[\x08\x09\x48\x49\x5d\x88\x89\xc8\xc9][\x04\x05](.{4})", re.DOTALL)
_CHANGING = ("t", "time_start", "time_finish", "duration", "ladder", "ends")


class Recorder:
    """Keeps every instance of all runs, until told() is called for them."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.replayed = 0  # instances that completed on the fast path
        self._seen: dict[str, dict[int, tuple[Run, Instance]]] = {}
        finish, finish_replayed = Run._finish, Run.finish_replayed

        def keep(run: Run, instance: Instance, state: Any) -> None:
            finish(run, instance, state)
            self._seen.setdefault(run.run_id, {})[instance.idx] = (run, instance)

        def keep_replayed(run: Run, replayed: Replayed) -> None:
            finish_replayed(run, replayed)
            self.replayed += 1
            assert run._fast_path is not None
            instance = run._fast_path.ordinary(replayed)
            self._seen.setdefault(run.run_id, {})[instance.idx] = (run, instance)

        patch.setattr(Run, "_finish", keep)
        patch.setattr(Run, "finish_replayed", keep_replayed)

    def told(self, run_id: str, result: dict[str, Any]) -> Told:
        """Return everything that a result contains about a run, without times."""
        instances = self._seen.pop(run_id)
        assert sorted(instances) == list(range(result["counts"]["started"]))
        told = {name: result[name] for name in ("counts", "verdict", "globals", "seed")}
        told["closed"] = result["dialogues_closed"]
        told["waited"] = [(one["op"], one["name"], one["count"]) for one in result["operations"]]
        told["first"] = result["first_call_summary"]
        told["causes"] = [one["cause"] for one in result["first_fails"] + result["first_aborts"]]
        told["instances"] = [detail(*instances[idx]) for idx in sorted(instances)]
        return dict(_timeless(told))


def fast_paths_of(patch: pytest.MonkeyPatch, *, gives_up: bool = False) -> list[RunFastPath]:
    """Return a list to which every later run adds its fast path.

    gives_up: a run stops using the fast path if it does not pay.
    """
    found: list[RunFastPath] = []
    if not gives_up:
        patch.setattr(HitRate, "WINDOW", 10**9)
    made = RunFastPath.__init__

    def keep(fast_path: RunFastPath, run: Any) -> None:
        made(fast_path, run)
        found.append(fast_path)

    patch.setattr(RunFastPath, "__init__", keep)
    return found


def begun_of_thirty(
    fast_paths: list[RunFastPath], here: Any, *operations: dict[str, Any], **params: Any
) -> tuple[int, int]:
    """Return how many instances of a run of 30 began and ended on the fast path."""
    fast_paths.clear()
    result = here.run(*operations, **{"distribution": load(30, backlog=1), **params})
    assert result["counts"]["passed"] == 30, result["first_call_summary"]["check_log"]
    return fast_paths[0].begun, fast_paths[0].begun - fast_paths[0].fell_back


def without_ids(told: Told, run_id: str = "") -> Told:
    """Return the data of a run with names for the transaction ids, in their order, and for the
    run_id."""
    instances = []
    for one in told["instances"]:
        found: dict[str, str] = {}
        for message in one["messages"]:
            if message["protocol"] == "tcap":
                for octets in _ids_of(bytes.fromhex(message["hex"])):
                    found.setdefault(octets.hex(), f"<id {len(found)}>")
        text = json.dumps(one)
        for octets_hex, name in found.items():
            text = text.replace(octets_hex, name)
        instances.append(json.loads(text.replace(run_id, "<run>") if run_id else text))
    return {**told, "instances": instances, "first": instances[0]}


def _ids_of(octets: bytes) -> list[bytes]:
    try:
        read = messages.decode(octets)
    except Unreadable:  # in an unreadable message the ids are at the usual position
        return _ID.findall(octets[:16])
    return [one for one in (read.otid, read.dtid) if one]


def _timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _timeless(item) for key, item in value.items() if key not in _CHANGING}
    return [_timeless(item) for item in value] if isinstance(value, list) else value


def compare(run: Callable[..., Any]) -> Any:
    """Return the data of a run, which must be equal with all memories off.

    `run` takes members of the definition: `track`, whether instances may use the fast path.
    """
    with memo.off():
        plain = run()
    assert remembered() == 0
    first = run()
    assert difference(first, plain) is None
    assert remembered() > 0
    # The memories of the process are filled now.
    assert difference(run(track=0), plain) is None
    assert difference(run(), plain) is None
    return plain


def difference(one: Any, other: Any, path: str = "") -> str | None:
    """Return the path and values of the first difference of two values; None if they are equal."""
    if type(one) is type(other) and isinstance(one, dict) and one.keys() == other.keys():
        pairs = [(f"{path}.{key}", one[key], other[key]) for key in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(f"{path}[{at}]", *pair) for at, pair in enumerate(zip(one, other, strict=True))]
    else:
        return None if one == other else f"{path}: {one!r} and {other!r}"
    return next(filter(None, (difference(*rest, at) for at, *rest in pairs)), None)


def keep_dictionary(patch: pytest.MonkeyPatch) -> None:
    """Keep the standard Diameter dictionary: reading it takes longer than many messages.

    Another test shows that it is the same each time.
    """
    patch.setattr(dictionary, "_STANDARD", {dictionary.FILES: dictionary.standard()})


def remembered() -> int:
    """Return the number of entries in all memories."""
    return sum(map(len, memo.all()))
