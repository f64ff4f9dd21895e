"""The metrics that thresholds compare, by name: their meanings, and how to read them from a run.

A metric of a run is a word. A metric of an operation is `operations[7].p99_ms`, with the index of
the operation or, instead of the number, its label. Besides the named ones, every percentile is a
metric: `service_p95_ms`, `lateness_p99.95_ms`, `operations[7].p2.5_ms`; and so is every minimum.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tsvc.engine.load.histogram import Histogram
from tsvc.engine.result.result import rate_of
from tsvc.engine.run import Run
from tsvc.values import dataclass
from tsvc.words import did_you_mean, shown


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a whole run; `read` returns None if there is none."""

    read: Callable[[Run], float | None]
    help: str
    unit: str = ""


@dataclass(frozen=True, slots=True)
class OperationMetric:
    """A number of an operation's waits for its peer; there is none if it never waited."""

    read: Callable[[Histogram], float]
    help: str
    unit: str = ""


_OF_OPERATION = re.compile(r"operations\[([^\]]*)\]\.([\w.]+)")
PERCENT = r"p(\d{1,2}(?:\.\d{1,6})?)_ms"  # above 0, below 100
_PERCENTILE = re.compile(PERCENT)
# Metrics of a run that no result holds.
OF_HISTOGRAM = rf"(response|service|lateness)_(?:{PERCENT}|(min|mean)_ms)"
_OF_HISTOGRAM = re.compile(OF_HISTOGRAM)


def metric(run: Run, name: str) -> float | None:
    """Return the value of a metric of a run, None if there is none."""
    found = _metric_of_run(name)
    if found is not None:
        return found.read(run)
    match = _OF_OPERATION.fullmatch(name)
    own = _metric_of_operation(match[2]) if match is not None else None
    if match is None or own is None:
        return None
    position = _position(match[1], [step.label for step in run.compiled.steps])
    waits = Histogram()
    for (at, _), histogram in run.operations.items():
        if at == position:
            waits.merge(histogram)
    return own.read(waits) if waits.count else None


def metric_problem(name: str, operations: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the problem of a metric's name in a definition, None if there is none."""
    if _metric_of_run(name) is not None:
        return None
    match = _OF_OPERATION.fullmatch(name)
    if match is None:
        return f"no metric is named {shown(name)}{did_you_mean(name, METRICS)}"
    if _metric_of_operation(match[2]) is None:
        hint = did_you_mean(match[2], OPERATION_METRICS)
        return f"no metric of an operation is named {shown(match[2])}{hint}"
    labels = [one.get("label") for one in operations]
    if _position(match[1], labels) is None:
        count = len(operations)
        return f"no operation has the label or number {shown(match[1])}: there are {count}, from 0"
    return None


def _metric_of_run(name: str) -> Metric | None:
    match = _OF_HISTOGRAM.fullmatch(name)
    if name in METRICS or match is None:
        return METRICS.get(name)
    if match[3] is not None:
        return _of_histogram(match[1], {"min": _lowest_us, "mean": _mean_us}[match[3]], "")
    share = _share_of(match[2])
    return None if share is None else _percentile(match[1], share, "")


def _metric_of_operation(name: str) -> OperationMetric | None:
    match = _PERCENTILE.fullmatch(name)
    share = _share_of(match[1]) if match is not None else None
    if name in OPERATION_METRICS or share is None:
        return OPERATION_METRICS.get(name)
    return _waits(share)


def _share_of(percent: str) -> float | None:
    """Return a percentage as a share; None for 0, which no duration is below."""
    share = float(percent) / 100
    return share if share > 0 else None


def _position(named: str, labels: Sequence[Any]) -> int | None:
    """Return the index of an operation that is named by its index or its label."""
    if named.isascii() and named.isdigit():
        return int(named) if len(named) < 9 and int(named) < len(labels) else None
    return labels.index(named) if named in labels else None


def _percentile(histogram: str, share: float, help: str) -> Metric:
    return _of_histogram(histogram, lambda found: found.percentile_us(share), help)


def _of_histogram(histogram: str, read: Callable[[Histogram], float], help: str) -> Metric:
    def read_run(run: Run) -> float | None:
        found: Histogram = getattr(run, histogram)
        return read(found) / 1000 if found.count else None

    return Metric(read_run, help, "ms")


def _mean_us(histogram: Histogram) -> float:
    return histogram.sum_us / histogram.count


def _lowest_us(histogram: Histogram) -> float:
    return float(histogram.lowest_us)


def _highest_us(histogram: Histogram) -> float:
    return float(histogram.highest_us)


def _share(part: Callable[[Run], int], whole: Callable[[Run], int], help: str) -> Metric:
    def read(run: Run) -> float | None:
        count = whole(run)
        return 100 * part(run) / count if count else None

    return Metric(read, help, "%")


def _finished(run: Run) -> int:
    return run.counters.finished


def _never_started(run: Run) -> int:
    return int(rate_of(run)["never_started"])


def _on_time(run: Run) -> int:
    return run.measured_started - run.late


_SHARES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999}
_DURATIONS = {
    "response": "from their planned start",
    "service": "from their actual start",
}

METRICS: dict[str, Metric] = {
    "achieved_cps": Metric(
        lambda run: rate_of(run)["achieved"],
        "mean starts per second over the time of the plan; none below two starts",
        "1/s",
    ),
    "peak_cps": Metric(
        lambda run: rate_of(run)["peak"],
        "the most starts in any 100 ms, as a rate; none below two starts",
        "1/s",
    ),
    "late": Metric(
        lambda run: run.late,
        "starts of a linear run later than `engine.late_ms`",
    ),
    "passed": Metric(lambda run: run.counters.passed, "instances that passed"),
    "failed": Metric(lambda run: run.counters.failed, "instances that failed"),
    "aborted": Metric(lambda run: run.counters.aborted, "instances that were aborted"),
    "never_started": Metric(_never_started, "starts that were due and not made"),
    "passed_percent": _share(
        lambda run: run.counters.passed,
        _finished,
        "of the instances that ended, those that passed",
    ),
    "failed_percent": _share(
        lambda run: run.counters.failed,
        _finished,
        "of the instances that ended, those that failed",
    ),
    "aborted_percent": _share(
        lambda run: run.counters.aborted,
        _finished,
        "of the instances that ended, those that were aborted",
    ),
    "late_percent": _share(
        lambda run: run.late, lambda run: run.measured_started, "of the starts made, the late ones"
    ),
    "on_time_percent": _share(
        _on_time,
        lambda run: run.measured_planned(),
        "of the starts that were due, those made on time",
    ),
    "never_started_percent": _share(
        _never_started,
        lambda run: run.measured_planned(),
        "of the starts that were due, those not made",
    ),
    "lateness_p50_ms": _percentile("lateness", 0.5, "half of the starts were not later"),
    "lateness_p99_ms": _percentile("lateness", 0.99, "99 % of the starts were not later"),
    "lateness_max_ms": _of_histogram("lateness", _highest_us, "no start was later"),
    **{
        f"{kind}_{label}_ms": _percentile(
            kind, share, f"{100 * share:g} % of the instances took no longer, {since}"
        )
        for kind, since in _DURATIONS.items()
        for label, share in _SHARES.items()
    },
    **{
        f"{kind}_mean_ms": _of_histogram(kind, _mean_us, f"how long instances took, {since}: mean")
        for kind, since in _DURATIONS.items()
    },
    **{
        f"{kind}_max_ms": _of_histogram(kind, _highest_us, f"no instance took longer, {since}")
        for kind, since in _DURATIONS.items()
    },
}


def _waits(share: float) -> OperationMetric:
    return OperationMetric(
        lambda waits: waits.percentile_us(share) / 1000,
        f"{100 * share:g} % of its waits for the peer took no longer",
        "ms",
    )


OPERATION_METRICS: dict[str, OperationMetric] = {
    "count": OperationMetric(lambda waits: waits.count, "how often it got what it waited for"),
    "mean_ms": OperationMetric(
        lambda waits: _mean_us(waits) / 1000, "how long it waited for the peer: mean", "ms"
    ),
    "min_ms": OperationMetric(
        lambda waits: waits.lowest_us / 1000, "no wait for the peer was shorter", "ms"
    ),
    "max_ms": OperationMetric(
        lambda waits: waits.highest_us / 1000, "no wait for the peer took longer", "ms"
    ),
    **{f"{label}_ms": _waits(share) for label, share in _SHARES.items()},
}
