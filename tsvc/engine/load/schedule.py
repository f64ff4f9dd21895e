"""The starts of a grid that one process makes during a run: rates, pauses, shares. Pure."""

from collections.abc import Sequence
from math import inf

from tsvc.engine.load.grid import Grid
from tsvc.engine.load.share import Share


class Schedule:
    """One process's share of a grid, and its changes during the run.

    A new rate continues from the count that was reached, a pause moves the rest. `nth` counts own
    starts from 0; seconds count from the beginning of the run. Each change has a moment: processes
    that make it at the same moment have the same plan, whatever their share and progress.
    """

    def __init__(self, grid: Grid, share: Share) -> None:
        self.grid = grid
        self.share = share
        self._paused_at: float | None = None
        # Of the forgotten part of the grid: its highest rate; and the length of all pauses that
        # are over. The last pause is kept apart, with the own start that it was before.
        self._highest = 0.0
        self._paused_s = 0.0
        self._last_pause = (0, 0.0)
        # Starts are measured from this moment on, the first one being this own start.
        self._since = 0.0
        self._first = 0

    @property
    def is_paused(self) -> bool:
        """True if no start may be made now."""
        return self._paused_at is not None

    def time_of(self, nth: int) -> float:
        """Return when own start `nth` is planned; the grid goes on beyond the last one."""
        start = self.share.start(nth)
        return inf if start is None else self.grid.time_of(start)

    def planned_by(self, seconds: float) -> int:
        """Return how many own starts are planned at or before `seconds`, beyond total too."""
        if self._paused_at is not None:
            seconds = min(seconds, self._paused_at)
        return self.share.before(self.grid.planned_by(seconds))

    def rate(self, seconds: float) -> float:
        """Return the calls per second of the whole run at `seconds`, pause or not."""
        return self.grid.rate(self._reached(seconds))

    def highest(self, seconds: float) -> float:
        """Return the highest rate of own starts that was planned up to `seconds`."""
        return max(self._highest, self.grid.highest(seconds, self._since)) * self.share.part

    def paused_s(self, planned: int) -> float:
        """Return how long pauses between the first measured start and the last of `planned` own
        starts lasted.
        """
        before, seconds = self._last_pause
        return self._paused_s + (seconds if self._first < before < planned else 0.0)

    def measure_from(self, seconds: float, nth: int) -> None:
        """Forget the pauses and the rates before a moment: own start `nth` is the first measured.

        To be called when that moment has come, before any later change.
        """
        self._since, self._first = seconds, nth
        self._paused_s = self._highest = 0.0

    def change(self, seconds: float, grid: Grid, made: int, arrivals: str | None = None) -> None:
        """Continue by another grid from `seconds` on; in a pause, when the pause is over.

        `arrivals`: the kind of arrivals from then on; None: unchanged.
        The plan of the `made` own starts is forgotten, so that a run whose rate is changed for
        days does not grow.
        """
        reached = self._reached(seconds)
        self._note_highest(reached)
        known = self.grid.since(reached, self._next(made))
        self.grid = known.changed(reached, grid, arrivals)

    def pause(self, seconds: float) -> None:
        """Plan nothing from `seconds` on; pausing twice changes nothing."""
        if self._paused_at is None:
            self._paused_at = max(seconds, 0.0)

    def resume(self, seconds: float, made: int) -> None:
        """End a pause: all but the `made` own starts are planned later by its length."""
        if self._paused_at is None:
            return
        pause_s = seconds - self._paused_at
        if pause_s > 0:
            self._note_pause(made, pause_s)
            start = self._next(made)
            self._note_highest(self._paused_at)
            grid = self.grid.since(self._paused_at, start)
            self.grid = grid.delayed(self._paused_at, start, pause_s)
        self._paused_at = None

    def _note_pause(self, made: int, pause_s: float) -> None:
        before, seconds = self._last_pause
        if before == made:
            self._last_pause = (made, seconds + pause_s)
            return
        self._paused_s += seconds if before > self._first else 0.0
        self._last_pause = (made, pause_s)

    def _note_highest(self, seconds: float) -> None:
        self._highest = max(self._highest, self.grid.highest(seconds, self._since))

    def all_planned_by(self, seconds: float) -> int:
        """Return how many starts of the whole run are planned at or before `seconds`."""
        return min(self.grid.planned_by(self._reached(seconds)), self.share.total)

    def take(self, seconds: float, stripes: Sequence[int], made: int) -> None:
        """Take other stripes of the starts that are planned after `seconds`.

        A process that is informed late has made starts that are planned after that moment: these
        stay unchanged.
        """
        reached = self._reached(seconds)
        self._note_highest(reached)
        start = self.grid.planned_by(reached)
        last = self.share.start(made - 1) if made else None
        if last is not None:
            start = max(start, last + 1)
        self.share = self.share.changed(start, stripes)

    def _next(self, made: int) -> int:
        """Return the next own start, which a pause moves; the total if there is none."""
        start = self.share.start(made)
        return self.share.total if start is None else start

    def _reached(self, seconds: float) -> float:
        return max(seconds if self._paused_at is None else self._paused_at, 0.0)
