"""What definitions may say, and whether they are right: tsvc schema, tsvc validate."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from tsvc.cli.cases import cases_of, with_case
from tsvc.cli.connection import with_client
from tsvc.cli.definition_file import FileProblem, expand, load_definition
from tsvc.cli.refusal import ExitStatus, note_lines
from tsvc.cli.suite import label_of
from tsvc.cli.terminal import say, say_text
from tsvc.client import Client, TsvcError
from tsvc.errors import reason


@click.command(name="schema")
@with_client
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write it to this file.",
)
@click.option("--embedded", is_flag=True, help="Ask a daemon of our own.")
def schema(client: Client, output: Path | None, embedded: bool) -> None:
    """Print the JSON Schema of test definitions, by which editors complete and check.

    In VS Code: "json.schemas": [{"fileMatch": ["tests/*.json"], "url": "./tsvc.schema.json"}].
    """
    text = json.dumps(_schema(client, embedded), ensure_ascii=False) + "\n"
    if output is None:
        say_text(text)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise FileProblem(f"{output}: {reason(error)}") from None


def _schema(client: Client, is_embedded: bool) -> Mapping[str, object]:
    if not is_embedded:
        return client.describe_definition()
    from tsvc.cli.embedded import PrivateDaemon

    with PrivateDaemon() as daemon:
        return daemon.client().describe_definition()


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_client
def validate(client: Client, files: tuple[Path, ...]) -> None:
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
            for problem in found.problems:
                place = definition.place(problem.path) or path
                head = f"{place}: {problem.severity} {problem.path.removeprefix('params.')}"
                say(*note_lines(head, problem.text))
            is_valid = is_valid and found.valid
    raise click.exceptions.Exit(ExitStatus.PASSED if is_valid else ExitStatus.FAILED)
