"""tsvc validate: checks definitions without running them."""

import re
from pathlib import Path
from typing import Any

import click

from tsvc.cli.definition_file.cases import cases_of, label_of, with_case
from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.definition_file.load import Definition, expand, load_definition
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.options.service import Answering, answering, private_options
from tsvc.cli.terminal.lines import say
from tsvc.cli.terminal.refusal import ExitStatus, by_place, note_lines
from tsvc.client import Client, Note, TsvcError

PLACE = Place(Heading.WRITE, 3)


# The text of the service's problem if it does not have a gateway of the definition.
_LACKS_GATEWAY = re.compile(r"\(needed by operations\[")


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_client
@private_options
def command(client: Client, files: tuple[Path, ...], embedded: bool, config: Path | None) -> None:
    """Check test definitions without running them; exit status 1 if one is not valid.

    Each problem is led by the file, the line and the column it stands at. Without a service a
    private daemon checks them; what it can't know are the gateways, unless --config names them.
    """
    with answering(client, embedded, config) as service:
        found = [_is_valid(service, path) for path in expand(files)]
    raise click.exceptions.Exit(ExitStatus.PASSED if all(found) else ExitStatus.FAILED)


def _is_valid(service: Answering, path: Path) -> bool:
    """Print the problems of the definitions in a file; return True if all are valid."""
    try:
        definition = load_definition(path)
        cases = cases_of(definition)
    except FileProblem as unreadable:
        say(f"{path}: not valid", f"  {unreadable.format_message()}")
        return False
    wanted = [
        (label_of(path, one.name), with_case(definition.params, one, path.stem)) for one in cases
    ]
    found = [
        _check(service, definition, path, label, params)
        for label, params in wanted or [(str(path), definition.params)]
    ]
    return all(found)


def _check(
    service: Answering, definition: Definition, path: Path, label: str, params: Any
) -> bool:
    """Print the problems of one definition; return True if it is valid."""
    try:
        found = service.client.validate(params)
    except TsvcError as error:
        if error.kind != "frame.too_long":
            raise
        say(f"{label}: not valid", f"  {path}: {error.message}")
        return False
    unknown = [] if service.has_gateways else [one for one in found.problems if _lacks(one)]
    problems = [one for one in found.problems if one not in unknown]
    is_valid = found.valid or all(one.severity != "error" for one in problems)
    say(f"{label}: {'valid' if is_valid else 'not valid'}")
    placed = [(definition.place(one.path) or str(path), one) for one in problems]
    for place, problem in sorted(placed, key=lambda one: by_place(one[0])):
        head = f"{place}: {problem.severity} {problem.path.removeprefix('params.')}"
        say(*note_lines(head, problem.text))
    names = ", ".join(one.path.removeprefix("params.") for one in unknown)
    if names:
        say(f"  not checked without a service or --config: whether there is a gateway for {names}")
    return is_valid


def _lacks(problem: Note) -> bool:
    return problem.path.count(".") == 1 and _LACKS_GATEWAY.search(problem.text) is not None
