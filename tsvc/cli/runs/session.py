"""Runs definitions for `tsvc run`: attempts, retries, suites with set-up and tear-down."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import click

from tsvc.cli.definition_file.cases import label_of
from tsvc.cli.definition_file.load import load_definition, read_definition
from tsvc.cli.runs.accept import accept_result
from tsvc.cli.runs.baseline import Baseline
from tsvc.cli.runs.suite import Job, Suite, suites_of
from tsvc.cli.terminal.keys import Keys
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.progress import progress
from tsvc.cli.terminal.refusal import ExitStatus, refusal_lines
from tsvc.cli.terminal.report import (
    failure_lines,
    status_of,
    summary_lines,
    verdict_line,
    whole_report,
    worst_of,
)
from tsvc.client import Client, RunResult, TsvcError, Unreachable, new_run_id
from tsvc.values import dataclass

_FAILURES = (ExitStatus.FAILED, ExitStatus.ABORTED)


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The outcome of one definition file; without a result it was refused."""

    path: Path
    status: ExitStatus
    lines: tuple[str, ...]
    result: RunResult | None = None
    definition: Mapping[str, Any] | None = None
    refusal: str = ""
    is_unreachable: bool = False
    case: str = ""

    @property
    def label(self) -> str:
        """The name of the file, or of its case, on the command line."""
        return label_of(self.path, self.case)


class Interrupted(click.exceptions.Exit):
    """Raised after Ctrl-C: the outcomes until then, in `outcomes`, and exit status 3."""

    def __init__(self, outcomes: Sequence[FileOutcome]) -> None:
        super().__init__(ExitStatus.ABORTED)
        self.outcomes = outcomes


@dataclass(slots=True)
class Session:
    """The settings and state that all files of one command share; `in_progress` is by run_id.

    A brief report is only the summary; a quiet report is only its first line.
    """

    client: Client
    is_quiet: bool = False
    shows_globals: bool = False
    is_live: bool | None = None
    is_brief: bool = False
    baseline: Baseline | None = None
    retries: int = 0
    accepts: bool = False
    in_progress: dict[str, Job] = field(default_factory=dict)

    def run(self, job: Job) -> FileOutcome:
        """Run one definition to its end, again if it does not pass. Blocks: that long."""
        outcome = self._attempt(job)
        before: list[str] = []
        for number in range(self.retries):
            if outcome.status is ExitStatus.PASSED or outcome.result is None:
                break
            before += [*outcome.lines, f"{outcome.label}: retry {number + 1} of {self.retries}"]
            outcome = self._attempt(job)
        if self.accepts and outcome.result is not None and outcome.status in _FAILURES:
            is_changed, said = accept_result(job.path, outcome.result)
            before += [*outcome.lines, *said]
            if is_changed:
                operations = read_definition(job.path)["operations"]
                outcome = self._attempt(
                    job._replace(params={**job.params, "operations": operations})
                )
            else:
                outcome = replace(outcome, lines=())
        return replace(outcome, lines=(*before, *outcome.lines))

    def _attempt(self, job: Job) -> FileOutcome:
        path, params, case = job
        run_id = new_run_id(path.stem)
        self.in_progress[run_id] = job  # before the run starts: Ctrl-C may come at any moment
        try:
            outcome = self.outcome(job, self._run(job, run_id))
        except (TsvcError, Unreachable) as error:
            lines = refusal_lines(error, load_definition(path).place) or []
            refusal = "\n".join(lines)
            outcome = FileOutcome(
                path,
                ExitStatus.REFUSED,
                (label_of(path, case), *lines),
                None,
                params,
                refusal,
                isinstance(error, Unreachable),
                case,
            )
        self.in_progress.pop(run_id, None)
        return outcome

    def outcome(self, job: Job, result: RunResult) -> FileOutcome:
        """Return the outcome for a result."""
        label = label_of(job.path, job.case)
        if self.is_quiet:
            lines = [f"{label}: {verdict_line(result)}"]
        elif self.is_brief:
            lines = [label, *failure_lines(result), *summary_lines(result), ""]
        else:
            lines = [label, *whole_report(result, shows_globals=self.shows_globals), ""]
        status = status_of(result)
        if self.baseline is not None:
            found, said = self.baseline.judge(label, result)
            status = worst_of([status, found])
            lines[-1:-1] = said if not self.is_quiet or found else []
        return FileOutcome(job.path, status, tuple(lines), result, job.params, case=job.case)

    def cancel_all(self) -> Iterator[FileOutcome]:
        """Cancel the runs in progress, and yield their outcomes."""
        for run_id, job in sorted(self.in_progress.items()):
            try:
                yield self.outcome(job, self.client.cancel(run_id))
            except (TsvcError, Unreachable) as error:
                say(f"run {run_id} is not cancelled: {error}", err=True)

    def _run(self, job: Job, run_id: str) -> RunResult:
        self.client.execute(job.params, run_id)
        if self.is_quiet:
            return self.client.wait(run_id)
        keys = Keys(self.client, run_id, "cancel")
        with progress(
            label_of(Path(job.path.name), job.case), is_live=self.is_live, keys=keys
        ) as (show, interval_s):
            return self.client.wait(run_id, show, interval_s=interval_s)


def run_all(
    session: Session,
    jobs: Sequence[Job],
    parallel: int = 1,
    *,
    stops_early: bool = False,
) -> list[FileOutcome]:
    """Run the files, print each report, and return the outcomes in order.

    If the command `stops_early`, the remaining files are left out after the first file that does
    not pass. If the service is unreachable, they are left out in any case.
    Blocks: until all are over. Errors: Interrupted, after runs in progress are cancelled.
    """
    outcomes: list[FileOutcome] = []
    for suite in suites_of(jobs):
        if not _run_suite(session, suite, outcomes, parallel, stops_early):
            break
    return outcomes


def _run_suite(
    session: Session, suite: Suite, outcomes: list[FileOutcome], parallel: int, stops_early: bool
) -> bool:
    """Run a suite, and its tear-down unless the service is unreachable.

    Return True if other suites may follow.
    """
    is_interrupted, goes_on = False, True
    try:
        is_ready = all(_told(session.run(job), outcomes) for job in suite.set_up)
        if is_ready:
            goes_on = _run_jobs(session, suite.jobs, outcomes, parallel, stops_early)
        else:
            say(f"the set-up did not pass: {len(suite.jobs)} not run", err=True)
            goes_on = not stops_early
    except KeyboardInterrupt:
        is_interrupted = True
        _cancel_all(session, outcomes)
    if not (outcomes and outcomes[-1].is_unreachable):
        try:
            for job in suite.tear_down:
                is_passed = _told(session.run(job), outcomes)
                goes_on = goes_on and (is_passed or not stops_early)
        except KeyboardInterrupt:
            is_interrupted = True
            _cancel_all(session, outcomes)
    if is_interrupted:
        raise Interrupted(outcomes) from None
    return goes_on and not (outcomes and outcomes[-1].is_unreachable)


def _run_jobs(
    session: Session,
    jobs: Sequence[Job],
    outcomes: list[FileOutcome],
    parallel: int,
    stops_early: bool,
) -> bool:
    """Run definitions, `parallel` at once. Return True if others may follow."""
    executor = ThreadPoolExecutor(parallel) if parallel > 1 else None
    each: Callable[..., Any] = map if executor is None else executor.map
    goes_on = True
    try:
        for outcome in each(session.run, jobs):
            is_passed = _told(outcome, outcomes)
            if outcome.is_unreachable or (stops_early and not is_passed):
                goes_on = False
                break
        if executor is not None:
            executor.shutdown(cancel_futures=True)
    except KeyboardInterrupt:
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
        raise
    return goes_on


def _told(outcome: FileOutcome, outcomes: list[FileOutcome]) -> bool:
    """Print and keep an outcome. Return True if it is a pass."""
    outcomes.append(outcome)
    say(*outcome.lines, err=outcome.status is ExitStatus.REFUSED)
    return outcome.status is ExitStatus.PASSED


def _cancel_all(session: Session, outcomes: list[FileOutcome]) -> None:
    for outcome in session.cancel_all():
        outcomes.append(outcome)
        say(*outcome.lines)
