"""tsvc pause: stops the starts of a run for a while."""

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.client import Client

PLACE = Place(Heading.STEER, 2)


@click.command(name="pause")
@click.argument("run", shell_complete=held_runs)
@with_client
def command(client: Client, run: str) -> None:
    """Start no more instances of RUN, a load or linear run; those in progress go on.

    See unpause.
    """
    client.pause(run)
    say(f"{run} is paused (tsvc unpause {run})")
