"""Lines from and to a process of a peer, while other greenlets run."""

import contextlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import gevent
from gevent.select import select

from support.waiting import GUARD_S


class Lines:
    """A process that reads and writes lines; its standard error goes into `log`."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
            )
        self._name = Path(command[0]).name
        self._log = log
        self._unread = b""

    def write(self, line: str) -> None:
        """Send one line."""
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        self._process.stdin.flush()

    def read(self) -> bytes:
        """Return the next line. Blocks: for up to GUARD_S, after which it fails."""
        assert self._process.stdout is not None
        number = self._process.stdout.fileno()
        silent = AssertionError(f"{self._name} is silent: {self._tail()}")
        with gevent.Timeout(GUARD_S, silent):
            while b"\n" not in self._unread:
                select([number], [], [])
                part = os.read(number, 65536)
                assert part, f"{self._name} has ended: {self._tail()}"
                self._unread += part
        line, self._unread = self._unread.split(b"\n", 1)
        return line

    def kill(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()

    def _tail(self) -> str:
        return self._log.read_text(errors="replace")[-3000:]
