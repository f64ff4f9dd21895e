"""tsvc trend: the numbers of a definition from run to run, from the archive."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import median
from typing import Any, NamedTuple

import click

from tsvc.cli.options.completion import names
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client, RunResult
from tsvc.results.compare import MEASURES, Measure, number_of
from tsvc.results.report import verdict_of
from tsvc.words import did_you_mean

PLACE = Place(Heading.LOOK, 7)

_USUAL = ("passed", "failed", "achieved_cps", "service_p50_ms", "service_p99_ms")
_BY_NAME = {one.name: one for one in MEASURES}
_BLOCKS = "▁▂▃▄▅▆▇█"
_COLOURS = {"pass": "green", "fail": "red", "abort": "magenta"}


class _Row(NamedTuple):
    """One run: its result_id, its start in seconds since 1970, its verdict, its numbers."""

    result_id: int
    began: float | None
    verdict: str
    values: tuple[float | None, ...]


@click.command(name="trend")
@click.argument("name", shell_complete=names)
@with_client
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    default=_USUAL,
    help=f"A number to follow, as thresholds name it; may be given again. [{', '.join(_USUAL)}]",
)
@click.option(
    "--limit", type=click.IntRange(1, 200), default=20, show_default=True, help="Latest runs."
)
@click.option("--json", "is_json", is_flag=True, help="Print the numbers as JSON.")
def command(
    client: Client, name: str, metrics: tuple[str, ...], limit: int, is_json: bool
) -> None:
    """Show how the numbers of the definition NAME went, from its oldest run to its latest.

    Below them, what changed: the latest against the median of those before.
    """
    measures = [_measure(one) for one in metrics]
    rows = [
        _row(one.result_id, client.get_result(one.result_id), measures)
        for one in client.list_results(limit, name=name)
        if one.state == "completed"
    ]
    rows.reverse()
    if not rows:
        there = sorted({one.raw.get("name") or "" for one in client.list_results(200)} - {""})
        hint = did_you_mean(name, there) or (f"; it has {', '.join(there)}" if there else "")
        say(f"the archive has no completed run of a definition named {name!r}{hint}", err=True)
        raise click.exceptions.Exit(ExitStatus.FAILED)
    if is_json:
        say_json([_as_json(row, measures) for row in rows])
        return
    say(*_table(rows, measures), "", *_changes(rows, measures))


def _measure(name: str) -> Measure:
    found = _BY_NAME.get(name)
    if found is None:
        hint = did_you_mean(name, _BY_NAME)
        raise click.UsageError(f"--metric {name}: no number of a result has that name{hint}")
    return found


def _row(result_id: int, result: RunResult, measures: Sequence[Measure]) -> _Row:
    values = tuple(number_of(result.raw, one) for one in measures)
    return _Row(result_id, result.time_start, verdict_of(result), values)


def _as_json(row: _Row, measures: Sequence[Measure]) -> dict[str, Any]:
    values = {one.name: value for one, value in zip(measures, row.values, strict=True)}
    began = None if row.began is None else _moment(row.began)
    return {"result_id": row.result_id, "time_start": began, "verdict": row.verdict, **values}


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%FT%TZ}"


def _table(rows: Sequence[_Row], measures: Sequence[Measure]) -> Iterator[str]:
    heads = ("result", "began", "verdict", *(one.name for one in measures))
    cells = [
        (
            str(row.result_id),
            "" if row.began is None else _moment(row.began),
            row.verdict,
            *map(_shown, row.values),
        )
        for row in rows
    ]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    for line in (heads, *cells):
        padded = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        padded[2] = style(line[2].ljust(widths[2]), _COLOURS.get(line[2]))
        yield "  ".join(padded)


def _changes(rows: Sequence[_Row], measures: Sequence[Measure]) -> Iterator[str]:
    """Yield a line for each number: its course, and the latest value against the median before."""
    width = max(len(one.name) for one in measures)
    for at, measure in enumerate(measures):
        values = [row.values[at] for row in rows]
        unit = f" {measure.unit}" if measure.unit else ""
        yield f"{measure.name:<{width}}  {_course(values)}  {_change(values, unit)}".rstrip()


def _course(values: Sequence[float | None]) -> str:
    """Return values as a line of blocks; the height shows the value, a point a missing value."""
    known = [value for value in values if value is not None]
    if not known:
        return "·" * len(values)
    low, span = min(known), max(known) - min(known)
    top = len(_BLOCKS) - 1
    return "".join(
        "·" if value is None else _BLOCKS[round((value - low) / span * top) if span else 0]
        for value in values
    )


def _change(values: Sequence[float | None], unit: str) -> str:
    *before, latest = values
    known = [value for value in before if value is not None]
    if latest is None or not known:
        return ""
    usual = median(known)
    if latest == usual:
        return f"{_shown(latest)}{unit}, as before"
    share = f" ({100 * (latest - usual) / abs(usual):+.1f} %)" if usual else ""
    return f"{_shown(latest)}{unit}, before {_shown(usual)}{share}"


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}".rstrip("0").rstrip(".")
