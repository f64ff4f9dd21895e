"""The runs of a daemon by id, from creation to collection, each with its client."""

from collections.abc import Callable

from tsvc.clock import Clock
from tsvc.config.tables import Results
from tsvc.engine.run import Run, RunState
from tsvc.errors import RunIdInUse, UnknownRun
from tsvc.words import quoted


class RunTable:
    """Runs in progress and completed ones that nobody has read yet."""

    def __init__(self, clock: Clock, settings: Callable[[], Results]) -> None:
        self.by_id: dict[str, Run] = {}
        self._clock = clock
        self._settings = settings

    def add(self, run: Run, client: str) -> None:
        """Add a run that is about to start; its run_id must be free."""
        self.by_id[run.run_id] = run
        run.client = client

    def drop(self, run: Run) -> None:
        """Free the run_id of a run that is over, unless another run has it by now."""
        if self.by_id.get(run.run_id) is run:
            del self.by_id[run.run_id]
            run.let_go()

    def in_progress(self) -> list[Run]:
        """Return the runs that are not completed."""
        return [run for run in self.by_id.values() if run.state is not RunState.COMPLETED]

    def in_progress_of(self, client: str) -> list[Run]:
        """Return the runs of one client that are not completed."""
        return [run for run in self.in_progress() if run.client == client]

    def require_free(self, run_id: str) -> None:
        """Check that a run_id is free. Errors: RunIdInUse if it is not."""
        run = self.find(run_id)
        if run is None:
            return
        if run.state is RunState.COMPLETED:
            raise RunIdInUse(f"run_id {quoted(run_id)} is completed and not yet collected")
        raise RunIdInUse(f"run_id {quoted(run_id)} is in progress")

    def find(self, run_id: str) -> Run | None:
        """Return the run of an id, None if there is none or it was collected."""
        self.forget_old()
        return self.by_id.get(run_id)

    def of_result(self, result_id: int) -> Run | None:
        """Return the run whose result has an id, None if it is in the archive only."""
        return next((run for run in self.by_id.values() if run.result_id == result_id), None)

    def get(self, run_id: str) -> Run:
        """Return the run of an id. Errors: UnknownRun."""
        run = self.find(run_id)
        if run is None:
            raise UnknownRun(f"run_id {quoted(run_id)} is not known")
        return run

    def forget_old(self) -> None:
        """Free the run_ids of results that nobody collected in time."""
        settings = self._settings()
        limit = self._clock.now() - settings.hold_s
        completed = self._completed()
        surplus = len(completed) - settings.hold_runs
        for position, run in enumerate(completed):
            if position < surplus or (run.finished_at or 0.0) < limit:
                self.drop(run)

    def forget_completed(self) -> int:
        """Free the run_ids of all completed runs that are archived; return their number."""
        archived = [run for run in self._completed() if run.result_id is not None]
        for run in archived:
            self.drop(run)
        return len(archived)

    def _completed(self) -> list[Run]:
        return [run for run in self.by_id.values() if run.state is RunState.COMPLETED]
