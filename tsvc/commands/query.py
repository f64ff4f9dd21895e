"""tsvc query: shows the progress of a run, or its result."""

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.report import show, status_of
from tsvc.client import Client

PLACE = Place(Heading.LOOK, 3)


@click.command(name="query")
@click.argument("run", shell_complete=held_runs)
@with_client
@click.option("--wait", "wait_s", type=click.FloatRange(0, 60), default=0.0, help="Seconds.")
@click.option("--look", is_flag=True, help="Collect nothing: the run_id stays taken.")
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def command(client: Client, run: str, wait_s: float, look: bool, is_json: bool) -> None:
    """Show a Test Run; a completed one is collected by that, and its exit status is ours."""
    result = client.query(run, wait_s, collect=not look)
    show(result, is_json=is_json)
    if result.completed:
        raise click.exceptions.Exit(status_of(result))
