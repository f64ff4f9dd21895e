"""tsvc list: the runs that the service holds."""

import click

from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_json
from tsvc.client import Client, RunResult

PLACE = Place(Heading.LOOK, 1)


@click.command(name="list")
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
def command(client: Client, is_json: bool) -> None:
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
