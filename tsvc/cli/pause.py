"""tsvc pause: no starts for a while."""

import click

from tsvc.cli.connection import with_client
from tsvc.client import Client


@click.command(name="pause")
@click.argument("run")
@with_client
def command(client: Client, run: str) -> None:
    """Start no more instances of RUN, a load or linear run; those in progress go on.

    See unpause.
    """
    client.pause(run)
    click.echo(f"{run} is paused (tsvc unpause {run})")
