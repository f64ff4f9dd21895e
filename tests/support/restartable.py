"""Daemons that can be killed and started again on the same state folder."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from support.daemons import ROOT, Daemon, wait_until_ready
from support.ports import free_port


def configure(folder: Path, text: str = "", *, port: int = 0) -> int:
    """Write tsvc.toml into a folder; return the port of the interface."""
    port = port or free_port()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "tsvc.toml"
    head = f'[service]\nstate_dir = "{folder / "state"}"\n[rpc]\nport = {port}\n'
    file.write_text(head + text)
    file.chmod(0o600)
    return port


def launch(folder: Path, port: int, *, prefix: Sequence[str] = ()) -> Daemon:
    """Start a configured daemon and return when it answers."""
    environ = {k: v for k, v in os.environ.items() if not k.startswith("TSVC_")}
    process = subprocess.Popen(
        [*prefix, sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(folder / "tsvc.toml")],
        cwd=ROOT,
        env=environ,
        stderr=(folder / "log").open("ab"),
    )
    daemon = Daemon(process, port, folder)
    wait_until_ready(daemon)
    return daemon


def kill(daemon: Daemon) -> None:
    """End a daemon as a crash does: SIGKILL, nothing can be tidied up."""
    daemon.process.kill()
    daemon.process.wait()
