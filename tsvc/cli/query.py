"""tsvc query: one run, as it is."""

import json

import click

from tsvc.cli.connection import with_client
from tsvc.cli.progress import progress_text
from tsvc.cli.report import status_of, whole_report
from tsvc.client import Client, RunResult


@click.command(name="query")
@click.argument("run")
@with_client
@click.option("--wait", "wait_s", type=click.FloatRange(0, 60), default=0.0, help="Seconds.")
@click.option("--json", "is_json", is_flag=True, help="Print the result as it came.")
def command(client: Client, run: str, wait_s: float, is_json: bool) -> None:
    """Show a Test Run; a completed one is collected by that, and its exit status is ours."""
    result = client.query(run, wait_s)
    show(result, is_json=is_json)
    if result.completed:
        raise click.exceptions.Exit(status_of(result))


def show(result: RunResult, *, is_json: bool) -> None:
    """Print a run: JSON, a report, or where it stands."""
    if is_json:
        click.echo(json.dumps(dict(result.raw), indent=2, ensure_ascii=False))
    elif result.completed:
        click.echo("\n".join(whole_report(result)))
    else:
        click.echo(f"{result.run_id} {result.state}: {progress_text(result)}")
