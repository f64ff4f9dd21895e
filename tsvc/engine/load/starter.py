"""Decides when the next instance of a run may start: the grid, the backlog, and the token bucket.

One greenlet iterates over starts(); a change of the rate, a pause or a stop wakes it. A change
that has a moment is made exactly then: starts before that moment keep their plan.
"""

from bisect import insort
from collections.abc import Callable, Iterator, Sequence
from math import inf, nextafter

from gevent.event import Event

from tsvc.clock import Clock
from tsvc.engine.compiler.parameters import Pace, Plan
from tsvc.engine.load.arrivals import Arrivals
from tsvc.engine.load.instance_pool import InstancePool
from tsvc.engine.load.schedule import Schedule
from tsvc.engine.load.share import Share
from tsvc.engine.load.token_bucket import TokenBucket
from tsvc.values import dataclass

_LOOK_S = 0.2  # a stop does not end a wait for a full pool: how often it is polled


@dataclass(frozen=True, slots=True)
class Start:
    """One start that may be made now."""

    idx: int
    planned_at: float  # monotonic seconds
    # False if a full backlog delayed this start, or the first of the overdue starts before it.
    had_place: bool


@dataclass(frozen=True, slots=True)
class Stretch:
    """The plan of a run from its first to its last planned start."""

    first: float  # monotonic seconds
    last: float
    paused_s: float  # in between
    highest_cps: float

    def cps(self, starts: int, until: float | None = None) -> float | None:
        """Return the mean rate of so many starts from the first to the last, or to `until`.

        None if there is no time between: below two starts.
        """
        seconds = max(self.last, until or self.last) - self.first - self.paused_s
        return (starts - 1) / seconds if starts > 1 and seconds > 0 else None


@dataclass(frozen=True, slots=True)
class _Change:
    """A change at a moment of the run; `make` is called with that moment."""

    seconds: float
    make: Callable[[float], None]


def _nothing() -> None:
    pass


def _always() -> bool:
    return True


class Starter:
    """The starts of one run; `seconds` count from the beginning of the run."""

    def __init__(self, plan: Plan, clock: Clock, late_s: float = 0.01, seed: int = 0) -> None:
        """A start is overdue `late_s` after its plan; without catch_up it is not made then.

        `seed`: the seed of the run, by which random arrivals are planned.
        """
        self.pool = InstancePool(plan.backlog)
        self.begins_at = clock.now()
        self.asked_cps = plan.asked_cps
        self.stopped_at: float | None = None
        self._plan = plan
        self._clock = clock
        self._on_full = _nothing
        self._deadline = inf if plan.max_seconds is None else plan.max_seconds
        self._is_stopping = False
        self._is_held = False  # for a run without a grid; a schedule has its own pauses
        self._changed = Event()
        self._last_full_at = -inf
        self._is_behind = False  # there are overdue starts
        self._is_backlog_the_cause = False  # of the overdue starts
        self._late_s = late_s
        self._made = 0  # own starts that were made or given up
        self._skipped_with_place = 0
        self._first_planned: float | None = None
        self._changes: list[_Change] = []  # of the future, in order of time
        # The first start of the whole run that is measured; None: not known yet.
        self._warm_up_s = plan.warm_up_s
        self._measured_from: int | None = None if plan.warm_up_s > 0 else 0
        self.share = plan.share()  # for a run without a grid; a schedule has its own
        self.schedule: Schedule | None = None
        if plan.grid is not None:
            grid = plan.grid.with_arrivals(Arrivals(plan.arrivals, seed))
            self.schedule = Schedule(grid, self.share)
            self._bucket = TokenBucket(self.schedule, plan.burst, plan.catch_up)
        self.on_waited: Callable[[], object] = _nothing  # called when other greenlets have run
        # For a process with a part of a run: whether it may start at all now, whether it waits for
        # more when its own starts are made, and a function to call when they are made.
        self.is_allowed: Callable[[], bool] = _always
        self.stays = False
        self.on_made: Callable[[], None] = _nothing

    # -- the starts --------------------------------------------------------------------------

    def starts(self, on_full: Callable[[], None]) -> Iterator[Start]:
        """Yield each start when it may be made, to the end of the run. Blocks: until then.

        `on_full` is called, and must not block, while a full backlog keeps starts waiting.
        """
        self._on_full = on_full
        self.stopped_at = None
        try:
            while self.may_start and self._seconds() < 0:
                self._make_changes()
                self._wait(0.0)
            yield from self._free_starts() if self.schedule is None else self._planned_starts()
        finally:
            self._on_full = _nothing  # break the reference cycle of a run that is over
        self.stopped_at = self._seconds()

    def _free_starts(self) -> Iterator[Start]:
        """Yield the starts of `single` and `load`, limited only by the backlog and pauses."""
        while self._waits_for_share():
            while self.may_start and (self._is_held or not self.is_allowed() or self.pool.full()):
                self._make_changes()
                if self._is_held:
                    self._wait(inf)
                elif not self.is_allowed():
                    self._wait(self._seconds() + _LOOK_S)
                else:
                    self._wait_for_place()
            if not self.may_start:
                return
            self._made += 1
            idx = self.share[self._made - 1]
            if self._measured_from is None and self._seconds() >= self._warm_up_s:
                self._measured_from = idx
            yield Start(idx, self._clock.now(), True)

    def _planned_starts(self) -> Iterator[Start]:
        """Yield the starts of `linear`, each in time, or as soon as a slot and a token allow."""
        assert self.schedule is not None
        while (planned := self._next(self.schedule)) is not None:
            idx = self.schedule.share[self._made]
            self._made += 1
            yield Start(idx, self.begins_at + planned, self._had_place(planned))

    def _had_place(self, planned: float) -> bool:
        """Return False if a full backlog is the cause of a start's delay.

        The cause of the first overdue start's delay is that of all that follow, until a start is
        made in time: the bucket itself holds them back meanwhile.
        """
        if self._seconds() - planned <= self._late_s:
            self._is_behind = False
        elif not self._is_behind:
            self._is_behind = True
            self._is_backlog_the_cause = self._last_full_at >= planned
        return not (self._is_behind and self._is_backlog_the_cause)

    def _next(self, schedule: Schedule) -> float | None:
        """Return when the next start was planned; None after the last one.

        Blocks: until it may be made.
        """
        while self._waits_for_share():
            seconds = self._seconds()
            planned = schedule.time_of(self._made)
            if schedule.is_paused:
                self._wait(inf)
                continue
            if planned > seconds:
                self._wait(planned)
                continue
            self._note_first(schedule)
            if not self.is_allowed():
                self._wait(seconds + _LOOK_S)
                continue
            if self.pool.full():
                self._wait_for_place()
                continue
            if not self._bucket.catch_up and seconds - planned > self._late_s:
                # Use the same moment for all: at a high rate more starts become due meanwhile.
                self._skip(schedule, seconds - self._late_s)
                self._note_first(schedule)
                planned = schedule.time_of(self._made)
            if self._made < schedule.share.count and self._bucket.take(seconds):
                return planned
            self._wait(self._bucket.next_at())
        return None

    def _waits_for_share(self) -> bool:
        """Return True if there is another start, now or later. Blocks: if it stays for more.

        Starts planned after the deadline are never made.
        """
        self._make_changes()
        is_told = False
        while self.may_start and self._made >= self._share().count:
            if not self.stays:
                return False
            if not is_told:
                self.on_made()
                is_told = True
            self._wait(inf)
            self._make_changes()
        return self.may_start

    def _note_first(self, schedule: Schedule) -> None:
        """Note when the first measured start was planned, once starting has reached it."""
        if self._first_planned is None and self._made >= (first := self._first_measured()):
            self._first_planned = schedule.time_of(first)

    def _share(self) -> Share:
        return self.share if self.schedule is None else self.schedule.share

    def _skip(self, schedule: Schedule, seconds: float) -> None:
        """Give up all starts planned before `seconds`, at least one."""
        gone = min(max(schedule.planned_by(seconds), self._made + 1), schedule.share.count)
        had_none = min(max(schedule.planned_by(self._last_full_at), self._made), gone)
        had_none = max(had_none, min(self._first_measured(), gone))  # without the warm-up
        self._skipped_with_place += gone - had_none
        self._made = gone
        self._bucket.skip_to(gone)

    @property
    def may_start(self) -> bool:
        """True if the run may make more starts: not stopped, not beyond max_seconds."""
        if self._is_stopping:
            return False
        return self._deadline == inf or self._seconds() < self._deadline

    def _seconds(self) -> float:
        return self._clock.now() - self.begins_at

    def _wait(self, seconds: float) -> None:
        """Wait until a moment or a change; the caller checks again. Blocks: that long."""
        due = self._changes[0].seconds if self._changes else inf
        delay = min(seconds, self._deadline, due) - self._seconds()
        if delay > 0:
            self._changed.wait(None if delay == inf else delay)
            self._changed.clear()
            self.on_waited()

    def _wait_for_place(self) -> None:
        """Wait for a free slot of the backlog. Blocks: until then, or for a short time."""
        left = max(self._deadline - self._seconds(), 0.0)
        self._on_full()
        self.pool.wait_available(timeout=min(left, _LOOK_S))
        self.on_waited()
        self._last_full_at = self._seconds()

    # -- changes while the run is in progress --------------------------------------------------

    def stop(self) -> None:
        """Make no more starts, and no more changes."""
        self._is_stopping = True
        self._changed.set()

    def end_at(self, seconds: float) -> None:
        """Make no start that is planned at or after that moment."""
        self._deadline = min(self._deadline, seconds)
        self._changed.set()

    def set_pace(self, pace: Pace, at: float | None = None) -> None:
        """Change the rate, from now on or from a moment of the run."""
        self._change(at, lambda seconds: self._set_pace(pace, seconds))

    def set_paused(self, is_paused: bool, at: float | None = None) -> None:
        """Pause or resume; the remaining starts are planned later by the length of the pause."""
        self._change(at, lambda seconds: self._set_paused(is_paused, seconds))

    def set_share(self, stripes: Sequence[int], backlog: int, at: float | None = None) -> None:
        """Make the starts of other stripes, with a backlog that is not smaller than before."""
        self._change(at, lambda seconds: self._set_share(stripes, backlog, seconds))

    def _change(self, at: float | None, make: Callable[[float], None]) -> None:
        now = self._seconds()
        if at is None or (at <= now and not self._changes):
            self._make_changes()
            self._make(_Change(now if at is None else at, make))
        else:
            insort(self._changes, _Change(at, make), key=lambda change: change.seconds)
        self._changed.set()

    def _make_changes(self) -> None:
        """Make the changes whose moments have come, and end the warm-up if it is over."""
        changes = self._changes
        while changes and changes[0].seconds <= self._seconds():
            self._make(changes.pop(0))
        self._end_warm_up(self._seconds())

    def _make(self, change: _Change) -> None:
        if self.schedule is not None and change.seconds < self._warm_up_s > 0:
            self._measured_from = None  # the change arrives late, and plans the warm-up again
        self._end_warm_up(change.seconds)
        change.make(change.seconds)

    def _end_warm_up(self, seconds: float) -> None:
        """Fix the first measured start of a grid, if the warm-up is over by then.

        Later changes may move starts that were planned in the warm-up and are still to be made.
        They stay unmeasured: every start is counted once, in the warm-up or after it.
        """
        if self._measured_from is not None or seconds < self._warm_up_s or self.schedule is None:
            return
        self._measured_from = self.schedule.all_planned_by(nextafter(self._warm_up_s, -inf))
        self.schedule.measure_from(self._warm_up_s, self._first_measured())

    def _set_pace(self, pace: Pace, seconds: float) -> None:
        assert self.schedule is not None
        self.schedule.change(seconds, pace.grid, self._made, pace.arrivals)
        self.asked_cps = pace.asked_cps
        if pace.burst is not None:
            self._bucket.burst = pace.burst
        if pace.catch_up is not None:
            self._bucket.catch_up = pace.catch_up

    def _set_paused(self, is_paused: bool, seconds: float) -> None:
        if self.schedule is None:
            self._is_held = is_paused
        elif is_paused:
            self.schedule.pause(seconds)
        else:
            self.schedule.resume(seconds, self._made)

    def _set_share(self, stripes: Sequence[int], backlog: int, seconds: float) -> None:
        self.pool.widen(backlog)
        if self.schedule is not None:
            self.schedule.take(seconds, stripes, self._made)

    # -- what is known -----------------------------------------------------------------------

    @property
    def is_paused(self) -> bool:
        """True if a client has paused the run."""
        self._make_changes()
        return self._is_held if self.schedule is None else self.schedule.is_paused

    def planned_by(self, seconds: float) -> int:
        """Return how many starts of the whole run are planned by a moment that has come."""
        self._make_changes()
        if self.schedule is None:
            return 0
        return self.schedule.all_planned_by(min(seconds, self._deadline))

    def has_passed(self, seconds: float) -> bool:
        """Return True if a start was made that was planned for after that moment."""
        return self.schedule is not None and self._made > self.schedule.planned_by(seconds)

    @property
    def is_made(self) -> bool:
        """True if all starts of its share are made or given up, and no change may add more."""
        return not self._changes and self._made >= self._share().count

    def left_s(self) -> float | None:
        """Return the seconds to the last planned start, None if that is unknown."""
        ends = self._deadline
        if self.schedule is not None:
            ends = min(ends, self.schedule.time_of(self.schedule.share.count - 1))
        if self.is_paused or ends == inf:
            return None
        return max(0.0, ends - self._seconds())

    def current_cps(self) -> float:
        """Return the rate that the grid has now."""
        assert self.schedule is not None
        self._make_changes()
        return self.schedule.rate(self._seconds())

    def is_warm_up(self, idx: int) -> bool:
        """Return True if a start that has been made is not measured."""
        return self._measured_from is None or idx < self._measured_from

    def measured_from(self) -> int | None:
        """Return the first start of the whole run that is measured; None: in the warm-up."""
        self._make_changes()
        return self._measured_from

    def _first_measured(self) -> int:
        """Return the number of own starts in the warm-up; all of them, as long as it lasts."""
        if self._measured_from == 0:
            return 0
        share = self._share()
        return share.count if self._measured_from is None else share.before(self._measured_from)

    def warm_up_planned(self, planned: int) -> int:
        """Return how many of the first `planned` own starts were planned in the warm-up."""
        self._make_changes()
        return min(self._first_measured(), planned)

    def stretch(self, planned: int) -> "Stretch | None":
        """Return the plan of the measured starts among the first `planned` own starts.

        None without a grid.
        """
        if self.schedule is None:
            return None
        self._make_changes()
        first = self._first_planned
        first = self.schedule.time_of(self._first_measured()) if first is None else first
        last = self.schedule.time_of(max(planned - 1, 0))
        return Stretch(
            self.begins_at + first,
            self.begins_at + last,
            self.schedule.paused_s(planned),
            self.schedule.highest(last),
        )

    def lost_with_place(self, planned: int) -> int:
        """Return how many starts were not made although there was a slot since they were due."""
        assert self.schedule is not None
        made = max(self._made, self._first_measured())
        rest = planned - made
        is_delayed = self._is_behind and self._is_backlog_the_cause
        if rest <= 0 or is_delayed or self._last_full_at >= self.schedule.time_of(made):
            rest = 0
        return self._skipped_with_place + rest

    def planned(self, started: int) -> int:
        """Return how many starts were due by now, or by the end of starting."""
        if self.schedule is None:
            return started
        if self.stopped_at is None:
            self._make_changes()
        now = self._seconds() if self.stopped_at is None else self.stopped_at
        # A start planned for the very end is not made, and does not count as planned.
        due = self.schedule.planned_by(nextafter(min(now, self._deadline), -inf))
        return max(min(due, self.schedule.share.count), started)
