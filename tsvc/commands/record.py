"""tsvc record: makes a test definition from a capture."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_text
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.errors import RemoteProtocolError, reason

if TYPE_CHECKING:
    from tsvc.record.capture import Capture
    from tsvc.record.recorder import Dialogue

PLACE = Place(Heading.WRITE, 6)
_LARGEST_OCTETS = 512 << 20
_MOST_TEXTS = 4  # messages of a dialogue in its line of the list


@click.command(name="record")
@click.argument("capture", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the definition to this file.",
)
@click.option(
    "--as",
    "side",
    metavar="SIDE",
    help="Who the tester is: client (who began the dialogue), server, ssp, or an address: IP,"
    " IP:PORT, 'pc N', 'ssn N', digits of a global title. [client]",
)
@click.option(
    "--dialogue",
    "numbers",
    type=click.IntRange(1),
    multiple=True,
    help="Take this one only, by its number in the list; may be given again.",
)
@click.option("--list", "lists", is_flag=True, help="List the dialogues, make nothing.")
def command(
    capture: Path, output: Path | None, side: str | None, numbers: tuple[int, ...], lists: bool
) -> None:
    """Make a test definition from a capture (pcap, pcapng).

    The tester takes one side of the dialogues: what that side sent is sent, what the other side
    sent is expected, in full. What can't be used is told, by packet; exit status 1 if the
    definition lacks something.
    """
    # Imported here because `tsvc --help` does not need it.
    from tsvc.record.capture import dialogues_of, read_capture
    from tsvc.record.definition import definition_text

    try:
        found = read_capture(_octets(capture))
    except RemoteProtocolError as error:
        raise FileProblem(f"{capture}: {error}") from None
    dialogues = dialogues_of(found, side)
    _tell(capture, found, dialogues)
    if lists:
        return
    if not dialogues:
        raise FileProblem(f"{capture}: no dialogue was found")
    _check_side(side, dialogues)
    beyond = [number for number in numbers if number > len(dialogues)]
    if beyond:
        raise click.UsageError(f"--dialogue {beyond[0]}: there are {len(dialogues)}")
    chosen = [dialogues[number - 1] for number in sorted(set(numbers))] or dialogues
    text = definition_text(chosen, capture.stem)
    if output is None:
        say_text(text)
    else:
        try:
            output.write_text(text, "utf-8")
        except OSError as error:
            raise FileProblem(f"{output}: {reason(error)}") from None
    if any(dialogue.problems for dialogue in chosen):
        raise click.exceptions.Exit(ExitStatus.FAILED)


def _octets(path: Path) -> bytes:
    try:
        if path.stat().st_size > _LARGEST_OCTETS:
            raise FileProblem(
                f"{path}: more than {_LARGEST_OCTETS >> 20} MiB; cut it with editcap"
            )
        return path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path}: {reason(error)}") from None


def _tell(path: Path, capture: "Capture", dialogues: Sequence["Dialogue"]) -> None:
    """Print a summary of the capture to stderr, because the definition may go to stdout."""
    messages = f"{len(capture.messages)} messages in {capture.packets} packets"
    say(f"{path}: {messages}, {len(dialogues)} dialogues", err=True)
    for number, dialogue in enumerate(dialogues, start=1):
        first = dialogue.steps[0]
        texts = [step.text for step in dialogue.steps[:_MOST_TEXTS]]
        more = len(dialogue.steps) - len(texts)
        rest = f" and {more} more" if more > 0 else ""
        say(f"  {number}. packet {first.packet}: {dialogue.title}", err=True)
        say(f"     {', '.join(texts)}{rest}", err=True)
        for problem in dialogue.problems:
            say(f"     lacks: {problem}", err=True)
    for remark in capture.remarks:
        say(f"  not used: {remark}", err=True)


def _check_side(side: str | None, dialogues: Sequence["Dialogue"]) -> None:
    """Raise UsageError for a side that no dialogue has."""
    names = sorted({name for one in dialogues for name in one.client | one.server})
    if side is not None and side not in ("client", "server", *names):
        raise click.UsageError(f"--as {side}: none of client, server, {', '.join(names)}")
