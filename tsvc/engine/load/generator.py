"""The load of the tester itself during a run: its share of a processor, and its event loop's lag.

A missed rate may be the tester's own fault; these two numbers show how close it was to its limit.
"""

import resource
from collections.abc import Callable, Iterable
from typing import Any

from gevent.event import Event

from tsvc.clock import Clock

SAMPLE_S = 1.0


def cpu_seconds() -> float:
    """Return the processor time that this process has used."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class GeneratorLoad:
    """The load of the generator during one run."""

    __slots__ = ("_began_at", "_cpu_at_begin", "_share", "highest_lag_s")

    def __init__(self, now: float) -> None:
        self._began_at = now
        self._cpu_at_begin = cpu_seconds()
        self._share: float | None = None
        self.highest_lag_s: float | None = None

    def note_lag(self, lag_s: float) -> None:
        """Note how late the event loop handled a timer; the highest lag is kept."""
        self.highest_lag_s = max(self.highest_lag_s or 0.0, lag_s)

    def end(self, now: float) -> None:
        """Fix the share of the processor: the run is over."""
        self._share = self._share_by(now)

    def as_dict(self, now: float) -> dict[str, Any]:
        """Return `generator` of a result: share of one processor, highest lag seen.

        The lag is null for a run that was over before the first sample.
        """
        share = self._share_by(now) if self._share is None else self._share
        lag = self.highest_lag_s
        return {
            "cpu": round(share, 3),
            "loop_lag_ms": None if lag is None else round(lag * 1000, 3),
        }

    def _share_by(self, now: float) -> float:
        elapsed = now - self._began_at
        return (cpu_seconds() - self._cpu_at_begin) / elapsed if elapsed > 0 else 0.0


def sample_lag(
    clock: Clock, loads: Callable[[], Iterable[GeneratorLoad]], stopping: Event
) -> None:
    """Note the lag of the event loop in all present loads, once a second until `stopping`."""
    due = clock.now() + SAMPLE_S
    while not stopping.wait(SAMPLE_S):
        lag_s = max(clock.now() - due, 0.0)
        for load in loads():
            load.note_lag(lag_s)
        due = clock.now() + SAMPLE_S
