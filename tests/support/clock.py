"""A clock for tests."""

from tsvc.clock import Clock


class FakeClock(Clock):
    """A clock that moves only on advance(); `wall` runs in step with `now`."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return 1_700_000_000.0 + self._now

    def advance(self, seconds: float) -> float:
        """Advance the time and return the new `now`."""
        self._now += seconds
        return self._now
