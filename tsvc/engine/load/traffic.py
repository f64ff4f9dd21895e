"""Test Instances of all runs since the daemon started, by what became of them. Pure."""

from collections import Counter

from tsvc.engine.load.counters import Counters

_STATES = ("started", "passed", "failed", "aborted", "cancelled")


class Traffic:
    """Sums that never fall: of the runs that ended, and of those that are in progress."""

    def __init__(self) -> None:
        self._in_progress: set[Counters] = set()
        self._ended: Counter[str] = Counter()

    def begin(self, counters: Counters) -> None:
        """Count a run from now on."""
        self._in_progress.add(counters)

    def end(self, counters: Counters) -> None:
        """Take the counts of a run for good; does nothing for one that never began."""
        if counters in self._in_progress:
            self._in_progress.remove(counters)
            for state in _STATES:
                self._ended[state] += getattr(counters, state)

    def as_dict(self) -> dict[str, int]:
        """Return the JSON form: the sums, and the instances in progress and halted now."""
        sums = {
            state: self._ended[state] + sum(getattr(one, state) for one in self._in_progress)
            for state in _STATES
        }
        now = {
            "in_progress": sum(one.in_progress for one in self._in_progress),
            "halted": sum(one.halted for one in self._in_progress),
        }
        return sums | now
