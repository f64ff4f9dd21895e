"""The token bucket that enforces the rate. Pure: time is an argument.

Tokens are minted by the grid, one for each planned start, at the moment it is planned, so the
bucket can't drift from the schedule. It overflows when the backlog was full: of the starts that
became overdue meanwhile, at most `burst` may be made at once, the others as new tokens come.
Starts that are behind only because the processor was busy keep their tokens and catch up.
"""

from tsvc.engine.grid import Grid


class TokenBucket:
    """Tokens for the starts of a linear run."""

    def __init__(self, grid: Grid, burst: int = 1) -> None:
        self._grid = grid
        self._burst = burst
        # Tokens used or lost, counted on the grid.
        self._gone = 0

    def take(self, seconds: float) -> bool:
        """Take a token `seconds` after the run began; False if there is none."""
        if self._grid.planned_by(seconds) <= self._gone:
            return False
        self._gone += 1
        return True

    def overflow(self, seconds: float) -> None:
        """Lose the tokens above the depth: a place has just become free after a full backlog."""
        self._gone = max(self._gone, self._grid.planned_by(seconds) - self._burst)

    def next_at(self) -> float:
        """Return the seconds after the beginning at which the next token is minted."""
        return self._grid.time_of(self._gone)
