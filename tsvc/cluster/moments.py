"""The coordinator's clock, read by a worker: no NTP, no step, and a bound on how wrong it is.

An exchange is the worker's moment when it asked, the coordinator's when it answered, the worker's
when it had the answer: the offset is known to half of the round trip, whatever the way there and
the way back took of it. Of the last 64 the one counts that now bounds the offset best: a short
round trip, not long ago, as two clocks drift apart meanwhile. The first SETTLING exchanges, of a
worker that has joined and started nothing yet, set the offset; from then on it is slewed by
SLEW at most, so that the coordinator's time never jumps or runs backwards here.

Pure: moments are seconds, of the monotonic clock of whoever's they are.
"""

import math
from collections import deque
from collections.abc import Callable

from tsvc.cluster.lease import DRIFT
from tsvc.words import quoted

KEPT = 64  # exchanges
SETTLING = 16  # exchanges
SLEW = 0.5e-3  # seconds of offset in a second
_BUSY_S, _IDLE_S = 1.0, 10.0  # between two tellings of how well the clock is known
_LATEST = 16  # round trips


class Offset:
    """What to add to a worker's moments to have the coordinator's."""

    __slots__ = ("_at", "_count", "_kept", "_offset_s", "_target_s")

    def __init__(self) -> None:
        # (when it was answered, offset, half of its round trip), the last ones.
        self._kept: deque[tuple[float, float, float]] = deque(maxlen=KEPT)
        self._count = 0
        self._at = 0.0  # the worker's moment of what follows
        self._offset_s = 0.0
        self._target_s = 0.0

    def note(self, sent: float, theirs: float, received: float) -> None:
        """Note an exchange: asked, answered by the coordinator's clock, answer here.

        They come in the order of `received`. Errors: ValueError if one is no finite number, or the
        answer was there before it was asked.
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
        """Return the coordinator's moment of a worker's. Errors: ValueError before an exchange."""
        if not self._count:
            raise ValueError("nothing is known of the coordinator's clock yet")
        return moment + self._offset_at(moment)

    def bound_s(self, now: float) -> float:
        """Return how wrong the offset may be at a worker's moment; inf if nothing is known.

        It is half of a round trip, what two clocks may have drifted apart since, and what the
        offset still has to be slewed.
        """
        if not self._count:
            return math.inf
        offset_s, bound_s = self._best(now)
        return bound_s + abs(offset_s - self._offset_at(now))

    def _best(self, now: float) -> tuple[float, float]:
        """Return the offset that is known best at a moment, and its bound."""
        bound_s, offset_s = min(
            (half_s + DRIFT * max(0.0, now - at), offset_s) for at, offset_s, half_s in self._kept
        )
        return offset_s, bound_s

    def _offset_at(self, moment: float) -> float:
        most_s = SLEW * max(0.0, moment - self._at)
        return self._offset_s + max(-most_s, min(most_s, self._target_s - self._offset_s))


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
