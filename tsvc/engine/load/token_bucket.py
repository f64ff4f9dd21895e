"""The token bucket that enforces the rate. Pure: time is an argument.

Tokens are minted by the grid, one for each planned start, at the moment it is planned, so the
bucket can't drift from the schedule. It overflows when the backlog was full: of the starts that
became overdue meanwhile, at most `burst` may be made at once, the others as new tokens come.
Starts that are behind only because the processor was busy keep their tokens and catch up.
"""

from typing import Protocol


class Schedule(Protocol):
    """What mints tokens: a Grid, or the part of one that a daemon plays."""

    def planned_by(self, seconds: float) -> int:
        """Return how many starts are planned at or before `seconds`."""

    def time_of(self, start: int, /) -> float:
        """Return when a start, counted from 0, is planned."""


class TokenBucket:
    """Tokens for the starts of a linear run."""

    def __init__(self, schedule: Schedule, burst: int = 1) -> None:
        self._schedule = schedule
        self.burst = burst
        # Tokens used or lost, counted on the schedule.
        self._gone = 0

    def take(self, seconds: float) -> bool:
        """Take a token `seconds` after the run began; False if there is none."""
        if self._schedule.planned_by(seconds) <= self._gone:
            return False
        self._gone += 1
        return True

    def overflow(self, seconds: float) -> None:
        """Lose the tokens above the depth: a place has just become free after a full backlog."""
        self._gone = max(self._gone, self._schedule.planned_by(seconds) - self.burst)

    def next_at(self) -> float:
        """Return the seconds after the beginning at which the next token is minted."""
        return self._schedule.time_of(self._gone)
