"""Node.js as the server under test: a script that listens on a free port and prints it."""

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from support.daemons import HANG_GUARD_S, require_peer

NODE = shutil.which("node")
_LISTEN = """
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
"""


@contextlib.contextmanager
def running_node(script: str, *arguments: str, cwd: Path | None = None) -> Iterator[int]:
    """Run a script that makes `server`; yield its port. Skip without Node (fail in CI)."""
    require_peer(NODE, "apt-get install nodejs")
    assert NODE is not None
    command = [NODE, "-e", script + _LISTEN, *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=cwd)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line, "node has ended"
        yield int(line)
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)
        process.stdout.close()
