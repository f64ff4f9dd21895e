"""The metrics that thresholds compare, by name: what each means, and how it is read of a run."""

from collections.abc import Callable
from dataclasses import dataclass

from tsvc.engine.outcome.result import rate_of
from tsvc.engine.run import Run


@dataclass(frozen=True, slots=True)
class Metric:
    """A number of a whole run; `read` returns None where there is none."""

    read: Callable[[Run], float | None]
    help: str
    unit: str = ""


def metric(run: Run, name: str) -> float | None:
    """Return a metric of a run by name, None if there is none such."""
    found = METRICS.get(name)
    return None if found is None else found.read(run)


def _percentile(histogram: str, share: float, help: str) -> Metric:
    def read(run: Run) -> float:
        return float(getattr(run, histogram).percentile_us(share)) / 1000

    return Metric(read, help, "ms")


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
    "failed": Metric(lambda run: run.counters.failed, "instances that failed"),
    "aborted": Metric(lambda run: run.counters.aborted, "instances that were aborted"),
    "never_started": Metric(
        lambda run: run.planned() - run.counters.started, "starts that were due and not made"
    ),
    "lateness_p50_ms": _percentile("lateness", 0.5, "half of the starts were not later"),
    "lateness_p99_ms": _percentile("lateness", 0.99, "99 % of the starts were not later"),
    **{
        f"{kind}_{label}_ms": _percentile(
            kind, share, f"{100 * share:g} % of the instances took no longer, {since}"
        )
        for kind, since in _DURATIONS.items()
        for label, share in _SHARES.items()
    },
}
