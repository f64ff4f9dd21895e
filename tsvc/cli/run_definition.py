"""run_test: the command line that users of N2SVCD know, on top of this service.

Its options are as published; so is the form of its output, as far as it is known.
S and O of a check are the step and the index of the operation, both counted from 0.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click

from tsvc import __version__
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.load import load_definition
from tsvc.cli.options.outputs import Done, reported, write_file
from tsvc.cli.runs.load_options import LoadOptions, distribution_of
from tsvc.cli.terminal.lines import say, say_json
from tsvc.cli.terminal.refusal import ExitStatus, refusal_lines
from tsvc.cli.terminal.report import rate_lines, status_of, worst_of
from tsvc.client import Check, Client, Instance, RunResult, TsvcError, Unreachable, new_run_id
from tsvc.kind import kinds
from tsvc.results.xunit import gtest_xml

DEFAULT_SECONDS = 10  # duration of a rate without --total

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_Command = Callable[..., Any]


def _integer(text: str) -> int | None:
    """Return an integer; None for an empty text, which is the published default."""
    if text == "":
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{text!r} is not an integer") from None


def _gateway_options(function: _Command) -> _Command:
    for name in reversed(list(kinds())):
        text = f"{name} application [default]."
        function = click.option(f"--{name}", metavar="APP", help=text)(function)
    return function


def _address_options(function: _Command) -> _Command:
    options = (
        click.option("--dpc", type=int, help="Destination point code [4114]."),
        click.option("--no-dpc", is_flag=True, help="Send no point code."),
        click.option("--dssn", type=int, help="Destination subsystem number [106]."),
        click.option("--no-dssn", is_flag=True, help="Send no subsystem number."),
        click.option("--dgt_digits", default="", help="Destination global title."),
        click.option("--dgt_noa", type=_integer, metavar="INTEGER", help="Its nature of address."),
        click.option("--dgt_np", type=_integer, metavar="INTEGER", help="Its numbering plan."),
        click.option("--dgt_tt", type=_integer, metavar="INTEGER", help="Its translation type."),
        click.option("--ssp_ac", help="Application context of the SSP [camel3]."),
    )
    for option in reversed(options):
        function = option(function)
    return function


@click.command(name="run_test")
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--host", default="localhost", show_default=True)
@click.option("--port", type=click.IntRange(1, 65535), default=9009, show_default=True)
@click.option("--token", envvar="TSVC_TOKEN", help="Token that the service asks for.")
@click.option("--quiet", is_flag=True, help="Print no checks of the first call.")
@click.option("--space", is_flag=True, help="An empty line after each file.")
@click.option("--echo", is_flag=True, help="Print the request.")
@click.option("--failure-only", is_flag=True, help="Print only checks that failed.")
@click.option("--parallel", type=click.IntRange(1), default=1, help="Runs in progress at once.")
@click.option("--google-test-output", type=click.Path(dir_okay=False, path_type=Path))
@_gateway_options
@_address_options
@click.option("--cps", type=click.FloatRange(min=0, min_open=True))
@click.option("--backlog", type=click.IntRange(1))
@click.option("--ramp", type=click.FloatRange(0))
@click.option("--total", type=click.IntRange(1))
@click.option("--trace_level", "--trace", type=click.IntRange(0, 3))
@click.option("--debug", "level", flag_value=1, type=int, help="Trace level 1.")
@click.option("--dump", "level", flag_value=2, type=int, help="Trace level 2.")
@click.option("--spam", "level", flag_value=3, type=int, help="Trace level 3.")
@click.option("--load-details", is_flag=True, help="Keep details beyond the first call.")
@click.option("--globals", "shows_globals", is_flag=True, help="Print $g at the end.")
@click.version_option(__version__)
def main(
    files: tuple[Path, ...],
    host: str,
    port: int,
    token: str | None,
    quiet: bool,
    space: bool,
    echo: bool,
    failure_only: bool,
    parallel: int,
    google_test_output: Path | None,
    shows_globals: bool,
    **options: Any,
) -> None:
    """Run test definition files, as N2SVCD's run_test does.

    Exit status 0: all passed, 1: a check failed, 3: aborted, 4: a threshold was missed,
    5: refused or unreachable.
    """
    client = Client(host, port, token=token)
    jobs = [(path, params_of(path, options)) for path in files]
    done: list[Done] = []
    with ThreadPoolExecutor(parallel) as executor:
        results = executor.map(lambda job: _run(client, job[1], new_run_id(job[0].stem)), jobs)
        for (path, params), result in zip(jobs, results, strict=True):
            say(f"[START {path}]")
            if echo:
                say_json(params)
            refusal = _show(path, result, is_quiet=quiet, is_failure_only=failure_only)
            if shows_globals and isinstance(result, RunResult):
                say(">>> GLOBALS")
                say_json(dict(result.globals))
            if space:
                say("")
            found = result if isinstance(result, RunResult) else None
            done.append(Done(path, found, refusal, params))
    if google_test_output is not None:
        write_file(google_test_output, gtest_xml(reported(done)).encode())
    statuses = [
        ExitStatus.REFUSED if one.result is None else status_of(one.result) for one in done
    ]
    raise click.exceptions.Exit(worst_of(statuses))


def params_of(path: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of ExecuteTest: the file, overridden by options; defaults as published."""
    definition = load_definition(path)
    if definition.cases is not None:
        raise FileProblem(f"{path}: cases are for `tsvc run`")
    params = definition.params
    load = LoadOptions(
        options["cps"], options["backlog"], _ramp_s(params, options), options["total"]
    )
    if load.cps is not None and load.total is None and "distribution" not in params:
        load = LoadOptions(load.cps, load.backlog, load.ramp_s, max_seconds=DEFAULT_SECONDS)
    levels = (options["level"], options["trace_level"])
    members = {
        "distribution": distribution_of(load, params.get("distribution")),
        "trace_level": next((level for level in levels if level is not None), None),
        "load_details": 1 if options["load_details"] else None,
        **{name: options[name] for name in kinds()},
        "ssp_ac": options["ssp_ac"] or params.get("ssp_ac", "camel3"),
        "scp": _scp(params.get("scp"), options),
    }
    return params | {name: value for name, value in members.items() if value is not None}


def _ramp_s(params: Mapping[str, Any], options: Mapping[str, Any]) -> float | None:
    """Return --ramp; None with --backlog alone: the published command accepts that, but there is
    no rate to ramp."""
    ramp_s: float | None = options["ramp"]
    given = params.get("distribution")
    is_linear = isinstance(given, dict) and given.get("type") == "linear"
    if ramp_s is None or options["cps"] or options["backlog"] is None or is_linear:
        return ramp_s
    say("note: --ramp changes a rate, and --backlog alone has none", err=True)
    return None


def _scp(given: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the address of the SCP: options override the file, or the published defaults."""
    scp: dict[str, Any] = dict(given) if isinstance(given, dict) else {"dpc": 4114, "dssn": 106}
    for name in ("dpc", "dssn", "dgt_digits", "dgt_noa", "dgt_np", "dgt_tt"):
        if options[name] not in (None, ""):
            scp[name] = options[name]
        if options.get(f"no_{name}"):
            scp.pop(name, None)
    return scp


def _run(client: Client, params: Mapping[str, Any], run_id: str) -> RunResult | Exception:
    try:
        client.execute(params, run_id)
        return client.wait(run_id)
    except (TsvcError, Unreachable) as error:
        return error


def _show(
    path: Path, result: RunResult | Exception, *, is_quiet: bool, is_failure_only: bool
) -> str:
    """Print a run; return the text of its refusal, "" if it was not refused."""
    if not isinstance(result, RunResult):
        lines = refusal_lines(result, load_definition(path).place) or ()
        say(*lines, err=True)
        return "\n".join(lines)
    say("[STARTED...]")
    say(completed_line(result))
    if result.rate.asked is not None:
        say(*(line.strip() for line in rate_lines(result.rate)))
    if result.first_call is not None and not is_quiet:
        say(*first_call_lines(result.first_call, is_failure_only))
    return ""


def completed_line(result: RunResult) -> str:
    """Return the line with the counts: finished(started) of planned."""
    counts = result.counts
    seconds = result.duration or 0.0
    rate = counts.finished / seconds if seconds else 0.0
    return (
        f"[COMPLETED {counts.finished}({counts.started}) of {counts.planned or counts.started}"
        f" instances in {seconds:.3f} seconds. Aborted = {counts.aborted},"
        f" Failed = {counts.failed}, Cancelled = {counts.cancelled}, Rate = {rate:.3f}/sec]"
    )


def first_call_lines(first: Instance, is_failure_only: bool) -> Iterator[str]:
    """Yield the checks of the first call under their heading."""
    yield ">>> FIRST CALL CHECKS"
    for check in first.checks:
        if not is_failure_only or check.level in ("fail", "abort"):
            yield from _check_lines(check)


def _check_lines(check: Check) -> Iterator[str]:
    step = max(check.step - 1, 0)
    level = check.level.upper()
    yield f"{check.t:9.3f} [S={step:02}/O={check.op:02}] [{level}] {check.text}"
    if level in ("FAIL", "ABORT") and "got" in check.raw:
        yield f"          expected {check.expected!r}, got {check.got!r}"


if __name__ == "__main__":
    main()
