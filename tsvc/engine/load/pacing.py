"""The changes of a run by RateTest and PauseTest, and the reasons to refuse them."""

from collections.abc import Mapping
from typing import Any

from tsvc.engine.compiler.parameters import pace_of
from tsvc.engine.run import Run, RunState
from tsvc.errors import RequestError
from tsvc.words import shown


def change_rate(run: Run, cps: Mapping[str, Any]) -> float:
    """Change the rate from now on and return it; `cps` must be checked. Errors: RequestError."""
    _require_starts(run, ("linear",), "it has no rate")
    pace = pace_of(cps, run.starter.current_cps())
    run.set_pace(pace, cps)
    return pace.asked_cps


def set_paused(run: Run, is_paused: bool) -> None:
    """Pause or resume the starts; a second call changes nothing. Errors: RequestError."""
    _require_starts(run, ("linear", "load"), "it has one start, and nothing to pause")
    run.set_paused(is_paused)


def _require_starts(run: Run, types: tuple[str, ...], otherwise: str) -> None:
    name = f"run {shown(run.run_id)}"
    if run.state is RunState.COMPLETED:
        raise RequestError(f"{name} is completed", kind="run.completed")
    if run.compiled.plan.type not in types:
        text = f"{name} is of type {run.compiled.plan.type}: {otherwise}"
        raise RequestError(text, kind="run.not_linear")
    if run.starter.stopped_at is not None or not run.starter.may_start:
        raise RequestError(f"{name} starts no more instances", kind="run.not_starting")
