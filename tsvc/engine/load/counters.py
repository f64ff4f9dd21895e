"""Counts of a run that add up at all times, their series over time, and those of all runs.

Pure: time is an argument.
started = passed + failed + aborted + cancelled + in_progress, always: there is no way to change
one without the other.
"""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import field
from enum import Enum
from typing import Any

from tsvc.engine.load.histogram import Histogram
from tsvc.values import dataclass

MAX_BUCKETS = 1800
WINDOW_S = 0.1  # of the peak rate


def _nothing() -> None:
    pass


class InstanceState(Enum):
    """States of a Test Instance."""

    RUNNING = "running"
    HALTED = "halted"
    PASSED = "passed"
    FAILED = "failed"
    ABORTED = "aborted"
    CANCELLED = "cancelled"


@dataclass(slots=True)
class Bucket:
    """The counts of one interval of the run."""

    started: int = 0
    finished: int = 0
    failed: int = 0
    aborted: int = 0
    in_progress: int = 0  # at its end
    durations: Histogram = field(default_factory=Histogram)
    _p99_us: float = 0.0
    _p99_of: int = 0  # the count of durations when it was computed

    def p99_us(self) -> float:
        """Return the duration that 99 % do not exceed; kept, because most buckets are past."""
        if self._p99_of != self.durations.count:
            self._p99_us = self.durations.percentile_us(0.99)
            self._p99_of = self.durations.count
        return self._p99_us

    def copy(self) -> "Bucket":
        """Return a bucket with the same counts."""
        found = Bucket()
        found.add(self)
        return found

    def since(self, earlier: "Bucket") -> "Bucket":
        """Return the counts that were added after an earlier copy of this bucket."""
        return Bucket(
            self.started - earlier.started,
            self.finished - earlier.finished,
            self.failed - earlier.failed,
            self.aborted - earlier.aborted,
            self.in_progress,
            self.durations.since(earlier.durations),
        )

    def add(self, following: "Bucket") -> None:
        """Add the bucket of the interval after this one."""
        self.started += following.started
        self.finished += following.finished
        self.failed += following.failed
        self.aborted += following.aborted
        self.in_progress = following.in_progress
        self.durations.merge(following.durations)


class Peak:
    """The highest number of starts in any WINDOW_S seconds."""

    __slots__ = ("_recent", "most")

    def __init__(self) -> None:
        self._recent: deque[float] = deque()
        self.most = 0

    def note(self, seconds: float) -> None:
        """Count a start; starts must come in order of time."""
        recent = self._recent
        recent.append(seconds)
        while recent[0] <= seconds - WINDOW_S:
            recent.popleft()
        self.most = max(self.most, len(recent))

    @property
    def cps(self) -> float:
        """The peak as a rate, starts per second."""
        return self.most / WINDOW_S


class Counters:
    """Counts of instances by their state."""

    def __init__(self) -> None:
        self.started = 0
        self.passed = 0
        self.failed = 0
        self.aborted = 0
        self.cancelled = 0
        self.halted = 0
        # Not part of the sum: cancelled instances with a failed check, malformed messages,
        # messages that came after their instance was over, undefined values in what was sent.
        self.failed_then_cancelled = 0
        self.malformed = 0
        self.late_messages = 0
        self.unchecked_refusals = 0
        self.undefined_sent = 0
        # Not part of the sum either: instances that ended on the fast path, or fell back.
        self.replayed = 0
        self.fell_back = 0
        self.bucket_s = 1.0
        self.on_halve: Callable[[], None] = _nothing  # before buckets become twice as long
        self._buckets: list[Bucket] = []

    @property
    def finished(self) -> int:
        """Instances that are over."""
        return self.passed + self.failed + self.aborted + self.cancelled

    @property
    def in_progress(self) -> int:
        """Instances that are not over, halted ones included."""
        return self.started - self.finished

    def start(self, seconds: float) -> None:
        """Count a start, `seconds` after the run began."""
        bucket = self._bucket(seconds)  # first: buckets that it adds show the counts until now
        self.started += 1
        bucket.started += 1
        bucket.in_progress = self.in_progress

    def finish(self, state: InstanceState, seconds: float, duration_s: float) -> None:
        """Count an end."""
        bucket = self._bucket(seconds)
        if state is InstanceState.PASSED:
            self.passed += 1
        elif state is InstanceState.FAILED:
            self.failed += 1
            bucket.failed += 1
        elif state is InstanceState.ABORTED:
            self.aborted += 1
            bucket.aborted += 1
        else:
            self.cancelled += 1
        bucket.finished += 1
        bucket.in_progress = self.in_progress
        bucket.durations.add(duration_s)

    def note_late(self) -> None:
        """Count a message that came when its instance was over."""
        self.late_messages += 1

    def _bucket(self, seconds: float) -> Bucket:
        index = int(seconds / self.bucket_s)
        while index >= MAX_BUCKETS:
            self._halve()
            index = int(seconds / self.bucket_s)
        while len(self._buckets) <= index:
            self._buckets.append(Bucket(in_progress=self.in_progress))
        return self._buckets[index]

    def _halve(self) -> None:
        """Make buckets twice as long, so that a long run's series stays bounded."""
        self.on_halve()
        self.bucket_s *= 2
        merged = self._buckets[::2]
        for bucket, following in zip(merged, self._buckets[1::2], strict=False):
            bucket.add(following)
        self._buckets = merged

    def series(self, from_index: int = 0) -> list[Bucket]:
        """Return the buckets from an index on; they are no copies, and still change."""
        return self._buckets[from_index:]

    def as_dict(self, planned: int) -> dict[str, int]:
        """Return the `counts` of a result."""
        return {
            "planned": planned,
            "started": self.started,
            "finished": self.finished,
            "passed": self.passed,
            "failed": self.failed,
            "aborted": self.aborted,
            "cancelled": self.cancelled,
            "halted": self.halted,
            "in_progress": self.in_progress,
            "failed_then_cancelled": self.failed_then_cancelled,
            "malformed": self.malformed,
            "late_messages": self.late_messages,
            "unchecked_refusals": self.unchecked_refusals,
            "undefined_sent": self.undefined_sent,
        }

    def buckets(self, together: int = 1) -> list[dict[str, Any]]:
        """Return the series over time, with `together` buckets merged into one."""
        shown = self._buckets if together == 1 else self._merged(together)
        return [
            {
                "t": round(index * self.bucket_s * together, 3),
                "num_calls_started": bucket.started,
                "num_calls_finished": bucket.finished,
                "failed": bucket.failed,
                "aborted": bucket.aborted,
                "in_progress": bucket.in_progress,
                "max_ms": round(bucket.durations.highest_us / 1000, 3),
                "p99_ms": round(bucket.p99_us() / 1000, 3),
            }
            for index, bucket in enumerate(shown)
        ]

    def _merged(self, together: int) -> list[Bucket]:
        merged = []
        for at in range(0, len(self._buckets), together):
            bucket = Bucket()
            for one in self._buckets[at : at + together]:
                bucket.add(one)
            merged.append(bucket)
        return merged


MOST_GROUPS = 100
MOST_VALUES = 5
_OTHERS = "other causes"


@dataclass(slots=True)
class FailureGroup:
    """Instances that failed at one operation for one cause, whatever the values were."""

    state: InstanceState  # FAILED, ABORTED, or CANCELLED after a check had failed
    position: int | None  # index of the operation; None: the group of all further causes
    cause: str
    idx: int  # of the first one
    first_s: float  # since the run began
    last_s: float
    count: int = 1
    values: list[Any] = field(default_factory=list)  # seen instead of the expected value

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "state": self.state.value,
            "op": self.position,
            "cause": self.cause,
            "count": self.count,
            "first_s": round(self.first_s, 6),
            "last_s": round(self.last_s, 6),
            "instance_id": str(self.idx),
            "values": list(self.values),
        }


class FailureGroups:
    """Failed and aborted instances by cause; the counts add up, however many causes there are.

    After MOST_GROUPS causes, the rest is one group for each state.
    """

    def __init__(self) -> None:
        self._groups: dict[tuple[InstanceState, int | None, str], FailureGroup] = {}

    def add(
        self,
        state: InstanceState,
        position: int,
        cause: str,
        idx: int,
        seconds: float,
        value: Any = None,
    ) -> FailureGroup:
        """Count an instance `seconds` after the run began; return its group."""
        key: tuple[InstanceState, int | None, str] = (state, position, cause)
        group = self._groups.get(key)
        if group is None and len(self._groups) >= MOST_GROUPS:
            key = (state, None, _OTHERS)
            group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = FailureGroup(state, key[1], key[2], idx, seconds, seconds)
        else:
            group.count += 1
            group.last_s = seconds
        if value is not None and len(group.values) < MOST_VALUES and value not in group.values:
            group.values.append(value)
        return group

    def as_list(self) -> list[dict[str, Any]]:
        """Return all groups, the largest first."""
        found = sorted(self._groups.values(), key=lambda group: (-group.count, group.first_s))
        return [group.as_dict() for group in found]


_STATES = ("started", "passed", "failed", "aborted", "cancelled", "replayed", "fell_back")


class Traffic:
    """Sums that never decrease, over the runs that ended and those in progress."""

    def __init__(self) -> None:
        self._in_progress: dict[Counters, Histogram] = {}
        self._ended: Counter[str] = Counter()
        self._ended_times = Histogram()

    def begin(self, counters: Counters, service_times: Histogram) -> None:
        """Include a run from now on, with the times of its instances."""
        self._in_progress[counters] = service_times

    def end(self, counters: Counters) -> None:
        """Add the final counts of a run; do nothing if begin() was not called for it."""
        service_times = self._in_progress.pop(counters, None)
        if service_times is not None:
            self._ended_times.merge(service_times)
            for state in _STATES:
                self._ended[state] += getattr(counters, state)

    def service_times(self) -> Histogram:
        """Return the times of all instances that are over, each from its start to its end."""
        found = self._ended_times.copy()
        for one in self._in_progress.values():
            found.merge(one)
        return found

    def as_dict(self) -> dict[str, int]:
        """Return the JSON form: the sums, and the instances in progress and halted now."""
        sums = {
            state: self._ended[state] + sum(getattr(one, state) for one in self._in_progress)
            for state in _STATES
        }
        now = {
            "in_progress": sum(one.in_progress for one in self._in_progress),
            "halted": sum(one.halted for one in self._in_progress),
        }
        return sums | now
