"""tsvc cluster: the workers of a service, and keys for workers of other machines."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tsvc.cli.options.completion import workers
from tsvc.cli.options.connection import with_client
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say, say_json, style
from tsvc.cli.terminal.refusal import ExitStatus
from tsvc.client import Client
from tsvc.errors import reason
from tsvc.printable import printable

PLACE = Place(Heading.SERVICES, 2)

_COLOURS = {"ready": "green", "starting": "yellow", "drained": "yellow", "down": "red"}
_HEADS = ("worker", "state", "pid", "starts", "clock", "")


@click.group(name="cluster")
def command() -> None:
    """The processes that play large runs, on this machine and others."""


@command.command(name="key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def key(file: Path) -> None:
    """Make a key in FILE, for [cluster] key_file, and print the public key that belongs to it.

    The public one is for `allow` of a coordinator, or `coordinator_key` of its agents. A FILE that
    is there is left as it is: its public key is printed again.
    """
    from tsvc.cluster.curve import new_pair, public_of
    from tsvc.cluster.errors import ClusterUnavailable
    from tsvc.config.load import read_key

    try:
        if not file.exists():
            _write(file, new_pair()[1])
        say(public_of(read_key(file)))
    except ClusterUnavailable as error:
        raise click.ClickException(str(error)) from None
    except ValueError as error:
        raise click.ClickException(f"{file}: {error}") from None
    except OSError as error:
        raise click.ClickException(f"{file}: {reason(error)}") from None


def _write(file: Path, secret: str) -> None:
    # Other users can't read the file at any moment, and an existing file is not replaced.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as opened:
        opened.write(f"{secret}\n")


@command.command(name="status")
@with_client
@click.option("--json", "is_json", is_flag=True, help="Print the answer as it came.")
def status(client: Client, is_json: bool) -> None:
    """Show the workers; exit status 1 if one is not ready and not drained."""
    found = client.call("ListWorkers")
    rows = [one for one in found.get("workers", []) if isinstance(one, dict)]
    if is_json:
        say_json(dict(found))
    elif rows:
        say(*_table(rows))
    else:
        say("no workers", err=True)
    is_whole = all(one.get("state") in ("ready", "drained") for one in rows)
    raise click.exceptions.Exit(ExitStatus.PASSED if is_whole else ExitStatus.FAILED)


def _table(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    cells = [_HEADS, *map(_cells, rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEADS))]
    lines = []
    for row in cells:
        padded = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        padded[1] = style(padded[1], _COLOURS.get(row[1]))
        lines.append("  ".join(padded).rstrip())
    return lines


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    pid, error_ms = row.get("pid"), row.get("clock_error_ms")
    return (
        printable(str(row.get("name"))),
        str(row.get("state")),
        "-" if pid is None else str(pid),
        str(row.get("starts")),
        "-" if error_ms is None else f"±{error_ms:.2f} ms",
        printable(str(row.get("reason", ""))),
    )


@command.command(name="drain")
@click.argument("worker", shell_complete=workers)
@with_client
def drain(client: Client, worker: str) -> None:
    """Give WORKER no more runs; what it plays goes on to its end.

    The name of an agent's machine means all of its workers.
    """
    client.call("DrainWorker", {"worker": worker})
    say(f"{worker} gets no more runs")
