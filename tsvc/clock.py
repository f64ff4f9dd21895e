"""The only place that reads time. Everything pure is given `now`."""

import time


class Clock:
    """Monotonic seconds for durations and grids, wall seconds for people."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def wall_offset(self) -> float:
        """Return how many seconds the wall clock is ahead of the monotonic one.

        The process may be stopped between two readings, so the closest of three pairs counts.
        """
        closest, offset = float("inf"), 0.0
        for _ in range(3):
            before, wall, after = self.now(), self.wall(), self.now()
            if after - before < closest:
                closest, offset = after - before, wall - (before + after) / 2
        return offset


SYSTEM_CLOCK = Clock()
# Read many times a message: without a call in Python around it.
SYSTEM_CLOCK.now = time.monotonic  # type: ignore[method-assign]  # the same, without self


def sec_usec(wall: float) -> list[int]:
    """Return [seconds, microseconds] of a wall time, the interface's form of a moment."""
    microseconds = round(wall * 1_000_000)
    return [microseconds // 1_000_000, microseconds % 1_000_000]
