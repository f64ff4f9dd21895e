"""tsvc unpause: starts go on after tsvc pause."""

import click

from tsvc.cli.connection import with_client
from tsvc.client import Client


@click.command(name="unpause")
@click.argument("run")
@with_client
def command(client: Client, run: str) -> None:
    """Start instances of RUN again; the plan of a linear run shifts by the pause."""
    client.pause(run, paused=False)
    click.echo(f"{run} goes on")
