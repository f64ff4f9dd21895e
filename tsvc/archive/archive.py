"""The archive at work: one writer at a time, off the event loop, and what happens when it fails.

    up ──a write fails, or a call is late──► failing ──what waits is written, or a probe──► up

While it fails no run starts, so at most those that were in progress add to what waits. A result
that waits is read from memory, and stands in a file of the state folder, too, if that takes it.
"""

import contextlib
import json
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import gevent
from gevent.hub import get_hub

from tsvc.archive.spill import Spill
from tsvc.archive.state import identity
from tsvc.archive.store import (
    COMPLETED,
    PARTS,
    PURGED_AT_ONCE,
    ArchiveError,
    Store,
    Stored,
    too_late,
)
from tsvc.archive.wanted import Wanted
from tsvc.archive.worker import TooLate, Worker
from tsvc.errors import reason
from tsvc.log import get_logger
from tsvc.numbers import loads_exactly, text_exactly
from tsvc.values import dataclass

log = get_logger("archive")

T = TypeVar("T")

# Of packed results that wait; above, what is kept of one more is its result without messages.
MOST_WAITING_OCTETS = 64 * 1024 * 1024
_BEAT_OCTETS = 16


@dataclass(frozen=True, slots=True)
class Pending:
    """A completed run whose result is not written yet."""

    result_id: int
    summary: dict[str, Any]
    result: dict[str, Any]
    messages: Any  # JSON
    definition: Any = None  # JSON, as begin() was given it

    def pack(self) -> bytes:
        """Return it as a record. Takes milliseconds: for a thread."""
        dumps = partial(json.dumps, default=str)
        return zlib.compress(text_exactly(asdict(self), dumps).encode(), 1)

    def as_stored(self) -> Stored:
        """Return it as the archive would."""
        return Stored(
            self.result_id,
            self.summary["run_id"],
            COMPLETED,
            self.summary,
            self.result,
            self.messages,
            self.definition,
            is_waiting=True,
        )


def _unpack(record: bytes) -> Pending:
    return Pending(**loads_exactly(zlib.decompress(record)))


@dataclass(slots=True)
class _Waiting:
    """A result that waits: as it came until there is a record of it."""

    summary: dict[str, Any]
    pending: Pending | None
    record: bytes = b""

    def whole(self) -> Pending:
        """Return all of it. Takes milliseconds: for a thread."""
        return self.pending or _unpack(self.record)


class Archive:
    """Results that survive the daemon."""

    def __init__(self, store: Store, folder: Path = Path(), deadline_s: float = 5.0) -> None:
        """`folder` is the state folder, Path() for none: nothing is kept in files then."""
        self._store = store
        self._folder = folder
        self._spill = None if folder == Path() else Spill(folder)
        self._worker = Worker(deadline_s)
        self._spiller = Worker(deadline_s)  # apart: either disk or database may hang
        self._running: set[int] = set()
        self._waiting: dict[int, _Waiting] = {}
        self._known: dict[int, dict[str, Any]] = {}
        self._next_beat = 0.0
        self.problem: str | None = None
        self.lost = 0

    def start(self) -> None:
        """Open the database. Errors: ArchiveError. Blocks: for the disk."""
        try:
            owner = self._spiller.perform(lambda: identity(self._folder))
            left = self._spiller.perform(self._open_spill)
        except (TooLate, OSError) as error:
            late = isinstance(error, TooLate)
            why = too_late(self._spiller.deadline_s) if late else reason(error)
            raise ArchiveError(f"the state folder {self._folder}: {why}") from None
        self.lost = self._perform(lambda: self._store.open(owner)) - len(left)
        for record in left:
            pending = _unpack(record)
            self._waiting[pending.result_id] = _Waiting(pending.summary, None, record)
        if left:
            log.warning("results of an earlier daemon wait", results=len(left))
            self.retry()
        if self.lost > 0:
            log.warning("runs of an earlier daemon were lost", runs=self.lost)

    def _open_spill(self) -> list[bytes]:
        return [] if self._spill is None else list(self._spill.open())

    def stop(self) -> None:
        """Write what waits, if that is possible now, and close. Blocks: some deadlines at most."""
        gevent.with_timeout(2 * self._worker.deadline_s, self.retry, timeout_value=None)
        kept = sum(bool(one.record) for one in self._waiting.values())
        if self._waiting:
            unkept = len(self._waiting) - kept
            log.error("results are not in the archive", kept_for_next_start=kept, lost=unkept)
        with contextlib.suppress(ArchiveError):
            self._perform(self._store.close)
        self._worker.stop()
        if self._spill is not None:
            with contextlib.suppress(TooLate, OSError):
                self._spiller.perform(self._spill.close)
        self._spiller.stop()

    def status(self) -> dict[str, Any]:
        """Return what DescribeService shows."""
        return {
            "state": "up" if self.problem is None else "failing",
            "detail": self.problem or "",
            "waiting": len(self._waiting),
        }

    def is_waiting(self, result_id: int | None) -> bool:
        """Return whether a completed run is not in the archive yet."""
        return result_id in self._waiting

    # -- writing: each blocks for the disk, up to twice the deadline ---------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that starts; returns its result_id. Errors: ArchiveError.

        If whoever asks is interrupted (its deadline), the run is taken out again.
        """
        if self.problem is not None:
            wait = f"; {len(self._waiting)} results wait for it" if self._waiting else ""
            raise ArchiveError(f"{self.problem}{wait}")
        result_id = self._watched(lambda: self._store.begin(summary, definition), self._discard)
        self._running.add(result_id)
        return result_id

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Keep what is known of runs in progress; a failure only shows in the state.

        Where there is nothing new, see now and then that the database still takes something: by
        that, and half the deadline for it, the state is known within the deadline.
        """
        if self.problem is not None:
            return
        half_s = self._worker.deadline_s / 2
        with contextlib.suppress(ArchiveError):
            if summaries != self._known:
                self._watched(lambda: self._store.snapshot(summaries))
                self._known = summaries
            elif time.monotonic() >= self._next_beat:
                self._watched(lambda: self._store.probe(_BEAT_OCTETS), deadline_s=half_s)
            else:
                return
            self._next_beat = time.monotonic() + half_s - 1  # asked once a second

    def finish(self, pending: Pending) -> None:
        """Keep the result of a completed run; if that fails it waits for retry()."""
        try:
            if self.problem is not None:
                raise ArchiveError(self.problem)
            self._watched(lambda: self._write(pending))
        except ArchiveError:
            self._keep(pending)
        finally:
            self._running.discard(pending.result_id)

    def retry(self) -> None:
        """Write the results that wait; the state is up again once a write succeeds."""
        if self.problem is None and not self._waiting:
            return
        written = 0
        try:
            while self._waiting:
                result_id, waiting = next(iter(self._waiting.items()))
                self._watched(lambda one=waiting: self._write(one.whole()))  # type: ignore[misc]
                del self._waiting[result_id]
                written += 1
            if not written:
                # A full disk takes what needs no page of it.
                self._watched(self._store.probe)
            kept = self._running | self._waiting.keys()
            self._watched(lambda: self._store.sweep(kept))
        except ArchiveError:
            return
        if not self._waiting and self._spill is not None:
            with contextlib.suppress(TooLate, OSError):
                self._spiller.perform(self._spill.clear)
        if self.problem is not None:
            self.problem = None
            log.info("archive works again", written=written)

    def purge(self, before: float, keep_runs: int) -> None:
        """Remove what is too old or too much."""
        removed, at_once = 0, PURGED_AT_ONCE
        with contextlib.suppress(ArchiveError):
            while at_once == PURGED_AT_ONCE:
                at_once = self._watched(lambda: self._store.purge(before, keep_runs))
                removed += at_once
        if removed:
            log.info("archive purged", runs=removed)

    def _discard(self, result_id: int) -> None:
        with contextlib.suppress(ArchiveError):  # else retry() sweeps it out
            self._watched(lambda: self._store.discard(result_id))

    def _write(self, pending: Pending) -> None:
        one = pending
        if not self._store.finish(one.result_id, one.summary, one.result, one.messages):
            log.error("the archive has no row for a result", result_id=one.result_id)

    def _keep(self, pending: Pending) -> None:
        """Have a result wait, in the state folder too if that takes it."""
        if sum(len(one.record) for one in self._waiting.values()) > MOST_WAITING_OCTETS:
            log.warning("result waits without its messages", result_id=pending.result_id)
            pending = replace(pending, messages={})
        waiting = _Waiting(pending.summary, pending)
        self._waiting[pending.result_id] = waiting

        def keep() -> bytes:
            record = pending.pack()
            if self._spill is not None:
                self._spill.add(record)
            return record

        try:
            waiting.record = self._spiller.perform(keep)
            waiting.pending = None
        except TooLate:
            log.error("result waits in memory only", reason="the state folder does not answer")
        except OSError as error:
            log.error("result waits in memory only", reason=reason(error))

    # -- reading -----------------------------------------------------------------------------

    def list(self, wanted: Wanted) -> tuple[list[dict[str, Any]], bool]:
        """Return summaries, latest first, and whether the archive could be asked.

        Errors: ArchiveError where nothing waits that could be told instead.
        """
        found = {
            result_id: {"result_id": result_id, **one.summary, "archived": 0}
            for result_id, one in self._waiting.items()
            if wanted.takes(result_id, one.summary)
        }
        is_whole = True
        try:
            rows = self._perform(lambda: self._store.list(wanted))
        except ArchiveError:
            if not found:
                raise
            rows, is_whole = [], False
        for row in rows:
            found.setdefault(row["result_id"], {**row, "archived": row["completed"]})
        return [
            found[result_id] for result_id in sorted(found, reverse=True)[: wanted.limit]
        ], is_whole

    def get(
        self,
        *,
        result_id: int | None = None,
        run_id: str | None = None,
        parts: tuple[str, ...] = PARTS,
    ) -> Stored | None:
        """Return one run that is archived, or waits for that. Errors: ArchiveError.

        `parts`: those of PARTS that are wanted; there may be others.
        """
        if result_id is None:
            same = (key for key, one in self._waiting.items() if one.summary["run_id"] == run_id)
            result_id = max(same, default=None)
        waiting = None if result_id is None else self._waiting.get(result_id)
        if waiting is not None:
            return get_hub().threadpool.apply(waiting.whole).as_stored()
        return self._perform(
            lambda: self._store.get(result_id=result_id, run_id=run_id, parts=parts)
        )

    # -- off the loop ------------------------------------------------------------------------

    def _perform(
        self,
        call: Callable[[], T],
        undo: Callable[[T], None] | None = None,
        deadline_s: float | None = None,
    ) -> T:
        try:
            return self._worker.perform(call, undo, deadline_s)
        except TooLate:
            error = ArchiveError(too_late(self._worker.deadline_s))
            if self._worker.is_stuck:
                self._fail(error)  # readers are told by that, and the next writer
            raise error from None

    def _watched(
        self,
        call: Callable[[], T],
        undo: Callable[[T], None] | None = None,
        deadline_s: float | None = None,
    ) -> T:
        """Perform a call by which the state is judged: the reason of what failed last."""
        try:
            return self._perform(call, undo, deadline_s)
        except ArchiveError as error:
            self._fail(error)
            raise

    def _fail(self, error: ArchiveError) -> None:
        if self.problem is None:
            log.error("archive fails", reason=str(error))
        self.problem = str(error)
