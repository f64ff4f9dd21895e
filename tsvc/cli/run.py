"""tsvc run: definitions through a service, with progress, and a report for each."""

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tsvc.cli.connection import with_client
from tsvc.cli.definition_file import FileProblem, expand, read_definition, read_document
from tsvc.cli.load_options import LoadOptions, distribution_of, thresholds_of, vars_of
from tsvc.cli.progress import progress
from tsvc.cli.refusal import ExitStatus, refusal_lines
from tsvc.cli.report import (
    failure_lines,
    status_of,
    summary_lines,
    verdict_line,
    whole_report,
    worst_of,
)
from tsvc.client import Client, RunResult, TsvcError, Unreachable, new_run_id

_PATH = click.Path(exists=True, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_OUT = click.Path(dir_okay=False, writable=True, path_type=Path)
_POSITIVE = click.FloatRange(min=0, min_open=True)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one definition file; without a result it was refused."""

    path: Path
    status: ExitStatus
    lines: tuple[str, ...]
    result: RunResult | None = None


@dataclass(slots=True)
class Session:
    """What all the files of one command share; `run_ids` are those in progress.

    A brief report is the summary alone, a quiet one its first line.
    """

    client: Client
    is_quiet: bool = False
    shows_globals: bool = False
    is_live: bool | None = None
    is_brief: bool = False
    run_ids: set[str] = field(default_factory=set)

    def run(self, path: Path, params: dict[str, Any]) -> Outcome:
        """Run one definition to its end. Blocks: that long."""
        run_id = new_run_id(path.stem)
        self.run_ids.add(run_id)  # before it is started: Ctrl-C may come at any moment
        try:
            outcome = self.outcome(path, self._run(path, params, run_id))
        except (TsvcError, Unreachable) as error:
            lines = (str(path), *(refusal_lines(error) or ()))
            outcome = Outcome(path, ExitStatus.REFUSED, lines)
        self.run_ids.discard(run_id)
        return outcome

    def outcome(self, path: Path, result: RunResult) -> Outcome:
        """Return the outcome that a result stands for."""
        if self.is_quiet:
            return Outcome(path, status_of(result), (f"{path}: {verdict_line(result)}",), result)
        if self.is_brief:
            lines = [*failure_lines(result), *summary_lines(result), ""]
        else:
            lines = [*whole_report(result, shows_globals=self.shows_globals), ""]
        return Outcome(path, status_of(result), (str(path), *lines), result)

    def cancel_all(self) -> Iterator[RunResult]:
        """Cancel what is in progress and yield the results."""
        for run_id in sorted(self.run_ids):
            try:
                yield self.client.cancel(run_id)
            except (TsvcError, Unreachable) as error:
                click.echo(f"run {run_id} is not cancelled: {error}", err=True)

    def _run(self, path: Path, params: dict[str, Any], run_id: str) -> RunResult:
        self.client.execute(params, run_id)
        if self.is_quiet:
            return self.client.wait(run_id)
        with progress(path.name, is_live=self.is_live) as (show, interval_s):
            return self.client.wait(run_id, show, interval_s=interval_s)


@click.command(name="run")
@click.argument("files", nargs=-1, required=True, type=_PATH)
@with_client
@click.option("--cps", type=_POSITIVE, help="Calls started per second: a linear load.")
@click.option("--backlog", type=click.IntRange(1), help="Most calls in progress at once.")
@click.option("--ramp", type=click.FloatRange(0), help="Seconds from rate 0 to --cps.")
@click.option("--total", type=click.IntRange(1), help="Calls in all.")
@click.option("--max-seconds", type=_POSITIVE, help="Start no calls after this long.")
@click.option("--seed", type=int, help="Seed of every random choice, to repeat a run.")
@click.option("--trace", type=click.IntRange(0, 3), help="Trace level of the first instance.")
@click.option("--var", "settings", multiple=True, help="Set a var: NAME=TEXT or NAME:=JSON.")
@click.option("--flow", type=_FILE, help="Flow document that the embedded SCP runs.")
@click.option("--threshold", multiple=True, help="As service_p99_ms<=50; missed: status 4.")
@click.option("--parallel", type=click.IntRange(1), default=1, help="Files run at once.")
@click.option("--json", "json_file", type=_OUT, help="Write the results to this file.")
@click.option("--pcap", type=_OUT, help="Write the messages of the first instance, of one FILE.")
@click.option("--globals", "shows_globals", is_flag=True, help="Show $g at the end.")
@click.option("--quiet", is_flag=True, help="One line for each file.")
@click.option("--embedded", is_flag=True, help="Start a daemon of our own for this.")
def command(
    client: Client,
    files: tuple[Path, ...],
    parallel: int,
    json_file: Path | None,
    pcap: Path | None,
    shows_globals: bool,
    quiet: bool,
    embedded: bool,
    **options: Any,
) -> None:
    """Run test definitions: files, or directories of them.

    Exit status 0: all passed, 1: a check failed, 2: usage, 3: aborted or cancelled,
    4: a threshold was missed, 5: refused or unreachable.
    """
    jobs = [(path, params_of(path, **options)) for path in expand(files)]
    if pcap is not None and len(jobs) != 1:
        raise click.UsageError("--pcap takes one FILE")
    if embedded and not all("flow" in params for _, params in jobs):
        click.echo("note: the embedded SCP answers nothing without --flow", err=True)
    with _service(client, embedded) as used:
        session = Session(used, quiet, shows_globals, None if parallel == 1 else False)
        outcomes = run_all(session, jobs, parallel)
        if pcap is not None and outcomes[0].result is not None:
            octets = used.trace(outcomes[0].result.run_id, "pcap")
            write_file(pcap, lambda: pcap.write_bytes(octets))
    if json_file is not None:
        text = json.dumps({"runs": [_as_json(one) for one in outcomes]}, indent=2)
        write_file(json_file, lambda: json_file.write_text(text + "\n", "utf-8"))
    if len(outcomes) > 1:
        click.echo(_suite_line(outcomes))
    raise click.exceptions.Exit(worst_of(one.status for one in outcomes))


def params_of(
    path: Path,
    *,
    cps: float | None = None,
    backlog: int | None = None,
    ramp: float | None = None,
    total: int | None = None,
    max_seconds: float | None = None,
    seed: int | None = None,
    trace: int | None = None,
    settings: Sequence[str] = (),
    flow: Path | None = None,
    threshold: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the params of ExecuteTest: the file with the options over it."""
    params = read_definition(path)
    load = LoadOptions(cps, backlog, ramp, total, max_seconds)
    distribution = distribution_of(load, params.get("distribution"))
    members = {
        "distribution": distribution,
        "seed": seed,
        "trace_level": trace,
        "flow": None if flow is None else read_document(flow),
    }
    params |= {name: value for name, value in members.items() if value is not None}
    if settings:
        given = params.get("vars")
        params["vars"] = {**(given if isinstance(given, dict) else {}), **vars_of(settings)}
    if threshold:
        given = params.get("thresholds")
        params["thresholds"] = [
            *(given if isinstance(given, list) else []),
            *thresholds_of(threshold),
        ]
    return params


def run_all(
    session: Session, jobs: Sequence[tuple[Path, dict[str, Any]]], parallel: int = 1
) -> list[Outcome]:
    """Run the files, print each report, and return the outcomes in order.

    Blocks: until all are over; Ctrl-C cancels what is in progress and ends with status 3.
    """
    outcomes: list[Outcome] = []
    executor = ThreadPoolExecutor(parallel) if parallel > 1 else None
    each: Callable[..., Any] = map if executor is None else executor.map
    try:
        for outcome in each(lambda job: session.run(*job), jobs):
            outcomes.append(outcome)
            click.echo("\n".join(outcome.lines), err=outcome.status is ExitStatus.REFUSED)
    except KeyboardInterrupt:
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)
        for result in session.cancel_all():
            click.echo("\n".join(session.outcome(Path(result.run_id), result).lines))
        raise click.exceptions.Exit(ExitStatus.ABORTED) from None
    return outcomes


def write_file(path: Path, write: Callable[[], object]) -> None:
    """Write a file that the user named. Errors: FileProblem."""
    try:
        write()
    except OSError as error:
        raise FileProblem(f"{path}: {error.strerror}") from None


@contextmanager
def _service(client: Client, is_embedded: bool) -> Iterator[Client]:
    if not is_embedded:
        yield client
        return
    from tsvc.cli.embedded import PrivateDaemon

    with PrivateDaemon() as daemon:
        yield daemon.client()


def _as_json(outcome: Outcome) -> dict[str, Any]:
    result = None if outcome.result is None else outcome.result.raw
    return {"file": str(outcome.path), "status": outcome.status.name.lower(), "result": result}


def _suite_line(outcomes: Sequence[Outcome]) -> str:
    passed = sum(one.status is ExitStatus.PASSED for one in outcomes)
    others = [f"{one.path} {one.status.name.lower()}" for one in outcomes if one.status]
    return "; ".join([f"{passed} of {len(outcomes)} files passed", *others])
