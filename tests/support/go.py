"""Go's compiler, for programs that a test runs for a moment."""

import os
import subprocess
from pathlib import Path

# Where its cache is empty, Go compiles its library first. Without cgo and without optimizing that
# costs half of the time, and programs that are built alike compile it once.
FLAGS = ("-gcflags=all=-N -l",)
ENVIRON = {"CGO_ENABLED": "0"}


def build(go: str, target: Path, source: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Return what the compiler said when it built a file, or the package of a folder."""
    folder, name = (source, ".") if source.is_dir() else (source.parent, source.name)
    return subprocess.run(
        [go, "build", *FLAGS, "-o", str(target), name],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRON, **environ},
    )
