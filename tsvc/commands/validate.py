"""tsvc validate: whether definitions are right, without a run."""

from pathlib import Path

import click

from tsvc.cli.definition_file.cases import cases_of, label_of, with_case
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.load import expand, load_definition
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.refusal import ExitStatus, by_place, note_lines
from tsvc.client import Client, TsvcError

PLACE = Place(Heading.WRITE, 3)


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_client
def command(client: Client, files: tuple[Path, ...]) -> None:
    """Check test definitions without running them; exit status 1 if one is not valid.

    Each problem is led by the file, the line and the column it stands at.
    """
    is_valid = True
    for path in expand(files):
        try:
            definition = load_definition(path)
            cases = cases_of(definition)
        except FileProblem as unreadable:
            say(f"{path}: not valid", f"  {unreadable.format_message()}")
            is_valid = False
            continue
        wanted = [
            (label_of(path, one.name), with_case(definition.params, one, path.stem))
            for one in cases
        ]
        for label, params in wanted or [(str(path), definition.params)]:
            try:
                found = client.validate(params)
            except TsvcError as error:
                if error.kind != "frame.too_long":
                    raise
                say(f"{label}: not valid", f"  {path}: {error.message}")
                is_valid = False
                continue
            say(f"{label}: {'valid' if found.valid else 'not valid'}")
            placed = [(definition.place(one.path) or str(path), one) for one in found.problems]
            for place, problem in sorted(placed, key=lambda one: by_place(one[0])):
                head = f"{place}: {problem.severity} {problem.path.removeprefix('params.')}"
                say(*note_lines(head, problem.text))
            is_valid = is_valid and found.valid
    raise click.exceptions.Exit(ExitStatus.PASSED if is_valid else ExitStatus.FAILED)
