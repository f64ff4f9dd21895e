"""The command `tsvc` as a separate process, and files for it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

from tsvc.cli.embedded import clean_environment

ROOT = Path(__file__).parents[2]
HANG_GUARD_S = 60


class Listening(Protocol):
    """Either kind of daemon."""

    port: int


def tsvc(
    daemon: Listening, *arguments: object, module: str = "tsvc.cli.main"
) -> subprocess.CompletedProcess[str]:
    """Run a command; its default service is the daemon."""
    return subprocess.run(
        [sys.executable, "-m", module, *map(str, arguments)],
        env={**clean_environment(), "TSVC_PORT": str(daemon.port)},
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )


def write(folder: Path, definition: Any, name: str = "test.json") -> Path:
    """Write a definition into a file, and return the path."""
    path = folder / name
    path.write_text(json.dumps(definition), "utf-8")
    return path
