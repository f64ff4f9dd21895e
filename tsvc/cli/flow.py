"""tsvc flow check|show|run|match: flow documents, without a service."""

from pathlib import Path

import click

from tsvc.cli import flow_tools
from tsvc.cli.definition_file import read_document
from tsvc.cli.refusal import ExitStatus, note_lines


@click.group(name="flow")
def command() -> None:
    """Work on flow documents of the embedded SCP."""


@command.command(name="check")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
def check(files: tuple[Path, ...]) -> None:
    """Check flow documents; exit status 1 if one can't run. Warnings are printed, no more."""
    # The flow operations and the pattern engine cost more than the rest of the command line.
    from tsvc.config.tables import Scp
    from tsvc.flow.document import compile_flow

    is_valid = True
    for path in files:
        flow, problems = compile_flow(read_document(path), Scp())
        click.echo(f"{path}: {'not valid' if flow is None else 'valid'}")
        for problem in problems:
            lines = note_lines(f"{problem.severity} {problem.path}", problem.text)
            click.echo("\n".join(lines))
        is_valid = is_valid and flow is not None
    raise click.exceptions.Exit(ExitStatus.PASSED if is_valid else ExitStatus.FAILED)


for _tool in (flow_tools.show, flow_tools.run, flow_tools.match):
    command.add_command(_tool)
