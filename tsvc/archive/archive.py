"""The archive: one writer at a time, in a thread, and the handling of its failures.

    up ──a write fails, or a call is late──► failing ──waiting results or a probe written──► up

While the archive fails, no run starts, so only runs in progress can add waiting results. A
waiting result is read from memory. It is also written to a file of the state folder if possible.
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
    VERSION,
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

_UPGRADE_S = 3600.0  # some 20 s for a gigabyte on a disk that is not busy

T = TypeVar("T")

# The limit for packed results that wait. Above it, a further result is kept without its messages.
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
        """Return the run as a record. This takes milliseconds, so call it in a thread."""
        dumps = partial(json.dumps, default=str)
        return zlib.compress(text_exactly(asdict(self), dumps).encode(), 1)

    def as_stored(self) -> Stored:
        """Return the run as the archive would return it."""
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
    """A result that waits: `pending` until it is packed, then `record`."""

    summary: dict[str, Any]
    pending: Pending | None
    record: bytes = b""

    def whole(self) -> Pending:
        """Return the whole run. This takes milliseconds, so call it in a thread."""
        return self.pending or _unpack(self.record)


class Archive:
    """Results that survive the daemon."""

    def __init__(self, store: Store, folder: Path = Path(), deadline_s: float = 5.0) -> None:
        """`folder` is the state folder; with Path() no results are kept in files."""
        self._store = store
        self._folder = folder
        self._spill = None if folder == Path() else Spill(folder)
        self._worker = Worker(deadline_s)
        self._spiller = Worker(deadline_s)  # separate, because disk or database alone may hang
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
        deadline_s = None
        if self._perform(self._store.is_older):
            log.info("upgrading the archive of an older version", deadline_s=_UPGRADE_S)
            deadline_s = _UPGRADE_S
        opened = self._perform(lambda: self._store.open(owner, deadline_s), None, deadline_s)
        self.lost = opened - len(left)
        for record in left:
            pending = _unpack(record)
            self._waiting[pending.result_id] = _Waiting(pending.summary, None, record)
        if left:
            log.warning("results of an earlier daemon wait", results=len(left))
            self.retry()
        if self._store.upgraded_from is not None:
            log.info("upgraded", version_before=self._store.upgraded_from, version=VERSION)
        if self.lost > 0:
            log.warning("runs of an earlier daemon were lost", runs=self.lost)

    def _open_spill(self) -> list[bytes]:
        return [] if self._spill is None else list(self._spill.open())

    def stop(self) -> None:
        """Write the waiting results if possible, and close. Blocks: some deadlines at most."""
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
        """Return the state as DescribeService shows it."""
        return {
            "state": "up" if self.problem is None else "failing",
            "detail": self.problem or "",
            "waiting": len(self._waiting),
        }

    def is_waiting(self, result_id: int | None) -> bool:
        """Return True if a completed run still waits to be written to the archive."""
        return result_id in self._waiting

    # -- writing: each blocks for the disk, up to twice the deadline ---------------------------

    def begin(self, summary: dict[str, Any], definition: Any) -> int:
        """Add a run that starts, and return its result_id. Errors: ArchiveError.

        If the caller is interrupted (by its deadline), the run is removed again.
        """
        if self.problem is not None:
            wait = f"; {len(self._waiting)} results wait for it" if self._waiting else ""
            raise ArchiveError(f"{self.problem}{wait}")
        result_id = self._watched(lambda: self._store.begin(summary, definition), self._discard)
        self._running.add(result_id)
        return result_id

    def snapshot(self, summaries: dict[int, dict[str, Any]]) -> None:
        """Write the summaries of runs in progress; a failure only shows in the state.

        If nothing has changed, write a probe every half deadline, and wait at most half the
        deadline for it. So a failure of the database is noticed within the deadline.
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
            self._next_beat = time.monotonic() + half_s - 1  # snapshot() is called once a second

    def finish(self, pending: Pending) -> None:
        """Write the result of a completed run; if that fails, the result waits for retry()."""
        try:
            if self.problem is not None:
                raise ArchiveError(self.problem)
            self._watched(lambda: self._write(pending))
        except ArchiveError:
            self._keep(pending)
        finally:
            self._running.discard(pending.result_id)

    def retry(self) -> None:
        """Write the waiting results. The state is up again once the writes succeed."""
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
                # A probe needs new pages: a write without them succeeds even on a full disk.
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
        """Remove runs that started before `before`, and all but the latest `keep_runs`."""
        removed, at_once = 0, PURGED_AT_ONCE
        with contextlib.suppress(ArchiveError):
            while at_once == PURGED_AT_ONCE:
                at_once = self._watched(lambda: self._store.purge(before, keep_runs))
                removed += at_once
        if removed:
            log.info("archive purged", runs=removed)

    def _discard(self, result_id: int) -> None:
        with contextlib.suppress(ArchiveError):  # otherwise retry() sweeps the row out
            self._watched(lambda: self._store.discard(result_id))

    def _write(self, pending: Pending) -> None:
        one = pending
        if not self._store.finish(one.result_id, one.summary, one.result, one.messages):
            log.error("the archive has no row for a result", result_id=one.result_id)

    def _keep(self, pending: Pending) -> None:
        """Keep a result that waits: in memory, and in the state folder if that is possible."""
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
        """Return summaries, latest first, and False if the database could not be read.

        Errors: ArchiveError if it could not be read and no waiting result is wanted.
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
        """Return a run that is archived or waits to be. Errors: ArchiveError.

        `parts`: the wanted ones of PARTS; a waiting run has all of them.
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
                self._fail(error)  # reported to readers, and to the next writer
            raise error from None

    def _watched(
        self,
        call: Callable[[], T],
        undo: Callable[[T], None] | None = None,
        deadline_s: float | None = None,
    ) -> T:
        """Perform a call whose failure sets the state to failing, with its reason."""
        try:
            return self._perform(call, undo, deadline_s)
        except ArchiveError as error:
            self._fail(error)
            raise

    def _fail(self, error: ArchiveError) -> None:
        if self.problem is None:
            log.error("archive fails", reason=str(error))
        self.problem = str(error)
