"""Thresholds of a run: metrics by name, compared at the end; a missed one worsens the verdict."""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.engine.outcome.metrics import METRICS, metric
from tsvc.engine.run import Run
from tsvc.errors import Problem
from tsvc.words import did_you_mean, shown

_COMPARE = {
    "<": lambda got, limit: got < limit,
    "<=": lambda got, limit: got <= limit,
    ">": lambda got, limit: got > limit,
    ">=": lambda got, limit: got >= limit,
    "==": lambda got, limit: got == limit,
    "!=": lambda got, limit: got != limit,
}


def settle_thresholds(run: Run) -> None:
    """Worsen the verdict of a run that missed a threshold."""
    for threshold in run.compiled.params.get("thresholds") or []:
        got = metric(run, threshold["metric"])
        is_met = got is not None and _COMPARE[threshold["op"]](got, threshold["value"])
        run.thresholds.append({**threshold, "got": got, "is_met": bool(is_met)})
        if not is_met:
            run.worsen("fail")


def threshold_problems(params: Mapping[str, Any], most: int) -> list[Problem]:
    """Return a problem for each threshold on an unknown metric, at most so many."""
    found: list[Problem] = []
    for position, threshold in enumerate(turns.over(params.get("thresholds") or [])):
        if threshold["metric"] not in METRICS and len(found) < most:
            hint = did_you_mean(threshold["metric"], METRICS)
            text = f"no metric is named {shown(threshold['metric'])}{hint}"
            found.append(Problem(f"thresholds[{position}].metric", text))
    return found
