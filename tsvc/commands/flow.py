"""tsvc flow check|show|run|match: flow documents, without a service."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tsvc.cli.definition_file.load import read_document
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_text
from tsvc.cli.terminal.refusal import ExitStatus, note_lines

if TYPE_CHECKING:
    from tsvc.config.scp_tables import Scp
    from tsvc.flow.flow import Flow

PLACE = Place(Heading.WRITE, 5)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="flow")
def command() -> None:
    """Work on flow documents of the embedded SCP."""


def _compiled(path: Path, settings: "Scp") -> "Flow":
    from tsvc.flow.document import compile_flow

    flow, problems = compile_flow(read_document(path), settings)
    for problem in problems:
        lines = note_lines(f"{problem.severity} {problem.path}", problem.text)
        say(*lines, err=True)
    if flow is None:
        raise click.exceptions.Exit(ExitStatus.FAILED)
    return flow


@command.command(name="show")
@click.argument("file", type=_FILE)
@click.option("--format", "form", type=click.Choice(["text", "svg"]), default="text")
def show(file: Path, form: str) -> None:
    """Draw a flow: its operations and where each exit leads."""
    from tsvc.config.scp_tables import Scp
    from tsvc.flow import drawing

    flow = _compiled(file, Scp())
    say_text(drawing.text(flow) if form == "text" else drawing.svg(flow))


@command.command(name="run")
@click.argument("file", type=_FILE)
@click.argument("doings", nargs=-1)
@click.option("--calling", default="6421000001", show_default=True, help="Calling number.")
@click.option("--called", default="0800123456", show_default=True, help="Called number.")
@click.option("--service-key", default=45, show_default=True)
@click.option("--event", default=2, show_default=True, help="eventTypeBCSM; 12 = terminating.")
@click.option(
    "--variant",
    type=click.Choice(["cs1", "camel1", "camel2", "camel3", "camel4"]),
    default="camel2",
    show_default=True,
)
@click.option("--width", default=100, show_default=True)
def run(
    file: Path,
    doings: tuple[str, ...],
    calling: str,
    called: str,
    service_key: int,
    event: int,
    variant: str,
    width: int,
) -> None:
    """Call a flow with a simulated caller and print its path and the ladder.

    DOINGS are what happens, in order: digits (* and # too) for a prompt, silence, hang-up,
    srf-failure; answer, busy, no-answer, failure, abandon for an attempt to terminate. Time is
    simulated: timers that nobody stops run out at once.
    """
    from tsvc.config.scp_tables import Scp
    from tsvc.kinds.sigtran.fake import BadDoing, FakeSsp, read_doing
    from tsvc.results.exchanges import decode_messages
    from tsvc.results.ladder import ladder_text

    settings = Scp()
    flow = _compiled(file, settings)
    try:
        script = [read_doing(text) for text in doings]
    except BadDoing as error:
        raise click.UsageError(str(error)) from None
    initial_dp = {
        "serviceKey": service_key,
        "calledPartyNumber_digits": called,
        "callingPartyNumber_digits": calling,
        "eventTypeBCSM": event,
    }
    report = FakeSsp(flow, settings, variant=variant).play(script, initial_dp)
    say(f"Path through {flow.name}: {report.outcome}")
    for step in report.path:
        left = "" if step.exit_index is None else f"  exit {step.exit_index} {step.exit_name}"
        say(f"  [{step.operation_id}] {step.type}{left}")
    if report.unused:
        words = ", ".join(doing.digits or doing.outcome for doing in report.unused)
        say(f"Nothing asked for: {words}")
    say("")
    say_text(ladder_text(decode_messages(report.messages), width=width))


@command.command(name="match")
@click.argument("pattern")
@click.argument("numbers", nargs=-1, required=True)
@click.option("--syntax", type=click.Choice(["acs", "regex"]), default="acs", show_default=True)
def match(pattern: str, numbers: tuple[str, ...], syntax: str) -> None:
    """Show which NUMBERS a destination pattern matches; exit status 1 if one does not."""
    from tsvc.flow.patterns import PatternError, compile_pattern

    try:
        compiled = compile_pattern(pattern, "regex" if syntax == "regex" else "acs")
    except PatternError as error:
        raise click.UsageError(f"{error}\n  {pattern}\n  {' ' * error.column}^") from None
    found = [compiled.matches(number) for number in numbers]
    for number, is_match in zip(numbers, found, strict=True):
        say(f"{'match   ' if is_match else 'no match'}  {number}")
    raise click.exceptions.Exit(ExitStatus.PASSED if all(found) else ExitStatus.FAILED)


@command.command(name="check")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=_FILE,
)
def check(files: tuple[Path, ...]) -> None:
    """Check flow documents; exit status 1 if one can't run. Warnings are printed, no more."""
    # Importing flow operations and the pattern engine takes longer than the other imports.
    from tsvc.config.scp_tables import Scp
    from tsvc.flow.document import compile_flow

    is_valid = True
    for path in files:
        flow, problems = compile_flow(read_document(path), Scp())
        say(f"{path}: {'not valid' if flow is None else 'valid'}")
        for problem in problems:
            lines = note_lines(f"{problem.severity} {problem.path}", problem.text)
            say(*lines)
        is_valid = is_valid and flow is not None
    raise click.exceptions.Exit(ExitStatus.PASSED if is_valid else ExitStatus.FAILED)
