"""tsvc watch: shows a run live until its end."""

import click

from tsvc.cli.options.completion import held_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.keys import Keys
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.progress import progress
from tsvc.cli.terminal.report import failure_lines, status_of, summary_lines
from tsvc.client import Client

PLACE = Place(Heading.LOOK, 2)
_INTERRUPTED = 130  # the exit status that shells use for SIGINT


@click.command(name="watch")
@click.argument("run", shell_complete=held_runs)
@with_client
def command(client: Client, run: str) -> None:
    """Watch RUN until it completes, then show its summary; the exit status is the run's.

    Ctrl-C or q leaves the run in progress; + - * / change its rate, p pauses it. Nothing is
    collected by watching: whoever started the run may still query it.
    """
    try:
        keys = Keys(client, run, "leave it")
        with progress(run, keys=keys) as (show, interval_s):
            result = client.wait(run, show, interval_s=interval_s, collect=False)
    except KeyboardInterrupt:
        say(f"run {run} goes on", err=True)
        raise click.exceptions.Exit(_INTERRUPTED) from None
    lines = [*failure_lines(result), *summary_lines(result)]
    say(*lines[1 if lines[0] == "" else 0 :])
    raise click.exceptions.Exit(status_of(result))
