"""What definitions may say, and whether they are right: tsvc ops, tsvc schema, tsvc validate."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from tsvc.cli.connection import with_client
from tsvc.cli.definition_file import FileProblem, expand, load_definition
from tsvc.cli.refusal import ExitStatus, note_lines
from tsvc.client import Client
from tsvc.words import did_you_mean


@click.command(name="ops")
@click.argument("type", required=False)
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
def ops(client: Client, type: str | None, is_json: bool) -> None:
    """List the operation types of the service, or describe TYPE: attributes and an example."""
    found = client.describe_operations(type)
    if type is not None and not found:
        known = [str(one.get("type")) for one in client.describe_operations()]
        hint = did_you_mean(type, known)
        click.echo(f"no operation type is named {type!r}{hint}", err=True)
        raise click.exceptions.Exit(ExitStatus.FAILED)
    if is_json:
        click.echo(json.dumps([dict(one) for one in found], indent=2, ensure_ascii=False))
    elif type is None:
        width = max((len(str(one.get("type"))) for one in found), default=0)
        for one in found:
            click.echo(f"{one.get('type')!s:<{width}}  {one.get('summary', '')}".rstrip())
    else:
        _describe(found[0])


def _describe(one: Mapping[str, Any]) -> None:
    click.echo(f"{one.get('type')}: {one.get('summary', '')}")
    click.echo("attributes:")
    for name in one.get("attributes", []):
        click.echo(f"  {name}")
    click.echo("example:")
    click.echo(json.dumps(one.get("example"), indent=2, ensure_ascii=False))


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
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise FileProblem(f"{output}: {error.strerror}") from None


def _schema(client: Client, is_embedded: bool) -> object:
    if not is_embedded:
        return client.call("DescribeDefinition")
    from tsvc.cli.embedded import PrivateDaemon

    with PrivateDaemon() as daemon:
        return daemon.client().call("DescribeDefinition")


@click.command(name="validate")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@with_client
def validate(client: Client, files: tuple[Path, ...]) -> None:
    """Check test definitions without running them; exit status 1 if one is not valid.

    Each problem is led by the file, the line and the column it stands at.
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
