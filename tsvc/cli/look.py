"""The commands that look at runs the service holds: list, query, watch, trace."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from tsvc.cli.completion import held_runs, kept_runs
from tsvc.cli.connection import with_client
from tsvc.cli.keys import Keys
from tsvc.cli.outputs import write_file
from tsvc.cli.progress import progress, progress_text
from tsvc.cli.refusal import ExitStatus
from tsvc.cli.report import (
    failure_lines,
    fitting_ladder,
    is_narrow,
    status_of,
    summary_lines,
    whole_report,
)
from tsvc.cli.terminal import say, say_json, say_text, show_document
from tsvc.client import Client, RunResult
from tsvc.client.results import read_instance

_INTERRUPTED = 130  # what shells make of SIGINT


@click.command(name="list")
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
def list_runs(client: Client, is_json: bool) -> None:
    """List runs in progress, and completed ones that nobody has collected."""
    runs = client.query_all()
    if is_json:
        say_json([dict(run.raw) for run in runs])
        return
    for run in runs:
        say(_line(run))
    if not runs:
        say("no runs", err=True)


def _line(run: RunResult) -> str:
    counts = run.counts
    seconds = "" if run.duration is None else f" in {run.duration:.1f} s"
    verdict = f" {run.verdict}" if run.completed else ""
    return (
        f"{run.run_id:<32} {run.state:<10}{verdict} {counts.finished} of"
        f" {counts.planned or counts.started} finished, {counts.failed} failed,"
        f" {counts.aborted} aborted{seconds}"
    )


@click.command(name="query")
@click.argument("run", shell_complete=held_runs)
@with_client
@click.option("--wait", "wait_s", type=click.FloatRange(0, 60), default=0.0, help="Seconds.")
@click.option("--look", is_flag=True, help="Collect nothing: the run_id stays taken.")
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def query(client: Client, run: str, wait_s: float, look: bool, is_json: bool) -> None:
    """Show a Test Run; a completed one is collected by that, and its exit status is ours."""
    result = client.query(run, wait_s, collect=not look)
    show(result, is_json=is_json)
    if result.completed:
        raise click.exceptions.Exit(status_of(result))


def show(result: RunResult, *, is_json: bool) -> None:
    """Print a run: JSON, a report, or where it stands."""
    if is_json:
        say_json(dict(result.raw))
    elif result.completed:
        say(*whole_report(result))
    else:
        say(f"{result.run_id} {result.state}: {progress_text(result)}")


@click.command(name="watch")
@click.argument("run", shell_complete=held_runs)
@with_client
def watch(client: Client, run: str) -> None:
    """Watch RUN until it completes, then show its summary; the exit status is the run's.

    Ctrl-C or q leaves the run in progress; + - * / change its rate, p pauses it. Nothing is
    collected by watching: whoever started the run may still query it.
    """
    try:
        keys = Keys(client, run, "leave it")
        with progress(run, keys=keys) as (show, interval_s):
            result = client.wait(run, show, interval_s=interval_s, collect=False)
    except KeyboardInterrupt:
        say(f"run {run} goes on", err=True)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    lines = [*failure_lines(result), *summary_lines(result)]
    say(*lines[1 if lines[0] == "" else 0 :])
    raise click.exceptions.Exit(status_of(result))


@click.command(name="trace")
@click.argument("run", shell_complete=kept_runs)
@with_client
@click.option(
    "--format",
    "format_",
    type=click.Choice(["ladder", "text", "json", "svg", "pcap", "definition"]),
    default="ladder",
    show_default=True,
)
@click.option("--instance", default="0", show_default=True, help="Which instance of the run.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, not to stdout.",
)
def trace(client: Client, run: str, format_: str, instance: str, output: Path | None) -> None:
    """Show the messages of an instance of RUN.

    A definition sends what the tester sent and expects what came, in full, as tsvc record makes it
    of a capture; exit status 1 if it lacks something, which is told.
    """
    if format_ == "pcap" and output is None and sys.stdout.isatty():
        raise click.UsageError("pcap is not for a terminal: give -o FILE")
    if format_ == "ladder" and output is None and is_narrow():
        found = read_instance(client.trace(run, "json", instance))
        say_text(fitting_ladder(found))
        return
    lacks: list[str] = []
    if format_ == "definition":
        # Imported here: who lists runs needs none of it.
        from tsvc.cli.record import definition_of_instance

        text, lacks = definition_of_instance(client, run, instance)
        octets = text.encode()
    else:
        octets = _octets(client.trace(run, format_, instance))
    if output is not None:
        write_file(output, octets)
    else:
        show_document(octets, "json" if format_ == "definition" else format_)
    say(*(f"lacks: {problem}" for problem in lacks), err=True)
    if lacks:
        raise click.exceptions.Exit(ExitStatus.FAILED)


def _octets(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return text.encode()
