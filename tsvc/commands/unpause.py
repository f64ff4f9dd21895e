"""tsvc unpause: continues a paused run."""

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.client import Client

PLACE = Place(Heading.STEER, 3)


@click.command(name="unpause")
@click.argument("run", shell_complete=held_runs)
@with_client
def command(client: Client, run: str) -> None:
    """Start instances of RUN again; the plan of a linear run shifts by the pause."""
    client.pause(run, paused=False)
    say(f"{run} goes on")
