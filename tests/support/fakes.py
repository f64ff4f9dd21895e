"""`tsvc fake KIND` as a separate process."""

import contextlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.daemons import HANG_GUARD_S, ROOT
from support.forked import Process, is_forking, start_forked
from support.waiting import until

COMMAND = [sys.executable, "-m", "tsvc.commands.fake"]


@dataclass
class FakeProcess:
    """A fake that listens on host and port; `log` has its output."""

    process: Process
    host: str
    port: int
    path: Path

    @property
    def log(self) -> str:
        return self.path.read_text()

    def stop(self) -> int:
        """End the fake by SIGTERM, as a user would, and return its exit status."""
        self.process.terminate()
        return self.process.wait(HANG_GUARD_S)


@contextlib.contextmanager
def fake_process(folder: Path, kind: str, port: int = 0, **settings: Any) -> Iterator[FakeProcess]:
    """Run a fake while a block runs."""
    file = folder / f"{kind}.json"
    file.write_text(json.dumps(settings))
    path = folder / f"{kind}.log"
    arguments = [kind, "--port", str(port), "--settings", str(file), "--verbose"]
    path.write_bytes(b"")  # a restarted fake has no state
    process: Process
    if is_forking():
        process = start_forked("tsvc.commands.fake:command", arguments, path, os.environ, ROOT)
    else:
        with path.open("ab") as log:
            process = subprocess.Popen([*COMMAND, *arguments], stdout=log, stderr=log, cwd=ROOT)
    try:
        host, found = _address(process, path)
        yield FakeProcess(process, host, found, path)
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)


def _address(process: Process, path: Path) -> tuple[str, int]:
    def first_line() -> str:
        first, end, _ = path.read_text().partition("\n")
        if end and re.search(" (listens on|connects to) ", first):
            return first
        assert process.poll() is None, path.read_text()
        return ""

    line = until(first_line, what=path.read_text)
    host, _, port = line.rpartition(" ")[2].rpartition(":")
    return host, int(port)
