"""tsvc scp: runs only the service control point, for SSPs that connect to it, or behind an STP."""

import signal
import subprocess
import tempfile
from pathlib import Path
from types import FrameType

import click

from tsvc.cli.embedded import clean_environment, config_text, daemon_command
from tsvc.cli.options.grouped_help import Heading, Place
from tsvc.cli.terminal.lines import say

PLACE = Place(Heading.SERVICES, 4)

_LISTEN = "m3ua+tcp://127.0.0.1:2905"


@click.command(name="scp")
@click.option(
    "--flow",
    "flows",
    multiple=True,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Flow document to run; may be given more than once.",
)
@click.option(
    "--listen",
    multiple=True,
    help=f"Where SSPs connect; may be given more than once.  [default: {_LISTEN}, or none "
    "with --connect]",
)
@click.option(
    "--connect",
    multiple=True,
    metavar="URL",
    help="An STP or SSP to connect to, such as m3ua+sctp://stp:2905?rc=22&pc=2: role=asp is the "
    "default; may be given more than once.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="JSON-RPC; 0: a free one.")
@click.option(
    "--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="info"
)
def command(
    flows: tuple[Path, ...],
    listen: tuple[str, ...],
    connect: tuple[str, ...],
    port: int,
    log_level: str,
) -> None:
    """Run flows as an SCP in the foreground, until SIGTERM or Ctrl-C.

    It is tsvcd with a configuration of its own; its log says where it listens.
    """
    with tempfile.TemporaryDirectory(prefix="tsvc-scp-") as folder:
        path = Path(folder) / "tsvc.toml"
        listening = listen or (() if connect else (_LISTEN,))
        text = config_text(
            flows=flows,
            listen=listening,
            connect=connect,
            port=port,
            level=log_level,
            log="text",
        )
        path.write_text(text, "utf-8")
        for url in (*listening, *connect):
            say(f"{'listens on' if url in listening else 'connects to'} {url}", err=True)
        process = subprocess.Popen(daemon_command(path), env=clean_environment())

        def forward(number: int, _: FrameType | None) -> None:
            process.send_signal(number)

        signal.signal(signal.SIGTERM, forward)
        # Ctrl-C reaches the daemon directly, because it is in our process group.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        status = process.wait()
    raise click.exceptions.Exit(status if status >= 0 else 128 - status)
