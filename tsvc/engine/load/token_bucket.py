"""The token bucket that enforces the rate. Pure: time is an argument.

Tokens are minted by the grid, one for each planned start, at the moment it is planned, so the
bucket can't drift from the schedule. Starts that are overdue, after a stall of the tester or a
full backlog, keep their tokens and catch up at no more than `catch_up` times the rate of the
moment; `burst` of them may come at once. A start that is on time never waits for its token.
"""

from typing import Protocol

WINDOW_S = 0.1  # in which no more than catch_up times the rate is made
_JITTER_S = 0.01  # starts that lie this close together may be made at once


class StartTimes(Protocol):
    """What mints tokens: the part of a grid that a daemon plays."""

    def time_of(self, start: int, /) -> float:
        """Return when a start, counted from 0, is planned."""

    def own_rate(self, seconds: float) -> float:
        """Return its starts per second at `seconds`."""


class TokenBucket:
    """Tokens for the starts of a linear run."""

    def __init__(self, schedule: StartTimes, burst: int = 1, catch_up: float = 2.0) -> None:
        self._schedule = schedule
        self.burst = burst
        self.catch_up = catch_up
        self._gone = 0  # tokens used or lost, counted on the schedule
        self._due = 0.0  # when the next one would come, if starts came evenly at the highest rate
        self._slack_s = 0.0  # how long before that it may come

    def take(self, seconds: float) -> bool:
        """Take a token `seconds` after the run began; False if there is none."""
        planned = self._schedule.time_of(self._gone)
        if planned > seconds or seconds < self._due - self._slack_s:
            return False
        self._gone += 1
        if seconds - planned <= _JITTER_S:
            self._due = max(self._due, seconds)  # on time: nothing to make up for
            return True
        interval = self._interval(seconds, planned)
        self._due = max(self._due, seconds) + interval
        self._slack_s = max((self.burst - 1) * interval, _JITTER_S)
        return True

    def skip_to(self, start: int) -> None:
        """Lose the tokens of all starts before this one: they are not made at all."""
        self._gone = max(self._gone, start)

    def next_at(self) -> float:
        """Return the seconds after the beginning at which the next token is there."""
        return max(self._schedule.time_of(self._gone), self._due - self._slack_s)

    def _interval(self, seconds: float, planned: float) -> float:
        """Return the least distance of overdue starts on average; 0 where the rate is 0."""
        rate = max(self._schedule.own_rate(seconds), self._schedule.own_rate(planned))
        # So much less that a window holds no more: what may be made at once comes on top, and an
        # instance may begin a moment after its token.
        share = max(self.catch_up * WINDOW_S / (WINDOW_S + 2 * _JITTER_S), 1.0)
        return 1 / (share * rate) if rate > 0 else 0.0
