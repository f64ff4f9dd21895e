"""The token bucket that decides every start of a linear run. Pure: time is an argument.

The plan mints a token for each planned start, at the moment for which the start is planned. As
long as the tester keeps up, a token is released when it is minted.

When tokens remain, because the tester stood still or the backlog was full, the bucket replays the
plan from the first remaining token. It does so `catch_up` times as fast, until the present.
Overdue starts therefore come as the plan spaced them, only closer together, also on a ramp. No
start is delayed by more than the stall. With `catch_up` 1 the rest of the plan comes later by the
length of the stall, at the planned rate. `burst` tokens may be taken at once when a replay begins.
"""

from typing import Protocol

# A start that is later than its token by less than this is a late timer, not a stall: it changes
# nothing for the starts that follow, so that late timers do not add up.
JITTER_S = 0.01


class StartTimes(Protocol):
    """Mints tokens: the part of a plan that one process makes."""

    def time_of(self, start: int, /) -> float:
        """Return when a start, counted from 0, is planned; inf if never."""


class TokenBucket:
    """Tokens for the starts of a linear run; seconds count from the beginning of the run."""

    def __init__(self, schedule: StartTimes, burst: int = 1, catch_up: float = 2.0) -> None:
        """`catch_up` is at least 1, or 0 for a run whose overdue starts are not made."""
        self._schedule = schedule
        self.burst = burst
        self.catch_up = catch_up
        self._gone = 0  # tokens taken or lost, counted on the schedule
        # The replay: it began at one moment, from another moment of the plan.
        self._began_at = 0.0
        self._began_from = 0.0

    def take(self, seconds: float) -> bool:
        """Take a token `seconds` after the run began; False if there is none."""
        released_at = self.next_at()
        if released_at > seconds:
            return False
        if seconds - released_at > JITTER_S:
            self._begin_replay(seconds)
        self._gone += 1
        return True

    def skip_to(self, start: int) -> None:
        """Lose the tokens of all starts before this one: they are not made at all."""
        self._gone = max(self._gone, start)

    def next_at(self) -> float:
        """Return the seconds after the beginning at which the next token is released."""
        planned = self._schedule.time_of(self._gone)
        ahead = max(planned - self._began_from, 0.0)
        return max(planned, self._began_at + ahead / max(self.catch_up, 1.0))

    def _begin_replay(self, seconds: float) -> None:
        """Replay the plan from now on, from the last of the first `burst` remaining tokens."""
        last_at_once = self._schedule.time_of(self._gone + self.burst - 1)
        self._began_at = seconds
        self._began_from = min(last_at_once, seconds)
