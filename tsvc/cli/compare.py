"""tsvc compare, and what `tsvc run --baseline` says: two results side by side."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tsvc.cli.connection import with_client
from tsvc.cli.document import FileProblem
from tsvc.cli.refusal import ExitStatus
from tsvc.cli.terminal import say, say_json, style
from tsvc.client import Client, RunResult
from tsvc.errors import reason
from tsvc.results.compare import compare, worse
from tsvc.values import dataclass

_SHORT = 200  # characters of a cause or a check


class Tolerance(click.ParamType[float]):
    """A share, as 10% or 0.1."""

    name = "share"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the share as a number, 0.1 for 10%."""
        if isinstance(value, float):
            return value
        text = str(value)
        try:
            share = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            share = -1.0
        if not 0 <= share < float("inf"):
            self.fail(f"{text!r} is no share: write 10% or 0.1", param, ctx)
        return share


tolerance_option = click.option(
    "--tolerance",
    type=Tolerance(),
    default="10%",
    show_default=True,
    help="By how much a number may be worse.",
)


@dataclass(frozen=True, slots=True)
class Baseline:
    """Results to compare with, by the names of their files, and how much worse is still well."""

    path: Path
    results: Mapping[str, Mapping[str, Any]]
    tolerance: float

    def judge(self, file: str, result: RunResult) -> tuple[ExitStatus, list[str]]:
        """Return WORSE if a result is worse than its baseline, and the lines that say in what."""
        was = self.results.get(file)
        if was is None:
            return ExitStatus.PASSED, [f"  baseline   {self.path} has no result of {file}"]
        found = worse(compare(was, result.raw), self.tolerance)
        if not found:
            return ExitStatus.PASSED, [f"  baseline   no worse than {self.path}"]
        return ExitStatus.WORSE, [f"  {style('worse', 'red')}      {line}" for line in found]


def read_baseline(path: Path, tolerance: float) -> Baseline:
    """Read what `tsvc run --json` has written. Errors: FileProblem."""
    found = {file: result for file, result in _results_in(path) if result is not None}
    if not found:
        raise FileProblem(f"{path}: there is no result in it")
    return Baseline(path, found, tolerance)


def _results_in(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yield the name and result of each run in a file. Errors: FileProblem."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None
    except ValueError as error:
        raise FileProblem(f"{path}: {error}") from None
    if isinstance(document, dict) and "verdict" in document and "counts" in document:
        yield str(document.get("run_id", path)), document  # one result, as GetResult has it
        return
    runs = document.get("runs") if isinstance(document, dict) else None
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise FileProblem(f"{path} is not what `tsvc run --json` writes")
    for run in runs:
        yield str(run.get("file", "")), run.get("result")


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
    """Return results by name: of the archive, or of a file."""
    if Path(what).is_file():
        return {name: result for name, result in _results_in(Path(what)) if result is not None}
    if not (what.isascii() and what.isdigit()):
        raise click.UsageError(f"{what} is neither a file nor a result_id (tsvc results)")
    result = client.get_result(int(what))
    return {result.run_id: result.raw}


def _pairs(
    a: Mapping[str, Mapping[str, Any]], b: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Return (name, one of a, one of b): of equal names, or the only ones there are."""
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
