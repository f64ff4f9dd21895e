"""tsvc watch: a run that somebody started, live until it is over."""

import click

from tsvc.cli.connection import with_client
from tsvc.cli.progress import progress
from tsvc.cli.report import failure_lines, status_of, summary_lines
from tsvc.client import Client

_INTERRUPTED = 130  # what shells make of SIGINT


@click.command(name="watch")
@click.argument("run")
@with_client
def command(client: Client, run: str) -> None:
    """Watch RUN until it completes, then show its summary; the exit status is the run's.

    Ctrl-C leaves the run in progress. A completed run is collected by that; the archive keeps
    its result.
    """
    try:
        with progress(run) as (show, interval_s):
            result = client.wait(run, show, interval_s=interval_s)
    except KeyboardInterrupt:
        click.echo(f"run {run} goes on", err=True)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    click.echo("\n".join([*failure_lines(result), *summary_lines(result)]).lstrip("\n"))
    raise click.exceptions.Exit(status_of(result))
