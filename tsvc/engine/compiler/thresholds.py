"""Thresholds of a run: metrics by name, compared at the end; a missed one worsens the verdict.

One with `abort_after_s` is also checked each second; it ends a run that misses it for so long.
"""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.engine.compiler.parameters import all_thresholds
from tsvc.engine.result.metrics import metric, metric_problem
from tsvc.engine.run import Run, RunState
from tsvc.errors import Problem
from tsvc.log import get_logger

log = get_logger("run")

_COMPARE = {
    "<": lambda got, limit: got < limit,
    "<=": lambda got, limit: got <= limit,
    ">": lambda got, limit: got > limit,
    ">=": lambda got, limit: got >= limit,
    "==": lambda got, limit: got == limit,
    "!=": lambda got, limit: got != limit,
}


def settle_thresholds(run: Run) -> None:
    """Worsen the verdict of a run that missed a threshold, or most of its planned starts."""
    planned, started = run.planned(), run.counters.started
    if run.verdict == "pass" and run.compiled.plan.grid is not None and 2 * started < planned:
        run.worsen("fail")
        text = f"only {started} of {planned} planned starts were made"
        run.remarks.append(Problem("rate", text, severity="warning"))
    for position, threshold in enumerate(all_thresholds(run.compiled.params)):
        got = metric(run, threshold["metric"])
        is_met = got is not None and _is_met(threshold, got)
        settled = {**threshold, "got": got, "is_met": bool(is_met)}
        if run.ended_by is not None and run.ended_by[0] == position:
            settled |= {"is_met": False, "ended_run_s": round(run.ended_by[1], 3)}
        run.thresholds.append(settled)
        if not settled["is_met"]:
            run.worsen("fail")


def watch_thresholds(run: Run) -> None:
    """Stop the starts of a run that has missed a threshold for its `abort_after_s`.

    To be called each second. The present value of the metric is compared; as long as there is no
    value, the threshold is not missed. Instances in progress continue to their end.
    """
    if run.state is not RunState.RUNNING or run.ended_by is not None:
        return
    for position, threshold in enumerate(run.compiled.params.get("thresholds") or []):
        patience_s = threshold.get("abort_after_s")
        if patience_s is None:
            continue
        now = run.clock.now()
        got = metric(run, threshold["metric"])
        if got is None or _is_met(threshold, got):
            run.missed_since.pop(position, None)
        elif now - run.missed_since.setdefault(position, now) >= patience_s:
            _end(run, position, threshold, got)
            return


def _is_met(threshold: Mapping[str, Any], got: float) -> bool:
    return bool(_COMPARE[threshold["op"]](got, threshold["value"]))


def _end(run: Run, position: int, threshold: Mapping[str, Any], got: float) -> None:
    seconds = run.clock.now() - run.started_at
    run.ended_by = position, seconds
    run.stop_starting()
    rule = f"{threshold['metric']} {threshold['op']} {threshold['value']:g}"
    missed = f"{rule} was missed for {threshold['abort_after_s']:g} s (got {got:g})"
    text = f"{missed}: nothing was started after {seconds:.1f} s"
    run.remarks.append(Problem(f"thresholds[{position}]", text, severity="warning"))
    log.warning("run ended by a threshold", run_id=run.run_id, threshold=rule, got=round(got, 3))


def threshold_problems(params: Mapping[str, Any], most: int) -> list[Problem]:
    """Return a problem for each threshold on an unknown metric, at most `most`."""
    found: list[Problem] = []
    for position, threshold in enumerate(turns.over(params.get("thresholds") or [])):
        if len(found) < most:
            text = metric_problem(threshold["metric"], params["operations"])
            if text is not None:
                found.append(Problem(f"thresholds[{position}].metric", text))
    return found
