"""The coordinator's clock at a worker of another machine, made of the echoes of the link."""

import math
from collections.abc import Callable

from tsvc.clock import SYSTEM_CLOCK, Clock
from tsvc.cluster.moments import SETTLING, Offset

_BUSY_S, _IDLE_S = 1.0, 10.0  # between two tellings of how well the clock is known
_LATEST = 16  # round trips


class CoordinatorClock(Clock):
    """Monotonic seconds of the coordinator; the time of day is that of this machine."""

    def __init__(self, offset: Offset) -> None:
        self._offset = offset

    def now(self) -> float:
        """Return the coordinator's monotonic seconds. Errors: ValueError before an exchange."""
        return self._offset.to_coordinator(SYSTEM_CLOCK.now())


class ClockWatch:
    """Takes echoes in, and tells the coordinator now and then how well its clock is known.

    `tell(error_s, round_trip_s)`: how far off this worker's idea of the clock may be, and the
    longest round trip of late.
    """

    def __init__(self, tell: Callable[[float, float], None], *, is_same: bool) -> None:
        """`is_same`: it is this machine's clock, of which there is nothing to find out."""
        self.offset = Offset()
        self._is_same = is_same
        self._tell = tell
        self._round_trips: list[float] = []
        self._count = 0
        self._told_at = -math.inf  # the first is told at once
        self._told_s = math.inf

    @property
    def is_settled(self) -> bool:
        """Whether there were enough exchanges for moments to be taken from it."""
        return self._count >= SETTLING

    def echoed(self, sent: float, theirs: float, received: float) -> None:
        """Take an exchange in; see Offset.note()."""
        self.offset.note(sent, theirs, received)
        self._count += 1
        self._round_trips = [*self._round_trips[1 - _LATEST :], received - sent]

    def look(self, now: float, *, is_busy: bool) -> None:
        """Tell, if it is time to, at a moment of this machine's clock."""
        error_s = 0.0 if self._is_same else self.offset.bound_s(now)
        # An idle one tells soon only what is news.
        is_news = not self._told_s / 2 <= error_s <= self._told_s * 2
        if now - self._told_at >= (_BUSY_S if is_busy or is_news else _IDLE_S):
            self._told_at, self._told_s = now, error_s
            self._tell(error_s, max(self._round_trips))
