"""The coordinator's clock as a worker reads it: without NTP or steps, with a bound of its error.

An exchange has three times: when the worker sent its request, when the coordinator answered, and
when the worker received the answer. It gives the offset with an error of at most half the round
trip, however the round trip divides into the two directions. Of the last 64 exchanges the one with
the smallest error bound is used: a short and recent round trip, because two clocks drift apart.
The first SETTLING exchanges, before the worker starts anything, set the offset. Later the offset
is slewed by at most SLEW, so that the coordinator's time never jumps or runs backwards here.

Pure: times are seconds of the monotonic clock of the coordinator or the worker.
"""

import math
from collections import deque
from collections.abc import Callable

from tsvc.cluster.lease import DRIFT
from tsvc.words import quoted

KEPT = 64  # exchanges
SETTLING = 16  # exchanges
SLEW = 0.5e-3  # seconds of offset in a second
_BUSY_S, _IDLE_S = 1.0, 10.0  # between two reports of the clock's error
_LATEST = 16  # round trips


class Offset:
    """The difference that is added to a worker's time to get the coordinator's time."""

    __slots__ = ("_at", "_count", "_kept", "_offset_s", "_target_s")

    def __init__(self) -> None:
        # The last exchanges: (when the answer was received, offset, half of the round trip).
        self._kept: deque[tuple[float, float, float]] = deque(maxlen=KEPT)
        self._count = 0
        self._at = 0.0  # the worker's time of _offset_s
        self._offset_s = 0.0
        self._target_s = 0.0

    def note(self, sent: float, theirs: float, received: float) -> None:
        """Add an exchange: when sent, when answered by the coordinator's clock, when received.

        Exchanges must be added in the order of `received`. Errors: ValueError if a time is not a
        finite number, or `received` is before `sent`.
        """
        half_s = (received - sent) / 2
        if not (0 <= half_s < math.inf and math.isfinite(theirs) and math.isfinite(received)):
            raise ValueError(f"no exchange: {quoted(sent)}, {quoted(theirs)}, {quoted(received)}")
        self._kept.append((received, theirs - sent - half_s, half_s))
        self._count += 1
        self._offset_s = self._offset_at(received)
        self._at = received
        self._target_s = self._best(received)[0]
        if self._count <= SETTLING:
            self._offset_s = self._target_s

    def to_coordinator(self, moment: float) -> float:
        """Return the coordinator's time for a worker's time.

        Errors: ValueError before the first exchange.
        """
        if not self._count:
            raise ValueError("nothing is known of the coordinator's clock yet")
        return moment + self._offset_at(moment)

    def bound_s(self, now: float) -> float:
        """Return the largest error of the offset at a worker's time; inf if nothing is known.

        This error is the sum of three: half a round trip, the drift of the two clocks since then,
        and the correction that still has to be slewed.
        """
        if not self._count:
            return math.inf
        offset_s, bound_s = self._best(now)
        return bound_s + abs(offset_s - self._offset_at(now))

    def _best(self, now: float) -> tuple[float, float]:
        """Return the offset with the smallest error bound at a time, and this bound."""
        bound_s, offset_s = min(
            (half_s + DRIFT * max(0.0, now - at), offset_s) for at, offset_s, half_s in self._kept
        )
        return offset_s, bound_s

    def _offset_at(self, moment: float) -> float:
        most_s = SLEW * max(0.0, moment - self._at)
        return self._offset_s + max(-most_s, min(most_s, self._target_s - self._offset_s))


class ClockWatch:
    """Collects echoes, and regularly reports to the coordinator how exactly its clock is known.

    `tell(error_s, round_trip_s)` is called with the largest error of the coordinator's time here,
    and the longest of the last round trips.
    """

    def __init__(self, tell: Callable[[float, float], None], *, is_same: bool) -> None:
        """`is_same`: the coordinator has the same clock, so the error is 0."""
        self.offset = Offset()
        self._is_same = is_same
        self._tell = tell
        self._round_trips: list[float] = []
        self._count = 0
        self._told_at = -math.inf  # the first error is reported at once
        self._told_s = math.inf

    @property
    def is_settled(self) -> bool:
        """True if there were enough exchanges to use the offset."""
        return self._count >= SETTLING

    def echoed(self, sent: float, theirs: float, received: float) -> None:
        """Add an exchange; see Offset.note()."""
        self.offset.note(sent, theirs, received)
        self._count += 1
        self._round_trips = [*self._round_trips[1 - _LATEST :], received - sent]

    def look(self, now: float, *, is_busy: bool) -> None:
        """Report if it is time to do so. `now`: by this machine's clock."""
        error_s = 0.0 if self._is_same else self.offset.bound_s(now)
        # An idle worker reports soon only if the error has changed by more than a factor of 2.
        is_news = not self._told_s / 2 <= error_s <= self._told_s * 2
        if now - self._told_at >= (_BUSY_S if is_busy or is_news else _IDLE_S):
            self._told_at, self._told_s = now, error_s
            self._tell(error_s, max(self._round_trips))
