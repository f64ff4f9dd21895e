"""tsvc schema: the JSON Schema of definitions, for editors."""

import json
from pathlib import Path

import click

from tsvc.cli.definition_file.document import FileProblem
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.options.service import answering, private_options
from tsvc.cli.terminal.lines import say_text
from tsvc.client import Client
from tsvc.errors import reason

PLACE = Place(Heading.WRITE, 4)


@click.command(name="schema")
@with_client
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write it to this file.",
)
@private_options
def command(client: Client, output: Path | None, embedded: bool, config: Path | None) -> None:
    """Print the JSON Schema of test definitions, by which editors complete and check.

    In VS Code: "json.schemas": [{"fileMatch": ["tests/*.json"], "url": "./tsvc.schema.json"}].
    """
    with answering(client, embedded, config) as service:
        schema = service.client.describe_definition()
    text = json.dumps(schema, ensure_ascii=False) + "\n"
    if output is None:
        say_text(text)
        return
    try:
        output.write_text(text, "utf-8")
    except OSError as error:
        raise FileProblem(f"{output}: {reason(error)}") from None
