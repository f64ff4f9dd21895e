"""Archived results, for the methods that read them."""

from typing import Any

from tsvc.archive.archive import Archive
from tsvc.archive.store import IN_PROGRESS, PARTS, ArchiveError, Stored
from tsvc.archive.wanted import Wanted
from tsvc.clock import Clock, sec_usec
from tsvc.engine.limits.run_limits import waiting
from tsvc.errors import RequestError, UnknownRun
from tsvc.words import quoted


class ArchivedResults:
    """Reads results. All methods block on the archive; errors: RequestError, archive.down."""

    def __init__(self, archive: Archive, clock: Clock) -> None:
        self._archive = archive
        self._clock = clock

    def list(self, wanted: Wanted) -> dict[str, Any]:
        """Return summaries, latest first."""
        try:
            with waiting(may_end=False):
                found, is_whole = self._archive.list(wanted)
        except ArchiveError as error:
            raise _failure(error) from None
        now = sec_usec(self._clock.wall())
        return {"time_now": now, "complete": int(is_whole), "results": found}

    def result(self, *, run_id: str | None = None, result_id: int | None = None) -> dict[str, Any]:
        """Return the result of an id, or the latest one of a run_id. Errors: UnknownRun."""
        found = self.stored(run_id=run_id, result_id=result_id, parts=())
        result = found.result if found.result is not None else found.summary
        return {
            **result,
            "result_id": found.id,
            "archived": int(found.state != IN_PROGRESS and not found.is_waiting),
            "time_now": sec_usec(self._clock.wall()),
        }

    def stored(
        self,
        *,
        run_id: str | None = None,
        result_id: int | None = None,
        parts: tuple[str, ...] = PARTS,
    ) -> Stored:
        """Return a row of the archive, with the requested PARTS. Errors: UnknownRun."""
        try:
            with waiting(may_end=False):
                found = self._archive.get(run_id=run_id, result_id=result_id, parts=parts)
        except ArchiveError as error:
            raise _failure(error) from None
        if found is None:
            what = f"run_id {quoted(run_id)}" if result_id is None else f"result_id {result_id}"
            raise UnknownRun(f"{what} is not known")
        return found


def _failure(error: ArchiveError) -> RequestError:
    return RequestError(f"the archive fails: {error}", kind="archive.down")
