"""tsvc compare: two results side by side."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.runs.baseline import results_in, tolerance_option
from tsvc.cli.terminal.lines import say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client
from tsvc.results.compare import compare, worse

PLACE = Place(Heading.LOOK, 6)

_SHORT = 200  # characters of a cause or a check


@click.command(name="compare")
@click.argument("a")
@click.argument("b")
@with_client
@tolerance_option
@click.option("--json", "is_json", is_flag=True, help="Print the comparison as CompareResults.")
def command(client: Client, a: str, b: str, tolerance: float, is_json: bool) -> None:
    """Compare two results, B against A: each a result_id of the archive, or a FILE that
    `tsvc run --json` has written. Files of several runs are compared by the names of their
    definitions.

    Exit status 0: B is no worse, 6: it is worse by more than --tolerance.
    """
    first, second = _named(client, a), _named(client, b)
    pairs = _pairs(first, second)
    if not pairs:
        raise click.UsageError(f"{a} and {b} have no definition in common")
    found = [(name, compare(was, now)) for name, was, now in pairs]
    if is_json:
        say_json([{"name": name, **one} for name, one in found])
    status = ExitStatus.PASSED
    for name, one in found:
        lines = worse(one, tolerance)
        if lines:
            status = ExitStatus.WORSE
        if not is_json:
            say(*_report(name, one, lines), "")
    raise click.exceptions.Exit(status)


def _named(client: Client, what: str) -> dict[str, Mapping[str, Any]]:
    """Return results by name, from the archive or from a file. Errors: UsageError, FileProblem."""
    if Path(what).is_file():
        return {name: result for name, result in results_in(Path(what)) if result is not None}
    if not (what.isascii() and what.isdigit()):
        raise click.UsageError(f"{what} is neither a file nor a result_id (tsvc results)")
    result = client.get_result(int(what))
    return {result.run_id: result.raw}


def _pairs(
    a: Mapping[str, Mapping[str, Any]], b: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Return (name, result of a, result of b) for equal names, or for the only results."""
    if len(a) == len(b) == 1:
        ((was_name, was),), ((name, now),) = a.items(), b.items()
        shown = name if name == was_name else f"{was_name} and {name}"
        return [(shown, was, now)]
    return [(name, a[name], b[name]) for name in a if name in b]


def _report(name: str, found: Mapping[str, Any], lost: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a comparison."""
    yield style(name, "bold")
    verdict = found["verdict"]
    yield f"  verdict    {verdict['a']}, {verdict['b']}"
    rows = [("", "A", "B", "change")]
    for one in found["metrics"]:
        if one["a"] is None and one["b"] is None:
            continue
        unit = f" ({one['unit']})" if one["unit"] else ""
        rows.append((one["name"] + unit, _shown(one["a"]), _shown(one["b"]), _change(one)))
    for one in found["operations"]:
        label = f"operations[{one['op']}] {one['name']} p99 (ms)"
        rows.append((label, _shown(one["a_p99_ms"]), _shown(one["b_p99_ms"]), _change(one)))
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        yield f"  {row[0]:<{widths[0]}}  {'  '.join(numbers)}".rstrip()
    for one in found["thresholds"]:
        met = " became ".join(_met(one[side]) for side in ("a", "b"))
        yield f"  threshold  {one['metric']} {one['op']} {one['value']:g}: {met}"
    for one in found["failures"]:
        yield f"  cause      {one['a']} became {one['b']}: {one['state']}: {_cut(one['cause'])}"
    check = found["check"]
    if check is not None:
        yield f"  first check that differs, {check['index']}:"
        for side in ("a", "b"):
            one = check[side]
            text = "none" if one is None else f"{one['level']} {_cut(one['text'])}"
            yield f"    {side.upper()}  {text}"
    yield from (f"  {style('worse', 'red')}      {line}" for line in lost)


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:,.3f}".rstrip("0").rstrip(".")


def _change(one: Mapping[str, Any]) -> str:
    if not one["delta"]:
        return ""
    return f"{one['delta']:+.3f}" if one["percent"] is None else f"{one['percent']:+.1f} %"


def _met(is_met: bool | None) -> str:
    return {None: "none", True: "met", False: "missed"}[is_met]


def _cut(text: str) -> str:
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"
