"""The planned start times of instances: the rate of a linear run as an absolute grid. Pure.

The grid is the integral of the rate over time: count(t) starts are planned by t seconds after
the run began, and start k (from 0) is planned at time_of(k): when count(t) reaches k, or with
Poisson arrivals (arrivals.py) a random position. Nothing accumulates, so the grid never drifts. A
Schedule (schedule.py) has the starts of a grid that one process makes, and its changes during the
run.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import inf, sqrt

from tsvc.engine.load.arrivals import Arrivals
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """An interval of the run: from `first` to `last` calls per second in a straight line."""

    first: float
    last: float
    seconds: float  # inf: to the end of the run

    @property
    def starts(self) -> float:
        """The number of starts that the stage plans."""
        if self.seconds == inf:
            return inf if self.last > 0 else 0.0
        return (self.first + self.last) / 2 * self.seconds

    @property
    def slope(self) -> float:
        """Change of the rate per second."""
        return 0.0 if self.seconds == inf else (self.last - self.first) / self.seconds

    def rate(self, seconds: float) -> float:
        """Return the calls per second after that many seconds of the stage."""
        return self.last if self.seconds == inf else self.first + self.slope * seconds

    def count(self, seconds: float) -> float:
        """Return the starts planned in the first `seconds` of the stage."""
        if self.seconds == inf or self.first == self.last:
            return self.last * seconds
        return self.first * seconds + self.slope * seconds * seconds / 2

    def time_of(self, count: float) -> float:
        """Return after how many seconds the stage has planned `count` starts."""
        if self.seconds == inf or self.first == self.last:
            return count / self.last if self.last > 0 else inf
        root = sqrt(max(self.first * self.first + 2 * self.slope * count, 0.0))
        # The numerically stable root of first*t + slope*t*t/2 = count.
        return 2 * count / (self.first + root) if self.first + root > 0 else 0.0


@dataclass(frozen=True, slots=True)
class _Placed:
    """A stage in a grid: it begins at `time`, when `count` starts have been planned."""

    time: float
    count: float
    stage: Stage

    def moved(self, seconds: float, count: float = 0.0) -> "_Placed":
        return _Placed(self.time + seconds, self.count + count, self.stage)


class Grid:
    """The planned starts of a run. Never changes: a change of the run makes a new grid.

    A grid that has forgotten its first stages (since()) counts their starts as planned.
    """

    def __init__(self, stages: Sequence[Stage], arrivals: Arrivals | None = None) -> None:
        """`arrivals`: None for even ones."""
        self.arrivals = Arrivals() if arrivals is None else arrivals
        placed = []
        seconds = count = 0.0
        for stage in stages:
            placed.append(_Placed(seconds, count, stage))
            seconds += stage.seconds
            count += stage.starts
        self._place(placed)

    def _place(self, placed: Iterable[_Placed]) -> None:
        self._placed = list(placed)
        last = self._placed[-1]
        # One more than stages: the end of the last one, which only a finite grid reaches.
        end = _Placed(last.time + last.stage.seconds, last.count + last.stage.starts, last.stage)
        self._times = [*(item.time for item in self._placed), end.time]
        self._counts = [*(item.count for item in self._placed), end.count]

    def count(self, seconds: float) -> float:
        """Return the number of starts planned from the beginning to `seconds`, a real number."""
        if seconds <= 0:
            return 0.0
        item = self._placed[self._index(seconds)]
        inside = min(max(seconds - item.time, 0.0), item.stage.seconds)
        return item.count + item.stage.count(inside)

    def rate(self, seconds: float) -> float:
        """Return the calls per second at `seconds`."""
        item = self._placed[self._index(seconds)]
        return item.stage.rate(min(max(seconds - item.time, 0.0), item.stage.seconds))

    def highest(self, seconds: float, since: float = 0.0) -> float:
        """Return the highest rate from `since` to `seconds`, calls per second."""
        first = self._index(since) if since > 0 else 0
        found = 0.0
        for item in self._placed[first : max(self._index(seconds), first) + 1]:
            for moment in (since, seconds):
                inside = min(max(moment - item.time, 0.0), item.stage.seconds)
                found = max(found, item.stage.rate(inside))
        return found

    def time_of(self, start: int) -> float:
        """Return the seconds at which start number `start` (from 0) is planned; inf if never.

        For a forgotten start, return the moment before which all forgotten ones were planned.
        """
        position = self.arrivals.position(start)
        at = bisect_right(self._counts, position) - 1
        if at < 0:
            return self._times[0]
        if at >= len(self._placed):
            return inf
        item = self._placed[at]
        return item.time + item.stage.time_of(position - item.count)

    def planned_by(self, seconds: float) -> int:
        """Return how many whole starts are planned at or before `seconds`."""
        if seconds < 0:
            return 0
        forgotten = self.arrivals.before(self._counts[0])
        guess = max(self.arrivals.before(self.count(seconds)), forgotten)
        # A start may be planned just now; rounding may put one a hair before or after its time.
        while self.time_of(guess) <= seconds:
            guess += 1
        while guess > forgotten and self.time_of(guess - 1) > seconds:
            guess -= 1
        return guess

    def changed(self, seconds: float, following: "Grid", arrivals: str | None = None) -> "Grid":
        """Return this grid up to `seconds`, followed by another grid from its beginning.

        `arrivals`: the kind of arrivals from then on; None: unchanged.
        """
        count = self.arrivals.snapped(self.count(seconds))
        after = [item.moved(seconds, count) for item in following._placed]
        return self._made([*self._before(seconds), *after], self.arrivals.changed(arrivals, count))

    def with_arrivals(self, arrivals: Arrivals) -> "Grid":
        """Return a grid of the same rates with other arrivals."""
        return self._made(self._placed, arrivals)

    def delayed(self, seconds: float, start: int, pause_s: float) -> "Grid":
        """Return this grid with a pause at `seconds`: start number `start` and later ones move.

        If that start is planned earlier, the pause is put there, so that the start moves too.
        """
        at = min(seconds, self.time_of(start))
        count = min(self.arrivals.snapped(self.count(at)), self.arrivals.position(start))
        hole = _Placed(at, count, Stage(0.0, 0.0, pause_s))
        after = [item.moved(pause_s) for item in self._after(at, count)]
        return self._made([*self._before(at), hole, *after], self.arrivals)

    def since(self, seconds: float, start: int) -> "Grid":
        """Return this grid without the stages before both that moment and that start."""
        position = self.arrivals.position(start)
        index = min(self._index(seconds), max(bisect_right(self._counts, position) - 1, 0))
        if not index:
            return self
        known = self.arrivals.before(self._counts[index])
        return self._made(self._placed[index:], self.arrivals.since(known))

    def _index(self, seconds: float) -> int:
        return max(min(bisect_right(self._times, seconds), len(self._placed)) - 1, 0)

    def _before(self, seconds: float) -> list[_Placed]:
        index = self._index(seconds)
        item = self._placed[index]
        inside = seconds - item.time
        if inside <= 0:
            return self._placed[:index]
        cut = Stage(item.stage.rate(0.0), item.stage.rate(inside), inside)
        return [*self._placed[:index], _Placed(item.time, item.count, cut)]

    def _after(self, seconds: float, count: float) -> list[_Placed]:
        index = self._index(seconds)
        stage = self._placed[index].stage
        inside = max(seconds - self._placed[index].time, 0.0)
        rest = Stage(stage.rate(inside), stage.last, stage.seconds - inside)
        return [_Placed(seconds, count, rest), *self._placed[index + 1 :]]

    @staticmethod
    def _made(placed: list[_Placed], arrivals: Arrivals) -> "Grid":
        grid = Grid.__new__(Grid)
        grid.arrivals = arrivals
        grid._place(placed)
        return grid


def grid_of(target: float, initial: float | None = None, ramp_s: float = 0.0) -> Grid:
    """Return the grid of one target rate, reached in a straight line over ramp_s."""
    hold = Stage(target, target, inf)
    if ramp_s > 0 and initial is not None and initial != target:
        return Grid([Stage(initial, target, ramp_s), hold])
    return Grid([hold])


def grid_of_stages(
    stages: Sequence[tuple[float, float] | tuple[float, float, float]], before: float = 0.0
) -> Grid:
    """Return the grid of stages: (calls per second, seconds) or (the same, ramp_s).

    In its first ramp_s seconds a stage goes in a straight line from the rate of the stage before
    it to its own rate; `before` is the rate before the first stage. The rate of the last stage
    stays.
    """
    found = []
    for target, seconds, *ramp in stages:
        ramp_s = min(ramp[0], seconds) if ramp else 0.0
        if ramp_s > 0:
            found.append(Stage(before, target, ramp_s))
        if seconds > ramp_s:
            found.append(Stage(target, target, seconds - ramp_s))
        before = target
    return Grid([*found, Stage(before, before, inf)])
