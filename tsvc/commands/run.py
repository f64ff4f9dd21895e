"""tsvc run: runs definitions through a service, with progress, and a report for each."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import click

from tsvc.cli.definition_file.cases import cases_of, label_of, with_case
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.load import expand, load_definition, read_definition
from tsvc.cli.options.connection import CONNECTION, with_client
from tsvc.cli.options.grouped_help import GroupedOptions, Heading, Place, Sections
from tsvc.cli.options.outputs import Done, Outputs, output_options, reported
from tsvc.cli.runs.baseline import read_baseline, tolerance_option
from tsvc.cli.runs.load_options import check_vars, params_of
from tsvc.cli.runs.session import FileOutcome, Interrupted, Session, run_all
from tsvc.cli.runs.suite import (
    Annotation,
    Job,
    repeated,
    selected,
    suite_line,
)
from tsvc.cli.terminal.lines import plain, say
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.cli.terminal.report import (
    verdict_line,
    worst_of,
)
from tsvc.client import Client
from tsvc.results.report import Reported, bad_checks

PLACE = Place(Heading.RUN, 1)

_PATH = click.Path(exists=True, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FORMS = ("html", "junit", "gtest", "csv", "json", "pcap")
_POSITIVE = click.FloatRange(min=0, min_open=True)


class _Run(GroupedOptions):
    sections: ClassVar[Sections] = {
        "Which service": [*CONNECTION, "embedded", "config", "flows", "force_flow"],
        "How many, how fast": [
            *("cps", "ramp", "stage", "backlog", "total", "max_seconds", "keep_rate"),
            *("warm_up", "workers", "seed", "settings"),
        ],
        "Which of several files, and how often": [
            *("expression", "tags", "stops_early", "retries", "repeat", "parallel"),
        ],
        "What counts as passed": [
            *("strict", "threshold", "allow_failed", "allow_aborted"),
            *("baseline", "tolerance", "accepts"),
        ],
        "What is shown": ["quiet", "trace", "shows_globals", "github"],
        "Files written": [*(f"{name}_file" for name in _FORMS), "junit_cases"],
    }


@click.command(name="run", cls=_Run)
@click.argument("files", nargs=-1, required=True, type=_PATH)
@with_client
@click.option("--cps", type=_POSITIVE, help="Calls started per second: a linear load.")
@click.option("--backlog", type=click.IntRange(1), help="Most calls in progress at once.")
@click.option("--ramp", type=click.FloatRange(0), help="Seconds from rate 0 to --cps.")
@click.option(
    "--stage",
    multiple=True,
    help="A rate for some time, such as 100/30s, in place of --cps; several follow each other. "
    "200/60s:ramp rises or falls to it all the time, 200/60s:ramp=10s for 10 s.",
)
@click.option("--total", type=click.IntRange(1), help="Calls in all.")
@click.option("--max-seconds", type=_POSITIVE, help="Start no calls after this long.")
@click.option("--keep-rate", help="Fail if fewer of the planned starts are on time: 99%.")
@click.option(
    "--warm-up",
    type=click.FloatRange(0),
    help="Seconds at the beginning whose calls count and are not measured.",
)
@click.option("--workers", help="Processes that play it: all, a number, or names: w1,w2.")
@click.option("--seed", type=int, help="Seed of every random choice, to repeat a run.")
@click.option("--trace", type=click.IntRange(0, 3), help="Trace level of the first instance.")
@click.option("--var", "settings", multiple=True, help="Set a var: NAME=TEXT or NAME:=JSON.")
@click.option(
    "--flow",
    "flows",
    multiple=True,
    type=_FILE,
    help="Flow that the embedded SCP runs for what has none; several with --embedded.",
)
@click.option("--force-flow", is_flag=True, help="Let --flow go before a definition's own.")
@click.option(
    "--threshold",
    multiple=True,
    help="As service_p99_ms<=50, failed<=1%, operations[7].max_ms<200; missed: status 4. With "
    "'abort 3' behind it, 3 s of that end the run.",
)
@click.option(
    "--allow-failed",
    help="How many instances of a load may fail: 1%, or a number. See --threshold.",
)
@click.option("--allow-aborted", help="The same of instances that are aborted: 0.1%.")
@click.option("--parallel", type=click.IntRange(1), default=1, help="Files run at once.")
@click.option(
    "--strict/--no-strict",
    default=None,
    help="Whether a warning refuses a definition [as the file says, else strict].",
)
@output_options(*_FORMS)
@click.option("--globals", "shows_globals", is_flag=True, help="Show $g at the end.")
@click.option("--quiet", is_flag=True, help="One line for each file.")
@click.option("--embedded", is_flag=True, help="Start a private daemon for this run.")
@click.option(
    "--config",
    type=_FILE,
    help="Configuration of the private daemon: its gateways and flows. Its port and its folder "
    "are its own, whatever the file says.",
)
@click.option(
    "--baseline", type=_FILE, help="Compare with what --json has written; see --tolerance."
)
@tolerance_option
@click.option("-k", "expression", metavar="EXPR", help="Run what has these words in its name.")
@click.option("--tag", "tags", multiple=True, help="Run what has this tag, or one of several.")
@click.option("-x", "stops_early", is_flag=True, help="Stop at the first that does not pass.")
@click.option("--retries", type=click.IntRange(0), default=0, help="Attempts after a failed one.")
@click.option("--repeat", type=click.IntRange(1), default=1, help="Run all of it so often.")
@click.option(
    "--accept",
    "accepts",
    is_flag=True,
    help="Write what came into the files as what is expected, and run them again.",
)
@click.option("--github", is_flag=True, help="Tell of failures as annotations of GitHub.")
def command(
    client: Client,
    files: tuple[Path, ...],
    parallel: int,
    outputs: Outputs,
    shows_globals: bool,
    quiet: bool,
    embedded: bool,
    config: Path | None,
    flows: tuple[Path, ...],
    baseline: Path | None,
    tolerance: float,
    expression: str | None,
    tags: tuple[str, ...],
    stops_early: bool,
    retries: int,
    repeat: int,
    accepts: bool,
    github: bool,
    **options: Any,
) -> None:
    """Run test definitions: files, or directories of them.

    Exit status 0: all passed, 1: a check failed, 2: usage, 3: aborted or cancelled,
    4: a threshold was missed, 5: refused or unreachable, 6: worse than the baseline.

    On a terminal, + - * / change the rate, p pauses, q cancels, as Ctrl-C does.
    """
    if accepts and (repeat > 1 or parallel > 1):
        raise click.UsageError("--accept changes files: it goes with no --repeat or --parallel")
    if len(flows) > 1 and (not embedded or options["force_flow"]):
        raise click.UsageError("several --flow go with --embedded, and without --force-flow")
    if config is not None and (not embedded or len(flows) > 1):
        raise click.UsageError("--config goes with --embedded, and several flows are named in it")
    options["flow"] = flows[0] if len(flows) == 1 else None
    known = None if baseline is None else read_baseline(baseline, tolerance)
    paths = list(expand(files))
    chosen, left_out = selected(_read_all(paths, options), expression, tags)
    if not chosen:
        raise click.UsageError(f"none of {left_out} definitions is selected")
    if known is not None:
        known.check([label_of(job.path, job.case) for job in chosen])
    jobs = list(repeated(chosen, repeat))
    if options.get("settings"):
        check_vars(options["settings"], map(read_definition, paths))
    if outputs.pcap is not None and len(jobs) != 1:
        raise click.UsageError("--pcap takes one FILE")
    if accepts and any(job.case for job in jobs):
        raise click.UsageError("--accept changes what all cases expect: run it without `cases`")
    has_flows = bool(flows) or config is not None
    if embedded and not has_flows and not all("flow" in job.params for job in jobs):
        say("note: the embedded SCP answers nothing without --flow", err=True)
    with _service(client, embedded, flows if len(flows) > 1 else (), config) as used:
        session = Session(used, quiet, shows_globals, None if parallel == 1 else False)
        session.baseline, session.retries, session.accepts = known, retries, accepts
        try:
            outcomes = run_all(session, jobs, parallel, stops_early=stops_early)
        except Interrupted as stop:
            outputs.write(used, _reported(stop.outcomes))
            raise
        outputs.write(used, _reported(outcomes))
    if len(jobs) > 1 or left_out:
        statuses = [(one.label, one.status) for one in outcomes]
        say(suite_line(statuses, left_out, len(jobs) - len(outcomes)))
    if github:
        say(*(line for one in outcomes for line in _annotations(one)))
    raise click.exceptions.Exit(worst_of(one.status for one in outcomes))


def _read_all(paths: Sequence[Path], options: Mapping[str, Any]) -> list[Job]:
    """Return the jobs of all files. Errors: FileProblem, about all files that can't be read."""
    found, problems = [], []
    for path in paths:
        try:
            definition = load_definition(path)
            wanted = [
                (with_case(definition.params, one, path.stem), one.name)
                for one in cases_of(definition)
            ]
            for params, case in wanted or [(definition.params, "")]:
                found.append(Job(path, params_of(path, given=params, **options), case))
        except FileProblem as problem:
            problems.append(problem.format_message())
    if problems:
        raise FileProblem("\n".join(problems))
    return found


@contextmanager
def _service(
    client: Client, is_embedded: bool, flows: Sequence[Path], config: Path | None
) -> Iterator[Client]:
    if not is_embedded:
        yield client
        return
    from tsvc.cli.embedded import PrivateDaemon

    with PrivateDaemon(flows=flows, config=config) as daemon:
        yield daemon.client()


def _reported(outcomes: Sequence[FileOutcome]) -> list[Reported]:
    return reported(
        Done(one.path, one.result, one.refusal, one.definition, one.case) for one in outcomes
    )


def _annotations(outcome: FileOutcome) -> Iterator[str]:
    """Yield a GitHub annotation for each problem of a definition, at its position in the file."""
    if outcome.status is ExitStatus.PASSED:
        return
    title = f"{outcome.label} {outcome.status.name.lower()}"
    if outcome.result is None:
        yield Annotation(str(outcome.path), title, outcome.refusal).line()
        return
    place = load_definition(outcome.path).place
    first = outcome.result.first_call
    for check in bad_checks(first) if first is not None else ():
        found = place(f"operations[{check.op}]") or str(outcome.path)
        yield Annotation(found, title, f"{check.type}: {check.text}").line()
    yield Annotation(str(outcome.path), title, plain(verdict_line(outcome.result))).line()
