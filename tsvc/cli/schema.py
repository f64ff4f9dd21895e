"""tsvc schema: the JSON Schema of definition files, as the service knows them."""

import json
from pathlib import Path

import click

from tsvc.cli.connection import with_client
from tsvc.cli.definition_file import FileProblem
from tsvc.client import Client


@click.command(name="schema")
@with_client
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write it to this file.",
)
@click.option("--embedded", is_flag=True, help="Ask a daemon of our own.")
def command(client: Client, output: Path | None, embedded: bool) -> None:
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
