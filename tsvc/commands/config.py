"""tsvc config import-n2: converts the configuration of an N2SVCD daemon to one of tsvc."""

import os
from pathlib import Path

import click

from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_text
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.errors import reason

PLACE = Place(Heading.SERVICES, 3)

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(name="config")
def command() -> None:
    """Work on configuration files."""


@command.command(name="import-n2")
@click.argument("file", type=_FILE)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File to write, readable by you alone; without it, standard output.",
)
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def import_n2(file: Path, output: Path | None, force: bool) -> None:
    """Convert the applications of an N2SVCD FILE (n2svcd.xml) to a tsvc.toml.

    What could not be taken over is listed on standard error and at the head of the result.
    Passwords are written to a file given by -o only, which others can't read.
    """
    # Importing expat takes longer than most of the command line.
    from tsvc.import_n2.document import import_document
    from tsvc.import_n2.source import XmlError

    try:
        converted = import_document(file.read_bytes())
    except OSError as error:
        raise click.UsageError(f"{file}: {reason(error)}") from None
    except XmlError as error:
        where = f"{file}:{error.line}" if error.line else str(file)
        say(f"{where}: {error.text}", err=True)
        raise click.exceptions.Exit(ExitStatus.FAILED) from None
    text = converted.toml(file.name, with_secrets=output is not None)
    if output is None:
        say_text(text)
    else:
        _write(output, text, force)
    for line in converted.lines_of_notes():
        say(line, err=True)
    if converted.has_secrets:
        say(_about_secrets(output), err=True)
    if output is not None:
        say(f"{output} is written; check it: tsvcd --check -c {output}")


def _about_secrets(output: Path | None) -> str:
    if output is None:
        return "warning: passwords are left out: each is to be written to its password_file"
    return f"warning: {output} holds passwords; it says what to write to have them in files"


def _write(path: Path, text: str, force: bool) -> None:
    """Write a file atomically, readable only by its owner. Errors: UsageError."""
    if path.exists() and not force:
        raise click.UsageError(f"{path} is there already; --force writes over it")
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(text.encode("utf-8"))
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        raise click.UsageError(f"{path}: {reason(error)}") from None
