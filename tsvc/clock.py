"""The only place that reads time. Everything pure is given `now`; tests give a FakeClock."""

import time


class Clock:
    """Monotonic seconds for durations and grids, wall seconds for people."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return seconds since the epoch."""
        return time.time()


class FakeClock(Clock):
    """A clock that moves only when told; `wall` runs in step with `now`."""

    def __init__(self, now: float = 0.0, epoch: float = 1_700_000_000.0) -> None:
        self._now = now
        self._epoch = epoch

    def now(self) -> float:
        return self._now

    def wall(self) -> float:
        return self._epoch + self._now

    def advance(self, seconds: float) -> float:
        """Move time on and return the new `now`."""
        self._now += seconds
        return self._now


SYSTEM_CLOCK = Clock()
# Read many times a message: without a call in Python around it.
SYSTEM_CLOCK.now = time.monotonic  # type: ignore[method-assign]  # the same, without self


def sec_usec(wall: float) -> list[int]:
    """Return [seconds, microseconds] of a wall time, the interface's form of a moment."""
    microseconds = round(wall * 1_000_000)
    return [microseconds // 1_000_000, microseconds % 1_000_000]
