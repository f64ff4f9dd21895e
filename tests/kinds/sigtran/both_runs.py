"""A run of the calls with an SCP that may deviate, for tests of the fast path."""

import random
from pathlib import Path
from typing import Any

from kinds.sigtran.unsteady import CALL, VARS, Reaction, Unsteady
from support.loads import assert_adds_up
from support.scripted_scp import ScriptedDaemon, ScriptedScp
from support.without_memories import Recorder

PATIENT = [{**entry, "seconds": 60} if "_from_" in entry["type"] else entry for entry in CALL]


def played(
    folder: Path,
    recorder: Recorder,
    seed: int,
    track: int,
    calls: int,
    one_in: float = 1e9,
    call: list[dict[str, Any]] | None = None,
    scp: Any = None,
    **params: Any,
) -> tuple[dict[str, Any], Any]:
    """Return what a run of one seed reports, and its SCP: an Unsteady one if none is given."""
    folder.mkdir(exist_ok=True)
    random.seed(seed)
    scp = scp or Unsteady(seed, one_in)
    daemon = ScriptedDaemon(folder, scp=scp, quarantine_s=30)
    try:
        load = {"type": "load", "total": calls, "backlog": 1}
        run_id = daemon.execute(
            *(call or CALL),
            track=track,
            distribution=load,
            seed=seed,
            run_id="r",
            **{"vars": VARS, **params},
        )
        result = daemon.finish(run_id)
        assert_adds_up(result)
        assert daemon.open_dialogues[0] == 0
        told = recorder.told(run_id, result)
        told["late"] = result["counts"]["late_messages"]
        told["problems"] = [one["path"] for one in result["problems"]]
        told["groups"] = [
            {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
            for one in result["failures"]
        ]
        for one in told["instances"]:
            # When a silence is noticed differs from run to run.
            one.pop("reason_t", None)
        return told, scp
    finally:
        daemon.stop()


class Choosing(ScriptedScp):
    """Follows the chosen reactions, the next ones in each call; no test reads the differences."""

    def __init__(self, chosen: list[tuple[Reaction | None, ...]]) -> None:
        super().__init__()
        self._chosen = chosen
        self._reactions: dict[Any, tuple[Reaction | None, ...]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            number = len(self._reactions)
            self._reactions[dialogue] = self._chosen[number % len(self._chosen)]
        self.reactions = self._reactions[dialogue]
        super().take(indication)
        self.received.clear()
        self.pdus.clear()
