"""The archive at work: one writer at a time, off the event loop, and what happens when it fails.

Every call of the store runs in the one thread of a pool, so that a slow disk stalls nobody and
SQLite sees one user, whatever becomes of the greenlet that asked. A write that fails is kept and
tried again; meanwhile the state says why, and new runs are refused rather than lost.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import gevent
from gevent.threadpool import ThreadPool

from tsvc.archive.store import ArchiveError, Store, Stored
from tsvc.log import get_logger

log = get_logger("archive")

T = TypeVar("T")


@dataclass(slots=True)
class Pending:
    """A completed run whose result is not written yet."""

    result_id: int
    summary: dict[str, Any]
    result: dict[str, Any]
    messages: Any  # JSON


class Archive:
    """Results that survive the daemon."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._thread = ThreadPool(1)
        self._pending: list[Pending] = []
        self.problem: str | None = None
        self.lost = 0

    def start(self) -> None:
        """Open the database. Errors: ArchiveError. Blocks: for the disk."""
        self.lost = self._perform(self._store.open)
        if self.lost:
            log.warning("runs of an earlier daemon were lost", runs=self.lost)

    def stop(self) -> None:
        """Write what waits, if that is possible now, and close. Blocks: for the disk."""
        self.retry()
        if self._pending:
            log.error("results are lost with the daemon", runs=len(self._pending))
        self._perform(self._store.close)
        self._thread.kill()

    @property
    def is_up(self) -> bool:
        """Whether results can be kept."""
        return self.problem is None

    def status(self) -> dict[str, Any]:
        """Return what DescribeService shows."""
        return {
            "state": "up" if self.is_up else "failing",
            "detail": self.problem or "",
            "waiting": len(self._pending),
        }

    # -- writing: each blocks for the disk ---------------------------------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that starts; returns its result_id. Errors: ArchiveError.

        If whoever asks is interrupted (its deadline), the run is taken out again.
        """
        return self._watched(lambda: self._store.begin(summary, definition), self._discard)

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Keep what is known of runs in progress; a failure only shows in the state."""
        try:
            self._watched(lambda: self._store.snapshot(summaries))
        except ArchiveError:
            return

    def finish(self, pending: Pending) -> None:
        """Keep the result of a completed run; if that fails it waits for retry()."""
        try:
            self._watched(lambda: self._write(pending))
        except ArchiveError:
            self._pending.append(pending)

    def retry(self) -> None:
        """Write the results that wait; the state is up again once a write succeeds."""
        if self.problem is not None and not self._pending:
            try:
                self._watched(self._store.probe)
            except ArchiveError:
                return
        while self._pending:
            try:
                self._watched(lambda: self._write(self._pending[0]))
            except ArchiveError:
                return
            self._pending.pop(0)

    def purge(self, before: float, keep_runs: int) -> None:
        """Remove what is too old or too much."""
        try:
            removed = self._watched(lambda: self._store.purge(before, keep_runs))
        except ArchiveError:
            return
        if removed:
            log.info("archive purged", runs=removed)

    def _discard(self, result_id: int) -> None:
        try:
            self._watched(lambda: self._store.discard(result_id))
        except ArchiveError:
            return  # the next daemon of this name finds it as lost

    def _write(self, pending: Pending) -> None:
        self._store.finish(pending.result_id, pending.summary, pending.result, pending.messages)

    # -- reading -----------------------------------------------------------------------------

    def list(self, limit: int, before: int | None, run_id: str | None) -> list[dict[str, Any]]:
        """Return summaries, latest first. Errors: ArchiveError."""
        return self._perform(lambda: self._store.list(limit, before, run_id))

    def get(self, *, result_id: int | None = None, run_id: str | None = None) -> Stored | None:
        """Return one archived run. Errors: ArchiveError."""
        return self._perform(lambda: self._store.get(result_id=result_id, run_id=run_id))

    # -- off the loop ------------------------------------------------------------------------

    def _perform(self, call: Callable[[], T], undo: Callable[[T], None] | None = None) -> T:
        task = self._thread.spawn(_captured, call)
        try:
            done = cast("_Done[T]", task.get())
        except BaseException:
            # The thread goes on with it; what nobody waits for any more may have to be undone.
            if undo is not None:
                task.rawlink(lambda done: gevent.spawn(_undo_done, done.value, undo))
            raise
        if done.error is not None:
            raise done.error
        return cast(T, done.value)

    def _watched(self, call: Callable[[], T], undo: Callable[[T], None] | None = None) -> T:
        """Perform a write and keep the state: what failed last, or nothing."""
        try:
            result = self._perform(call, undo)
        except ArchiveError as error:
            if self.problem is None:
                log.error("archive fails", reason=str(error))
            self.problem = str(error)
            raise
        if self.problem is not None:
            log.info("archive works again")
            self.problem = None
        return result


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    value: T | None = None
    error: Exception | None = None


def _captured(call: Callable[[], T]) -> _Done[T]:
    """Call, and bring an error back as a value.

    gevent would write it to stderr first, and if that fails (a full disk) nobody ever hears of it.
    """
    try:
        return _Done(call())
    except Exception as error:  # noqa: BLE001 - raised again where it is waited for
        return _Done(error=error)


def _undo_done(done: _Done[T] | None, undo: Callable[[T], None]) -> None:
    if done is not None and done.error is None:
        undo(cast(T, done.value))
