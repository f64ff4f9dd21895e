"""When instances are planned to start: the rate of a linear run as an absolute grid. Pure.

The grid is the integral of the rate over time: count(t) starts are planned by t seconds after
the run began, and start k (from 0) is planned at time_of(k). Nothing accumulates, so it never
drifts.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt


@dataclass(frozen=True, slots=True)
class Stage:
    """A stretch of the run: from `first` to `last` calls per second in a straight line."""

    first: float
    last: float
    seconds: float  # inf: to the end of the run

    @property
    def starts(self) -> float:
        """How many starts it plans."""
        if self.seconds == inf:
            return inf if self.last > 0 else 0.0
        return (self.first + self.last) / 2 * self.seconds

    def count(self, seconds: float) -> float:
        """Return the starts planned in its first seconds."""
        if self.seconds == inf or self.first == self.last:
            return self.last * seconds
        slope = (self.last - self.first) / self.seconds
        return self.first * seconds + slope * seconds * seconds / 2

    def time_of(self, count: float) -> float:
        """Return after how many seconds it has planned `count` starts."""
        if self.seconds == inf or self.first == self.last:
            return count / self.last if self.last > 0 else inf
        slope = (self.last - self.first) / self.seconds
        root = sqrt(max(self.first * self.first + 2 * slope * count, 0.0))
        # The numerically stable root of first*t + slope*t*t/2 = count.
        return 2 * count / (self.first + root) if self.first + root > 0 else 0.0


class Grid:
    """The planned starts of a run."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self._stages = list(stages)
        self._times = [0.0]
        self._counts = [0.0]
        for stage in self._stages:
            self._times.append(self._times[-1] + stage.seconds)
            self._counts.append(self._counts[-1] + stage.starts)

    def count(self, seconds: float) -> float:
        """Return the number of starts planned from the beginning to `seconds`, a real number."""
        if seconds <= 0:
            return 0.0
        at = min(bisect_right(self._times, seconds) - 1, len(self._stages) - 1)
        stage = self._stages[at]
        inside = min(seconds - self._times[at], stage.seconds)
        return self._counts[at] + stage.count(inside)

    def time_of(self, start: int) -> float:
        """Return the seconds at which start number `start` (from 0) is planned; inf if never."""
        at = bisect_right(self._counts, start) - 1
        if at >= len(self._stages):
            return inf
        return self._times[at] + self._stages[at].time_of(start - self._counts[at])

    def planned_by(self, seconds: float) -> int:
        """Return how many whole starts are planned at or before `seconds`."""
        if seconds < 0:
            return 0
        guess = int(self.count(seconds))
        # Start 0 is planned at once; rounding may put a start a hair before or after its time.
        while self.time_of(guess) <= seconds:
            guess += 1
        while guess > 0 and self.time_of(guess - 1) > seconds:
            guess -= 1
        return guess


def grid_of(target: float, initial: float | None = None, ramp_s: float = 0.0) -> Grid:
    """Return the grid of one target rate, reached in a straight line over ramp_s."""
    hold = Stage(target, target, inf)
    if ramp_s > 0 and initial is not None and initial != target:
        return Grid([Stage(initial, target, ramp_s), hold])
    return Grid([hold])


def grid_of_stages(stages: Sequence[tuple[float, float]]) -> Grid:
    """Return the grid of (calls per second, seconds) held one after another; the last stays."""
    held = [Stage(target, target, seconds) for target, seconds in stages]
    last = stages[-1][0]
    return Grid([*held, Stage(last, last, inf)])
