"""tsvc cancel: end a run in order."""

import click

from tsvc.cli.connection import with_client
from tsvc.cli.query import show
from tsvc.client import Client


@click.command(name="cancel")
@click.argument("run")
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def command(client: Client, run: str, is_json: bool) -> None:
    """Cancel a Test Run and show its result."""
    result = client.cancel(run)
    if not result.raw.get("cancelled"):
        click.echo(f"{run} had completed already", err=True)
    show(result, is_json=is_json)
