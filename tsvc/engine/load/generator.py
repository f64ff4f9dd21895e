"""How loaded the tester itself was during a run: its share of a processor, and its event loop.

A rate that was not kept may be the tester's own fault; these two numbers say how close it was.
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
    """What one run saw of its generator."""

    __slots__ = ("_began_at", "_cpu_at_begin", "_share", "highest_lag_s")

    def __init__(self, now: float) -> None:
        self._began_at = now
        self._cpu_at_begin = cpu_seconds()
        self._share: float | None = None
        self.highest_lag_s: float | None = None

    def note_lag(self, lag_s: float) -> None:
        """Keep how late the event loop came to something that was due."""
        self.highest_lag_s = max(self.highest_lag_s or 0.0, lag_s)

    def end(self, now: float) -> None:
        """Take the processor's share for good: the run is over."""
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
    """Once a second tell all loads of that moment how late the event loop was, until stopping."""
    due = clock.now() + SAMPLE_S
    while not stopping.wait(SAMPLE_S):
        lag_s = max(clock.now() - due, 0.0)
        for load in loads():
            load.note_lag(lag_s)
        due = clock.now() + SAMPLE_S
