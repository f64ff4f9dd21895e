"""Housekeeping of the daemon, each second: it writes snapshots to the archive, measures the lag of
the event loop, and checks thresholds that may end runs.
"""

from collections.abc import Callable

import gevent
from gevent.event import Event

from tsvc.archive.archive import Archive
from tsvc.clock import Clock
from tsvc.config.tables import Results
from tsvc.engine.compiler.thresholds import watch_thresholds
from tsvc.engine.load.generator import GeneratorLoad, sample_lag
from tsvc.engine.result.result import summary
from tsvc.engine.run import Run

SNAPSHOT_S = 1.0
PURGE_S = 3600.0


class Keeper:
    """Snapshots of runs in progress, results that wait for the archive, retention."""

    def __init__(
        self,
        archive: Archive,
        clock: Clock,
        in_progress: Callable[[], list[Run]],
        settings: Callable[[], Results],
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._in_progress = in_progress
        self._settings = settings
        self._stopping = Event()
        self._greenlets: list[gevent.Greenlet[..., None]] = []
        self._next_purge = clock.now()

    def start(self) -> None:
        """Start the greenlets. Returns immediately."""
        self._greenlets = [
            gevent.spawn(self._keep),
            gevent.spawn(sample_lag, self._clock, self._loads, self._stopping),
        ]

    def stop(self) -> None:
        """Stop. Blocks: until a write in progress is over, at most twice its deadline."""
        self._stopping.set()
        gevent.joinall(self._greenlets, timeout=2 * self._settings().deadline_s)
        gevent.killall(self._greenlets)

    def _loads(self) -> list[GeneratorLoad]:
        return [run.generator for run in self._in_progress()]

    def _keep(self) -> None:
        while not self._stopping.wait(SNAPSHOT_S):
            for run in self._in_progress():
                watch_thresholds(run)
            self._archive.retry()
            running = {
                run.result_id: summary(run)
                for run in self._in_progress()
                if run.result_id is not None
            }
            self._archive.snapshot(running)
            if self._archive.problem is None and self._clock.now() >= self._next_purge:
                self._purge()

    def _purge(self) -> None:
        settings = self._settings()
        oldest = self._clock.wall() - settings.keep_days * 86400
        self._archive.purge(oldest, settings.keep_runs)
        self._next_purge = self._clock.now() + PURGE_S
