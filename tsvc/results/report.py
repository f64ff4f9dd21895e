"""The input of every report writer: definitions and the results of their runs."""

from collections.abc import Iterator

from tsvc.client.results import Check, Instance, Json, RunResult
from tsvc.values import dataclass

BAD_LEVELS = ("fail", "abort")


@dataclass(frozen=True, slots=True)
class Reported:
    """One definition that was run; without a result it was refused, and `refusal` says why.

    `definition`: the params of ExecuteTest as they were sent or, for an archived run, as they
    were checked; None if they are not known. `source`: its file; `case`: which of its cases.
    """

    name: str
    result: RunResult | None
    refusal: str = ""
    definition: Json | None = None
    source: str = ""
    case: str = ""

    @property
    def verdict(self) -> str:
        """The verdict of the run: pass, fail, abort, cancelled or lost; refused without a run."""
        return "refused" if self.result is None else verdict_of(self.result)

    @property
    def has_passed(self) -> bool:
        """True if the run has passed; missed thresholds count as failures."""
        return self.verdict == "pass"


def verdict_of(result: RunResult) -> str:
    """Return the verdict; the state if a run is not over, or was lost with its daemon."""
    is_over = result.completed and result.state != "lost"
    return (result.verdict if is_over else "") or result.state


@dataclass(frozen=True, slots=True)
class Threshold:
    """A threshold of a run: `metric op value`, and what was measured; None if nothing was."""

    metric: str
    op: str
    value: float
    got: float | None
    is_met: bool
    ended_run_s: float | None = None  # when it ended the run, if it did

    @property
    def rule(self) -> str:
        """The rule as it is written on a command line."""
        return f"{self.metric} {self.op} {self.value:g}"


def thresholds_of(result: RunResult) -> tuple[Threshold, ...]:
    """Return the thresholds of a run in the order of its definition."""
    found = result.raw.get("thresholds")
    return tuple(
        Threshold(
            str(one.get("metric", "")),
            str(one.get("op", "")),
            _number(one.get("value")) or 0.0,
            _number(one.get("got")),
            bool(one.get("is_met")),
            _number(one.get("ended_run_s")),
        )
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, dict)
    )


def undecided(result: RunResult) -> dict[str, int]:
    """Return the counts that worsen a verdict by themselves, those above 0: failed, aborted,
    cancelled. About the others thresholds have decided.
    """
    decided = result.raw.get("decided")
    names = [name for name in ("failed", "aborted", "cancelled") if name not in (decided or ())]
    found = {name: int(getattr(result.counts, name)) for name in names}
    return {name: count for name, count in found.items() if count}


def failures_of(result: RunResult) -> Iterator[tuple[str, Instance]]:
    """Yield (cause, instance) of each way in which instances failed or aborted."""
    for instance in (*result.first_fails, *result.first_aborts):
        yield instance.cause or instance.reason or instance.state, instance


def leaks_of(result: RunResult) -> list[str]:
    """Return the resources that a run should have released or ended, but did not."""
    found = result.raw.get("leaks")
    return [str(one) for one in found] if isinstance(found, list) else []


def bad_checks(instance: Instance) -> list[Check]:
    """Return the checks of an instance that failed or aborted it."""
    return [check for check in instance.checks if check.level in BAD_LEVELS]


def has_values(check: Check) -> bool:
    """Return True if a check has the expected and the received value."""
    return "expected" in check.raw or "got" in check.raw


def ended_badly(instance: Instance) -> bool:
    """Return True if an instance is over and has not passed."""
    return instance.state in ("failed", "aborted", "cancelled")


def counts_line(result: RunResult) -> str:
    """Return the outcome of the instances, in words."""
    counts = result.counts
    parts = [f"{counts.passed} of {counts.planned or counts.started} passed"]
    for name in ("failed", "aborted", "cancelled"):
        number = getattr(counts, name)
        if number:
            parts.append(f"{number} {name}")
    thresholds = thresholds_of(result)
    missed = sum(not one.is_met for one in thresholds)
    if missed:
        parts.append(f"{missed} of {len(thresholds)} thresholds missed")
    return ", ".join(parts)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
