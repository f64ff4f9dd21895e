"""tsvc results: lists and shows the results in the archive."""

from datetime import UTC, datetime

import click

from tsvc.cli.options.completion import kept_runs, result_ids
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.options.outputs import Outputs, output_options
from tsvc.cli.terminal.lines import say, say_json
from tsvc.cli.terminal.report import show
from tsvc.client import Archived, Client
from tsvc.results.report import Reported

PLACE = Place(Heading.LOOK, 5)


@click.command(name="results")
@click.argument("run", required=False, shell_complete=kept_runs)
@with_client
@click.option(
    "--id",
    "result_id",
    type=click.IntRange(1),
    shell_complete=result_ids,
    help="Show this result, whole.",
)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@click.option("--before", type=click.IntRange(1), help="List results older than this one.")
@click.option("--name", help="List runs of definitions with this name.")
@click.option("--verdict", type=click.Choice(["pass", "fail", "abort", "cancelled"]))
@click.option("--text", help="List runs with this in id, name or client.")
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
@output_options("html", "junit", "gtest", "csv")
def command(
    client: Client,
    run: str | None,
    result_id: int | None,
    limit: int,
    before: int | None,
    name: str | None,
    verdict: str | None,
    text: str | None,
    is_json: bool,
    outputs: Outputs,
) -> None:
    """List archived results, latest first, of RUN or of all; with --id show one, whole.

    --html and the like write a file about the one that --id names.
    """
    if result_id is None:
        if outputs:
            raise click.UsageError("give the --id of the result to write about")
        found = client.list_results(
            limit, before=before, run_id=run, name=name, verdict=verdict, text=text
        )
        _list(found, is_json=is_json)
        return
    result = client.get_result(result_id, definition=outputs.html is not None)
    if outputs:
        definition = result.raw.get("definition")
        outputs.write(client, [Reported(result.run_id, result, definition=definition)])
    else:
        show(result, is_json=is_json)


def _list(found: list[Archived], *, is_json: bool) -> None:
    if is_json:
        say_json([dict(one.raw) for one in found])
        return
    for one in found:
        say(_line(one))
    if not found:
        say("no results", err=True)


def _line(one: Archived) -> str:
    started = (
        "" if one.time_start is None else f"{datetime.fromtimestamp(one.time_start, UTC):%FT%TZ}"
    )
    seconds = "" if one.duration is None else f" in {one.duration:.1f} s"
    if one.duration and one.counts.started > 1:
        seconds += f" ({one.counts.started / one.duration:.1f} starts/s over all of it)"
    counts = one.counts
    word = one.verdict if one.state == "completed" else one.state
    return (
        f"{one.result_id:>6}  {started}  {one.run_id:<32} {word:<9} {counts.passed} of"
        f" {counts.planned or counts.started} passed, {counts.failed} failed,"
        f" {counts.aborted} aborted{seconds}"
    )
