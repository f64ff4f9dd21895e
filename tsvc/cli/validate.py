"""tsvc validate: every check that a run would begin with, and no run."""

from pathlib import Path

import click

from tsvc.cli.connection import with_client
from tsvc.cli.definition_file import expand, load_definition
from tsvc.cli.refusal import ExitStatus, note_lines
from tsvc.client import Client


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_client
def command(client: Client, files: tuple[Path, ...]) -> None:
    """Check test definitions without running them; exit status 1 if one is not valid.

    Each problem is led by the file and, where its notation tells, the line it stands on.
    """
    is_valid = True
    for path in expand(files):
        definition = load_definition(path)
        found = client.validate(definition.params)
        click.echo(f"{path}: {'valid' if found.valid else 'not valid'}")
        for problem in found.problems:
            place = definition.place(problem.path) or path
            head = f"{place}: {problem.severity} {problem.path.removeprefix('params.')}"
            click.echo("\n".join(note_lines(head, problem.text)))
        is_valid = is_valid and found.valid
    raise click.exceptions.Exit(ExitStatus.PASSED if is_valid else ExitStatus.FAILED)
