"""tsvc cancel: ends a run in progress."""

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.report import show
from tsvc.client import Client

PLACE = Place(Heading.STEER, 5)


@click.command(name="cancel")
@click.argument("run", shell_complete=held_runs)
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def command(client: Client, run: str, is_json: bool) -> None:
    """Cancel a Test Run and show its result."""
    result = client.cancel(run)
    if not result.raw.get("cancelled"):
        say(f"{run} had completed already", err=True)
    show(result, is_json=is_json)
