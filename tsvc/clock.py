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


SYSTEM_CLOCK = Clock()
# Read many times a message: without a call in Python around it.
SYSTEM_CLOCK.now = time.monotonic  # type: ignore[method-assign]  # the same, without self


def sec_usec(wall: float) -> list[int]:
    """Return [seconds, microseconds] of a wall time, the interface's form of a moment."""
    microseconds = round(wall * 1_000_000)
    return [microseconds // 1_000_000, microseconds % 1_000_000]
