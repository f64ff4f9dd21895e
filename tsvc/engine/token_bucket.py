"""The token bucket that enforces the rate. Pure: time is an argument.

Tokens are minted by the grid, one for each planned start, at the moment it is planned, so the
bucket can't drift from the schedule. What can't be used overflows: at most `burst` overdue
starts may be made at once when the backlog frees up. Starts that are a few milliseconds behind,
because the processor was busy, are not overdue: the depth leaves room for `slack_s` of tokens.
"""

from tsvc.engine.grid import Grid


class TokenBucket:
    """Tokens for the starts of a linear run."""

    def __init__(self, grid: Grid, burst: int = 1, slack_s: float = 0.005) -> None:
        self._grid = grid
        self._burst = burst
        self._slack_s = slack_s
        # Tokens used or lost, counted on the grid.
        self._gone = 0

    def take(self, seconds: float) -> bool:
        """Take a token `seconds` after the run began; False if there is none."""
        minted = self._grid.planned_by(seconds)
        # Tokens minted within the slack are fresh and don't count towards the depth.
        fresh = minted - self._grid.planned_by(seconds - self._slack_s)
        depth = max(self._burst, fresh)
        if minted - self._gone > depth:
            self._gone = minted - depth
        if minted <= self._gone:
            return False
        self._gone += 1
        return True

    def next_at(self) -> float:
        """Return the seconds after the beginning at which the next token is minted."""
        return self._grid.time_of(self._gone)
