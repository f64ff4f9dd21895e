"""A whole tsvcd with a configuration of the test's own, which may change while it runs."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from support.daemons import FLOW, HANG_GUARD_S, ROOT, Daemon, wait_until_ready
from support.ports import free_port

LOOPBACK = """
[scp]
flows = ["{flow}"]
[application."SIGTRAN"]
module = "sigtran"
connections = [{{ name = "loopback", type = "loopback" }}]
"""


class ServiceDaemon(Daemon):
    """A daemon in a folder of its own: tsvc.toml, conf.d/local.toml, log, state."""

    @property
    def log(self) -> str:
        return (self.folder / "log").read_text()

    def configure(self, text: str) -> None:
        """Write the part of the configuration that a test changes."""
        part = self.folder / "conf.d/local.toml"
        part.parent.mkdir(exist_ok=True)
        part.write_text(text)
        part.chmod(0o600)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def wait_for(self, text: str, times: int = 1) -> str:
        """Return the log once it has a text that often."""
        deadline = time.monotonic() + HANG_GUARD_S
        while self.log.count(text) < times:
            assert time.monotonic() < deadline, f"no {text!r} in:\n{self.log}"
            assert self.process.poll() is None, self.log
            time.sleep(0.02)
        return self.log


def prepare(folder: Path, local: str = "", main: str = "", port: int | None = None) -> Path:
    """Write the configuration and return the path of its main file."""
    path = folder / "tsvc.toml"
    path.write_text(
        f'[service]\nstate_dir = "state"\n[rpc]\nport = {port or free_port()}\n'
        + (main or LOOPBACK.format(flow=FLOW))
    )
    (folder / "conf.d").mkdir(exist_ok=True)
    (folder / "conf.d/local.toml").write_text(local)
    (folder / "conf.d/local.toml").chmod(0o600)
    return path


@contextlib.contextmanager
def running(
    folder: Path, local: str = "", main: str = "", *, answers: bool = True, **environ: str
) -> Iterator[ServiceDaemon]:
    """Run a daemon for the length of a block. `local` is the part that a test may change.

    `answers` False: over TLS or from another address only, so the log tells when it is ready.
    """
    port = free_port()
    path = prepare(folder, local, main, port)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TSVC_")}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(path)],
            stderr=log,
            stdout=log,
            env={**kept, **environ},
            cwd=ROOT,
        )
    daemon = ServiceDaemon(process, port, folder)
    try:
        if answers:
            wait_until_ready(daemon)
        else:
            daemon.wait_for("daemon ready")
        yield daemon
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
