"""go-diameter in a separate process: the counterpart of main.go."""

import fcntl
import json
import os
import shutil
from pathlib import Path
from typing import Any

from support.daemons import require_peer
from support.go import build
from support.lines import Lines

FOLDER = Path(__file__).parent
TARGET = FOLDER / "target"


def program() -> Path:
    """Return the built program. Without Go a test is skipped, or fails where peers are required.

    A guest can't build; it finds the program that was built before it was booted.
    """
    found = TARGET / "go-diameter"
    if os.environ.get("TSVC_GUEST"):
        return found
    go = require_peer(shutil.which("go"), "apt-get install golang-go")
    TARGET.mkdir(exist_ok=True)
    with (TARGET / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # workers of pytest begin at the same time
        done = build(go, found, FOLDER)
    require_peer("built" if done.returncode == 0 else None, f"go build: {done.stderr[-2000:]}")
    return found


class GoPeer:
    """One node. take() returns its next event."""

    def __init__(self, folder: Path, **options: object) -> None:
        given = (f"-{name}={value}" for name, value in options.items())
        self._lines = Lines([str(program()), *given], folder / "go-diameter.log")

    def say(self, *words: object) -> None:
        """Send it a command: see main.go."""
        self._lines.write(" ".join(str(word) for word in words))

    def take(self, event: str) -> dict[str, Any]:
        """Return the next event, which must be this one."""
        found = json.loads(self._lines.read())
        assert found.pop("event") == event, found
        return dict(found)

    def kill(self) -> None:
        """End the process."""
        self._lines.kill()
