"""tsvc trace: what happened in one instance."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from tsvc.cli.connection import with_client
from tsvc.cli.outputs import write_file
from tsvc.client import Client


@click.command(name="trace")
@click.argument("run")
@with_client
@click.option(
    "--format",
    "format_",
    type=click.Choice(["ladder", "text", "json", "svg", "pcap"]),
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
    """Show the messages of an instance of RUN."""
    if format_ == "pcap" and output is None and sys.stdout.isatty():
        raise click.UsageError("pcap is not for a terminal: give -o FILE")
    octets = _octets(client.trace(run, format_, instance))
    if output is not None:
        write_file(output, octets)
    else:
        click.echo(octets, nl=format_ != "pcap" and not octets.endswith(b"\n"))


def _octets(content: Any) -> bytes:
    if isinstance(content, bytes):
        return content
    text = content if isinstance(content, str) else json.dumps(content, indent=2)
    return text.encode()
