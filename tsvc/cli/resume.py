"""tsvc resume: let a halted instance go on."""

import click

from tsvc.cli.connection import with_client
from tsvc.client import Client


@click.command(name="resume")
@click.argument("run")
@click.argument("instance")
@with_client
def command(client: Client, run: str, instance: str) -> None:
    """Resume INSTANCE of RUN, which stands at a halt operation."""
    client.resume(run, instance)
    click.echo(f"instance {instance} of {run} goes on")
