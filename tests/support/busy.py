"""Runs a command beside four busy loops and a disk that is written to: `make test-busy`.

python -m support.busy make test

The exit status is that of the command, except for usage errors. The load ends with the command; if
this process is killed, the load ends after two hours.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

LOOPS = 4
LONGEST_S = 7200
_LOOP = f"import time\nend = time.monotonic() + {LONGEST_S}\nwhile time.monotonic() < end: pass"
# 64 MiB, written and synced again and again
_WRITER = f"""
import os, sys, time
end = time.monotonic() + {LONGEST_S}
with open(sys.argv[1], "wb", buffering=0) as file:
    while time.monotonic() < end:
        file.seek(0)
        for _ in range(64):
            file.write(bytes(1 << 20))
        os.fsync(file.fileno())
"""


@contextmanager
def load() -> Iterator[None]:
    """Keep the processors and the disk busy while a block runs."""
    with tempfile.NamedTemporaryFile(prefix="tsvc-busy-") as file:
        commands = [[_LOOP]] * LOOPS + [[_WRITER, file.name]]
        processes = [subprocess.Popen([sys.executable, "-c", *one]) for one in commands]
        try:
            yield
        finally:
            for process in processes:
                process.kill()
            for process in processes:
                process.wait()


def main(command: Sequence[str]) -> int:
    """Run the command and return its exit status."""
    with load():
        return subprocess.run(command).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
