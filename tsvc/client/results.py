"""The answers of the interface's methods, as frozen values.

They are made from whatever the service has sent: a missing member gets the empty value of its
type. An unknown member is still in `raw`, so that an older client works with a newer service.
"""

from collections.abc import Mapping
from typing import Any

from tsvc.values import dataclass

Json = Mapping[str, Any]

_BAD_LEVELS = ("fail", "abort")  # of a check that failed or ended its instance


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of Test Instances by their states."""

    planned: int
    started: int
    finished: int
    passed: int
    failed: int
    aborted: int
    cancelled: int
    halted: int
    in_progress: int
    raw: Json


@dataclass(frozen=True, slots=True)
class Rate:
    """Planned and actual starts; rates in calls per second, lateness in ms."""

    asked: float | None
    asked_peak: float | None
    achieved: float | None
    peak: float | None
    planned: int
    started: int
    on_time: int
    late: int
    never_started: int
    unknown_starts: int
    lateness_ms: Mapping[str, float]
    limited_by: str | None
    raw: Json


@dataclass(frozen=True, slots=True)
class Latency:
    """Times of one measured point, in milliseconds."""

    name: str
    count: int
    mean_ms: float
    p50_ms: float
    p90_ms: float
    p99_ms: float
    p999_ms: float
    max_ms: float
    raw: Json


@dataclass(frozen=True, slots=True)
class Check:
    """One entry of a check log. `t` is in seconds, `level` is pass, fail, abort or info."""

    t: float
    op: int
    step: int
    label: str
    type: str
    level: str
    text: str
    expected: Any
    got: Any
    raw: Json


@dataclass(frozen=True, slots=True)
class Instance:
    """The detail of one Test Instance; `cause` is the same for all that ended the same way."""

    idx: str
    instance_id: str
    state: str
    reason: str
    cause: str
    duration: float | None
    checks: tuple[Check, ...]
    trace_log: tuple[Json, ...]
    messages: tuple[Json, ...]
    ladder: str
    raw: Json

    def __str__(self) -> str:
        """Return the state, the failed checks with both values, and the ladder."""
        lines = [
            f"instance {self.idx}: {self.state}" + (f", {self.reason}" if self.reason else "")
        ]
        for check in self.checks:
            if check.level in _BAD_LEVELS:
                lines.append(f"  operations[{check.op}] {check.type}: {check.text}")
                lines += [
                    f"      {name:<8} {check.raw[name]!r}"
                    for name in ("expected", "got")
                    if name in check.raw
                ]
        return "\n".join([*lines, *([self.ladder] if self.ladder else [])])

    def __repr__(self) -> str:
        return (
            f"Instance(idx={self.idx!r}, state={self.state!r}, checks: {len(self.checks)}, "
            f"messages: {len(self.messages)})"
        )


@dataclass(frozen=True, slots=True)
class Halted:
    """An instance that waits for ResumeInstance."""

    instance_id: str
    op: int
    comment: str
    seconds_left: float | None
    raw: Json


@dataclass(frozen=True, slots=True)
class Note:
    """A note about a definition: `severity` is error or warning."""

    path: str
    text: str
    severity: str


@dataclass(frozen=True, slots=True)
class RunResult:
    """A Test Run as answered by QueryTest and CancelTest; times are seconds since the epoch."""

    run_id: str
    completed: bool
    state: str
    verdict: str
    time_now: float | None
    time_start: float | None
    time_finish: float | None
    duration: float | None
    counts: Counts
    rate: Rate
    response: Latency | None
    """From the planned start, so it includes the wait for a slot of the backlog."""
    service: Latency | None
    """From the actual start."""
    operations: tuple[Latency, ...]
    """How long each operation waited for a peer; `raw["op"]` is its index."""
    first_call: Instance | None
    first_fails: tuple[Instance, ...]
    first_aborts: tuple[Instance, ...]
    halted: tuple[Halted, ...]
    problems: tuple[Note, ...]
    globals: Json
    seed: int | None
    raw: Json

    def __str__(self) -> str:
        """Return the verdict, the problems, and the first instance that did not pass.

        Use it as the message of an assertion: `assert result.verdict == "pass", str(result)`.
        """
        counts = self.counts
        lines = [f"run {self.run_id}: {self.verdict}, {counts.passed} of {counts.started} passed"]
        lines += [f"  {one.severity} {one.path}: {one.text}" for one in self.problems]
        known = [one for one in (self.first_call, *self.first_fails, *self.first_aborts) if one]
        bad = [one for one in known if one.state != "passed"]
        return "\n".join([*lines, *map(str, bad[:1])])

    def __repr__(self) -> str:
        return (
            f"RunResult(run_id={self.run_id!r}, state={self.state!r}, verdict={self.verdict!r}, "
            f"passed: {self.counts.passed} of {self.counts.started})"
        )

    def to_frame(self) -> Any:
        """Return the counts over time as a pandas DataFrame.

        It has a row for each bucket, with its members, by wall time in UTC; `tsvc run --csv`
        writes the same. Errors: ImportError without pandas, which tsvc does not install.
        """
        from pandas import DataFrame, to_datetime

        buckets = _objects(self.raw, "buckets")
        start = self.time_start or 0.0
        moments = [round((start + bucket["t"]) * 1e6) for bucket in buckets]
        frame = DataFrame([*buckets])
        frame.index = to_datetime(moments, unit="us", utc=True)
        frame.index.name = "time"
        return frame


@dataclass(frozen=True, slots=True)
class Archived:
    """A short description of an archived run; `result_id` identifies it for get_result()."""

    result_id: int
    run_id: str
    state: str
    verdict: str
    time_start: float | None
    duration: float | None
    counts: Counts
    raw: Json


@dataclass(frozen=True, slots=True)
class Validation:
    """The result of ValidateTest, which starts no run."""

    valid: bool
    problems: tuple[Note, ...]
    operations: tuple[Json, ...]
    raw: Json


def read_run(raw: Json) -> RunResult:
    """Return a Test Run from the result of QueryTest, CancelTest or an entry of QueryAllTests."""
    first = raw.get("first_call_summary")
    latency = _object(raw, "latency")
    return RunResult(
        run_id=_text(raw, "run_id"),
        completed=_int(raw, "completed") == 1,
        state=_text(raw, "state"),
        verdict=_text(raw, "verdict"),
        time_now=_moment(raw.get("time_now")),
        time_start=_moment(raw.get("time_start")),
        time_finish=_moment(raw.get("time_finish")),
        duration=_number(raw, "duration"),
        counts=_counts(_object(raw, "counts")),
        rate=_rate(_object(raw, "rate")),
        response=_latency(latency.get("response")),
        service=_latency(latency.get("service")),
        operations=_latencies(raw.get("operations")),
        first_call=read_instance(first) if isinstance(first, dict) and first else None,
        first_fails=tuple(map(read_instance, _objects(raw, "first_fails"))),
        first_aborts=tuple(map(read_instance, _objects(raw, "first_aborts"))),
        halted=tuple(map(_halted, _objects(raw, "halted"))),
        problems=_notes(raw),
        globals=_object(raw, "globals"),
        seed=raw["seed"] if isinstance(raw.get("seed"), int) else None,
        raw=raw,
    )


def read_instance(raw: Json) -> Instance:
    """Return the detail of one instance."""
    return Instance(
        idx=_text(raw, "idx"),
        instance_id=_text(raw, "instance_id"),
        state=_text(raw, "state"),
        reason=_text(raw, "reason"),
        cause=_text(raw, "cause"),
        duration=_number(raw, "duration"),
        checks=tuple(map(_check, _objects(raw, "check_log"))),
        trace_log=_objects(raw, "trace_log"),
        messages=_objects(raw, "messages"),
        ladder=_text(raw, "ladder"),
        raw=raw,
    )


def read_archived(raw: Json) -> Archived:
    """Return one run from the answer to ListResults."""
    return Archived(
        result_id=_int(raw, "result_id"),
        run_id=_text(raw, "run_id"),
        state=_text(raw, "state"),
        verdict=_text(raw, "verdict"),
        time_start=_moment(raw.get("time_start")),
        duration=_number(raw, "duration"),
        counts=_counts(_object(raw, "counts")),
        raw=raw,
    )


def read_validation(raw: Json) -> Validation:
    """Return the result of ValidateTest."""
    return Validation(bool(_int(raw, "valid")), _notes(raw), _objects(raw, "operations"), raw)


def _counts(raw: Json) -> Counts:
    names = ("planned", "started", "finished", "passed", "failed", "aborted", "cancelled")
    values = {name: _int(raw, name) for name in (*names, "halted", "in_progress")}
    return Counts(**values, raw=raw)


def _rate(raw: Json) -> Rate:
    names = ("planned", "started", "on_time", "late", "never_started", "unknown_starts")
    values = {name: _int(raw, name) for name in names}
    limited_by = raw.get("limited_by")
    return Rate(
        asked=_number(raw, "asked"),
        asked_peak=_number(raw, "asked_peak"),
        achieved=_number(raw, "achieved"),
        peak=_number(raw, "peak"),
        lateness_ms=_object(raw, "lateness_ms"),
        limited_by=limited_by if isinstance(limited_by, str) else None,
        raw=raw,
        **values,
    )


def _latency(raw: Any) -> Latency | None:
    if not isinstance(raw, dict):
        return None
    names = ("mean_ms", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    values = {name: _number(raw, name) or 0.0 for name in names}
    return Latency(name=_text(raw, "name"), count=_int(raw, "count"), raw=raw, **values)


def _latencies(raw: Any) -> tuple[Latency, ...]:
    found = map(_latency, raw if isinstance(raw, list) else ())
    return tuple(one for one in found if one is not None)


def _check(raw: Json) -> Check:
    return Check(
        t=_number(raw, "t") or 0.0,
        op=_int(raw, "op"),
        step=_int(raw, "step"),
        label=_text(raw, "label"),
        type=_text(raw, "type"),
        level=_text(raw, "level"),
        text=_text(raw, "text"),
        expected=raw.get("expected"),
        got=raw.get("got"),
        raw=raw,
    )


def _halted(raw: Json) -> Halted:
    return Halted(
        instance_id=_text(raw, "instance_id"),
        op=_int(raw, "op"),
        comment=_text(raw, "comment"),
        seconds_left=_number(raw, "seconds_left"),
        raw=raw,
    )


def _notes(raw: Json) -> tuple[Note, ...]:
    return tuple(
        Note(_text(one, "path"), _text(one, "text"), _text(one, "severity") or "error")
        for one in _objects(raw, "problems")
    )


def _text(raw: Json, name: str) -> str:
    value = raw.get(name)
    return "" if value is None else str(value)


def _int(raw: Json, name: str) -> int:
    value = raw.get(name)
    return int(value) if isinstance(value, int | float) else 0


def _number(raw: Json, name: str) -> float | None:
    value = raw.get(name)
    return float(value) if isinstance(value, int | float) else None


def _object(raw: Json, name: str) -> Json:
    value = raw.get(name)
    return value if isinstance(value, dict) else {}


def _objects(raw: Json, name: str) -> tuple[Json, ...]:
    value = raw.get(name)
    found = value if isinstance(value, list) else []
    return tuple(one for one in found if isinstance(one, dict))


def _moment(value: Any) -> float | None:
    """Return [seconds, microseconds] as seconds."""
    match value:
        case [int(seconds), int(microseconds)]:
            return seconds + microseconds / 1e6
    return None
