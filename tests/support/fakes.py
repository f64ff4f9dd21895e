"""`tsvc fake KIND` as a process of its own."""

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.daemons import HANG_GUARD_S, ROOT

COMMAND = [sys.executable, "-m", "tsvc.cli.fake"]


@dataclass
class FakeProcess:
    """One that listens on host and port; `log` is what it has printed."""

    process: subprocess.Popen[bytes]
    host: str
    port: int
    path: Path

    @property
    def log(self) -> str:
        return self.path.read_text()

    def stop(self) -> int:
        """End it as a person would and return its exit status."""
        self.process.terminate()
        return self.process.wait(HANG_GUARD_S)


@contextlib.contextmanager
def fake_process(folder: Path, kind: str, port: int = 0, **settings: Any) -> Iterator[FakeProcess]:
    """Run a fake for the length of a block."""
    file = folder / f"{kind}.json"
    file.write_text(json.dumps(settings))
    path = folder / f"{kind}.log"
    arguments = [kind, "--port", str(port), "--settings", str(file), "--verbose"]
    with path.open("wb") as log:
        process = subprocess.Popen([*COMMAND, *arguments], stdout=log, stderr=log, cwd=ROOT)
    try:
        host, found = _address(process, path)
        yield FakeProcess(process, host, found, path)
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)


def _address(process: subprocess.Popen[bytes], path: Path) -> tuple[str, int]:
    deadline = time.monotonic() + HANG_GUARD_S
    while time.monotonic() < deadline and process.poll() is None:
        first, end, _ = path.read_text().partition("\n")
        if end and " listens on " in first:
            host, _, port = first.rpartition(" ")[2].rpartition(":")
            return host, int(port)
        time.sleep(0.02)
    raise AssertionError(path.read_text())
