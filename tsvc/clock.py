"""The only module that reads the time. Pure functions get `now` as an argument."""

import time


class Clock:
    """The clocks of the process: monotonic seconds for durations, wall seconds for people."""

    def now(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()

    def wall(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def wall_offset(self) -> float:
        """Return how many seconds the wall clock is ahead of the monotonic one.

        The process may be stopped between two readings, so the closest of three pairs is used.
        """
        closest, offset = float("inf"), 0.0
        for _ in range(3):
            before, wall, after = self.now(), self.wall(), self.now()
            if after - before < closest:
                closest, offset = after - before, wall - (before + after) / 2
        return offset


SYSTEM_CLOCK = Clock()
# The clock is read many times for each message, so the Python call around it is removed.
SYSTEM_CLOCK.now = time.monotonic  # type: ignore[method-assign]  # the same, without self


def sec_usec(wall: float) -> list[int]:
    """Return a wall time as [seconds, microseconds], the form that the interface uses."""
    microseconds = round(wall * 1_000_000)
    return [microseconds // 1_000_000, microseconds % 1_000_000]
