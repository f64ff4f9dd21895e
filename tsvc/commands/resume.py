"""tsvc resume: lets a halted instance continue."""

import click

from tsvc.cli.options.completion import halted_instances, held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.client import Client

PLACE = Place(Heading.STEER, 4)


@click.command(name="resume")
@click.argument("run", shell_complete=held_runs)
@click.argument("instance", shell_complete=halted_instances)
@with_client
def command(client: Client, run: str, instance: str) -> None:
    """Resume INSTANCE of RUN, which stands at a halt operation."""
    client.resume(run, instance)
    say(f"instance {instance} of {run} goes on")
