"""Go's compiler, for programs that a test runs for a short time."""

import os
import subprocess
from pathlib import Path

# With an empty cache Go compiles its library first. Without cgo and without optimizing that
# takes half of the time, and programs with equal options compile it only once.
FLAGS = ("-gcflags=all=-N -l",)
ENVIRON = {"CGO_ENABLED": "0"}


def build(go: str, target: Path, source: Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Return the output of the compiler for a file, or for the package of a folder."""
    folder, name = (source, ".") if source.is_dir() else (source.parent, source.name)
    return subprocess.run(
        [go, "build", *FLAGS, "-o", str(target), name],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**os.environ, **ENVIRON, **environ},
    )
