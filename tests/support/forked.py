"""Starts daemons, their workers, fakes and GUIs quickly: forks them from a process that has made
all imports.

A start takes a tenth of the time of python -m tsvc..., which is more than a second of processor
time; the suite starts about a hundred processes. tests/e2e/test_cli_daemon.py,
test_service_init.py, tests/docs/test_commands.py and others start the real commands, the demo of
the cluster with real workers.
"""

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from support.waiting import until

_FORKING = Path(__file__).with_name("forking.py")


class ForkedProcess:
    """The used part of the interface of subprocess.Popen, for a process that is not our child."""

    def __init__(self, connection: socket.socket) -> None:
        self.returncode: int | None = None
        self._connection = connection
        self._octets = b""
        self.pid = self._line()

    def poll(self) -> int | None:
        """Return the exit status; None while the process runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self.returncode = os.waitstatus_to_exitcode(self._line())
            self._connection.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and return the exit status. Errors: subprocess.TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._connection], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
            self.poll()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _line(self) -> int:
        while b"\n" not in self._octets:
            portion = self._connection.recv(4096)
            assert portion, "the process that forks has ended"
            self._octets += portion
        line, _, self._octets = self._octets.partition(b"\n")
        return int(line)


Process = ForkedProcess | subprocess.Popen[bytes]


class _Forking:
    """The process that forks; each process that runs tests has one, from its first use on."""

    def __init__(self) -> None:
        self._path = f"{tempfile.mkdtemp(prefix='tsvc-forking-')}/socket"  # it removes both
        self._process = subprocess.Popen(
            [sys.executable, str(_FORKING), self._path], stdin=subprocess.PIPE
        )
        atexit.register(self._process.communicate)  # it ends when its input ends

    def connect(self) -> socket.socket:
        """Return a connection for one request. Blocks: until the process has made its imports."""
        return until(self._attempt)

    def _attempt(self) -> socket.socket | None:
        assert self._process.poll() is None, "the process that forks has ended"
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(self._path)
        except OSError:
            connection.close()
            return None
        return connection


def is_forking() -> bool:
    """Return True if processes are forked: in tests, but not where starts or speed are measured.

    With Python 3.14 the event loop of a forked process ends with an assertion of libev.
    """
    return "PYTEST_CURRENT_TEST" in os.environ and sys.version_info < (3, 14)


@cache
def _forking() -> _Forking:
    return _Forking()


def start_forked(
    entry: str, arguments: Sequence[str], log: Path, environ: Mapping[str, str], cwd: Path
) -> ForkedProcess:
    """Start "module:function" of tsvc; its output is appended to a log."""
    log.open("ab").close()
    connection = _forking().connect()
    request = {
        "entry": entry,
        "arguments": list(arguments),
        "log": str(log),
        "environ": dict(environ),
        "cwd": str(cwd),
    }
    connection.sendall(json.dumps(request).encode() + b"\n")
    return ForkedProcess(connection)
