"""Baselines: earlier results from `tsvc run --json`, and the tolerance of a comparison."""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.terminal.lines import style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import RunResult
from tsvc.errors import reason
from tsvc.results.compare import compare, worse
from tsvc.values import dataclass

if TYPE_CHECKING:
    _ShareType = click.ParamType[float]
else:
    _ShareType = click.ParamType  # before click 8.4 it can't be subscripted


class Tolerance(_ShareType):
    """A share, such as 10% or 0.1."""

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


_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Baseline:
    """Results to compare with, by the names of their files, and the tolerance."""

    path: Path
    results: Mapping[str, Mapping[str, Any]]
    tolerance: float

    def check(self, files: Collection[str]) -> None:
        """Raise FileProblem if the baseline has no result of any of the files."""
        if not any(file in self.results for file in files):
            known = ", ".join(sorted(self.results)[:_MOST_NAMED])
            raise FileProblem(f"{self.path} has no result of {', '.join(files)}, but of {known}")

    def judge(self, file: str, result: RunResult) -> tuple[ExitStatus, list[str]]:
        """Return WORSE if a result is worse than its baseline, with lines that name the numbers.

        Return PASSED otherwise, with a line about the comparison.
        """
        was = self.results.get(file)
        if was is None:
            return ExitStatus.PASSED, [f"  baseline   {self.path} has no result of {file}"]
        found = worse(compare(was, result.raw), self.tolerance)
        if not found:
            return ExitStatus.PASSED, [f"  baseline   no worse than {self.path}"]
        return ExitStatus.WORSE, [f"  {style('worse', 'red')}      {line}" for line in found]


def read_baseline(path: Path, tolerance: float) -> Baseline:
    """Return the results that `tsvc run --json` has written to a file. Errors: FileProblem."""
    found = {file: result for file, result in results_in(path) if result is not None}
    if not found:
        raise FileProblem(f"{path}: there is no result in it")
    return Baseline(path, found, tolerance)


def results_in(path: Path) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yield the name and result of each run in a file. Errors: FileProblem."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None
    except ValueError as error:
        raise FileProblem(f"{path}: {error}") from None
    if isinstance(document, dict) and "verdict" in document and "counts" in document:
        yield str(document.get("run_id", path)), document  # one result, in the form of GetResult
        return
    runs = document.get("runs") if isinstance(document, dict) else None
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise FileProblem(f"{path} is not what `tsvc run --json` writes")
    for run in runs:
        yield str(run.get("file", "")), run.get("result")
