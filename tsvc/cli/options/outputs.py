"""The files that a command writes about runs: --html, --junit, --gtest, --csv, --json, --pcap."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from tsvc.cli.definition_file.cases import label_of
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.cli.terminal.report import status_of
from tsvc.client import Client, RunResult, TsvcError, Unreachable
from tsvc.errors import reason
from tsvc.results.report import Reported
from tsvc.values import dataclass

_Command = Callable[..., Any]


def _existing_folder(
    context: click.Context, option: click.Parameter, value: Path | None
) -> Path | None:
    """Return the path of a file; refuse a missing folder before the run, not after it."""
    if value is not None and not value.absolute().parent.is_dir():
        raise click.BadParameter(f"{value.parent} is not a folder", context, option)
    return value


_OUT = click.Path(dir_okay=False, writable=True, path_type=Path)
_HELPS = {
    "html": "Write a report that needs no network to be read.",
    "junit": "Write JUnit XML, as --junit-cases says.",
    "gtest": "Write Google Test XML: a case for each FILE.",
    "csv": "Write the counts of each second as a table.",
    "json": "Write the results as they came.",
    "pcap": "Write the messages of the first instance, of one FILE.",
}


_DOCUMENTS = tuple(name for name in _HELPS if name != "pcap")  # made from results alone


@dataclass(frozen=True, slots=True)
class Outputs:
    """The files to write; None = not written."""

    html: Path | None = None
    junit: Path | None = None
    gtest: Path | None = None
    csv: Path | None = None
    json: Path | None = None
    pcap: Path | None = None
    has_check_cases: bool = False

    def __bool__(self) -> bool:
        """Return True if there is a file to write."""
        return any(getattr(self, name) is not None for name in _HELPS)

    def write(self, client: Client, runs: Sequence[Reported]) -> None:
        """Write all files. Blocks: on the service and the files.

        Errors: FileProblem; TsvcError and Unreachable for a pcap, which the service provides.
        """
        for form in _DOCUMENTS:
            path = getattr(self, form)
            if path is not None:
                environment = environment_of(client) if form == "html" else {}
                found = document(form, runs, environment, has_check_cases=self.has_check_cases)
                write_file(path, found)
        if self.pcap is not None and runs[0].result is not None:
            octets = client.trace(runs[0].result.run_id, "pcap")
            write_file(self.pcap, octets)


def document(
    form: str,
    runs: Sequence[Reported],
    environment: Mapping[str, Any],
    *,
    has_check_cases: bool = False,
) -> bytes:
    """Return the octets of a report: html, junit, gtest, csv or json.

    `environment`: the service's description of itself, for html.
    """
    # Imported where they are used, because a run without a report does not need them.
    if form == "html":
        from tsvc.results.html.report import report_html

        text = report_html(runs, environment=environment)
    elif form == "junit":
        from tsvc.results.xunit import junit_xml

        text = junit_xml(runs, has_checks=has_check_cases)
    elif form == "gtest":
        from tsvc.results.xunit import gtest_xml

        text = gtest_xml(runs)
    elif form == "csv":
        from tsvc.results.csv_buckets import buckets_csv

        text = buckets_csv(runs)
    else:
        found = {"runs": [_as_json(run) for run in runs]}
        text = json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    return text.encode("utf-8", "replace")


def output_options(*names: str) -> Callable[[_Command], _Command]:
    """Decorate a command: add the options of these names, and pass Outputs as `outputs`."""

    def decorate(function: _Command) -> _Command:
        @wraps(function)
        def command(**options: Any) -> Any:
            files = {name: options.pop(f"{name}_file") for name in names}
            outputs = Outputs(**files, has_check_cases=options.pop("junit_cases") == "check")
            return function(outputs=outputs, **options)

        command = click.option(
            "--junit-cases",
            type=click.Choice(["definition", "check"]),
            default="definition",
            show_default=True,
            help="A case of JUnit for each definition, or for each check and threshold.",
        )(command)
        for name in reversed(names):
            command = click.option(
                f"--{name}",
                f"{name}_file",
                type=_OUT,
                callback=_existing_folder,
                help=_HELPS[name],
            )(command)
        return command

    return decorate


class Done(NamedTuple):
    """The outcome of a definition, or of a case of it."""

    path: Path
    result: RunResult | None
    refusal: str
    definition: Mapping[str, Any] | None
    case: str = ""


def reported(runs: Iterable[Done]) -> list[Reported]:
    """Return outcomes in the form that report writers take.

    Files are named without folder and suffix if these names are unique.
    """
    found = list(runs)
    paths = {one.path for one in found}
    count = Counter(map(_name, paths))
    seen: Counter[tuple[Path, str]] = Counter()
    reports = []
    for path, result, refusal, definition, case in found:
        seen[path, case] += 1
        name = _name(path) if count[_name(path)] == 1 else str(path)
        name += f"[{case}]" if case else ""
        name += f" #{seen[path, case]}" if seen[path, case] > 1 else ""  # with --repeat
        reports.append(Reported(name, result, refusal, definition, str(path), case))
    return reports


def _name(path: Path) -> str:
    return path.name.removesuffix(path.suffix).removesuffix(".tsvc")


def write_file(path: Path, octets: bytes) -> None:
    """Write a file that the user named. Errors: FileProblem."""
    try:
        path.write_bytes(octets)
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None


def environment_of(client: Client) -> Mapping[str, Any]:
    """Return the service's description of itself; {} if the service does not answer any more."""
    try:
        return client.describe_service()
    except (TsvcError, Unreachable):
        return {}


def _as_json(run: Reported) -> dict[str, Any]:
    status = ExitStatus.REFUSED if run.result is None else status_of(run.result)
    document: dict[str, Any] = {
        "file": label_of(Path(run.source), run.case) if run.source else run.name,
        "status": status.name.lower(),
        "result": None if run.result is None else run.result.raw,
    }
    return document | ({"refusal": run.refusal} if run.refusal else {})
