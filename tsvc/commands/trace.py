"""tsvc trace: the messages of an instance, as a ladder, a capture or a definition."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.completion import kept_runs
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.options.outputs import write_file
from tsvc.cli.terminal.lines import say, say_text, show_document
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.cli.terminal.report import fitting_ladder, is_narrow
from tsvc.client import Client
from tsvc.client.results import read_instance

PLACE = Place(Heading.LOOK, 4)


@click.command(name="trace")
@click.argument("run", shell_complete=kept_runs)
@with_client
@click.option(
    "--format",
    "format_",
    type=click.Choice(["ladder", "text", "json", "svg", "pcap", "definition"]),
    default="ladder",
    show_default=True,
)
@click.option("--instance", default="0", show_default=True, help="Which instance of the run.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, not to stdout.",
)
def command(client: Client, run: str, format_: str, instance: str, output: Path | None) -> None:
    """Show the messages of an instance of RUN.

    A definition sends what the tester sent and expects what came, in full, as tsvc record makes it
    of a capture; exit status 1 if it lacks something, which is told.
    """
    if format_ == "pcap" and output is None and sys.stdout.isatty():
        raise click.UsageError("pcap is not for a terminal: give -o FILE")
    if format_ == "ladder" and output is None and is_narrow():
        found = read_instance(client.trace(run, "json", instance))
        say_text(fitting_ladder(found))
        return
    lacks: list[str] = []
    if format_ == "definition":
        text, lacks = definition_of_instance(client, run, instance)
        octets = text.encode()
    else:
        octets = _octets(client.trace(run, format_, instance))
    if output is not None:
        write_file(output, octets)
    else:
        show_document(octets, "json" if format_ == "definition" else format_)
    say(*(f"lacks: {problem}" for problem in lacks), err=True)
    if lacks:
        raise click.exceptions.Exit(ExitStatus.FAILED)


def definition_of_instance(client: Client, run: str, instance: str) -> tuple[str, list[str]]:
    """Return a definition made from the messages of an instance, as text, and what it lacks.

    Blocks: on the service. Errors: FileProblem if no dialogue was kept, and errors of the client.
    """
    from tsvc.record.capture import dialogues_of, read_capture
    from tsvc.record.definition import definition_text

    messages = read_instance(client.trace(run, "json", instance)).messages
    began = {one.get("direction") for one in messages if one.get("primitive") == "BEGIN"}
    side = "server" if began == {"received"} else None  # a capture does not say who the tester is
    found = read_capture(client.trace(run, "pcap", instance))
    dialogues = dialogues_of(found, side)
    if not dialogues:
        remarks = "".join(f"\n  not used: {remark}" for remark in found.remarks)
        raise FileProblem(f"{run}: no dialogue was found{remarks}")
    lacks = [problem for dialogue in dialogues for problem in dialogue.problems]
    return definition_text(dialogues, run), lacks


def _octets(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return text.encode()
