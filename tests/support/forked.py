"""Daemons, their workers, fakes and GUIs whose imports are done: forked from a process that has
made them.

A start costs a tenth of what python -m tsvc... costs, which is more than a second of processor
time; the suite starts some hundred. tests/e2e/test_cli_daemon.py, test_service_init.py,
tests/docs/test_commands.py and others start the real commands, the demo of the cluster with real
workers.
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
    """As much of subprocess.Popen as is used here, for a process that is not our child."""

    def __init__(self, connection: socket.socket) -> None:
        self.returncode: int | None = None
        self._connection = connection
        self._octets = b""
        self.pid = self._line()

    def poll(self) -> int | None:
        """Return its exit status, or None while it runs."""
        if self.returncode is None and select.select([self._connection], [], [], 0)[0]:
            self.returncode = os.waitstatus_to_exitcode(self._line())
            self._connection.close()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return its exit status when it has ended. Errors: subprocess.TimeoutExpired."""
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
    """The process that forks: one for each that runs tests, from its first use to its end."""

    def __init__(self) -> None:
        self._path = f"{tempfile.mkdtemp(prefix='tsvc-forking-')}/socket"  # it removes both
        self._process = subprocess.Popen(
            [sys.executable, str(_FORKING), self._path], stdin=subprocess.PIPE
        )
        atexit.register(self._process.communicate)  # the end of its input is its own

    def connect(self) -> socket.socket:
        """Return a connection for one request. Blocks until it has made its imports."""
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
    """Whether processes are to be forked: in tests, not where starts or speed are measured.

    With Python 3.14 the event loop of a forked one ends with an assertion of libev.
    """
    return "PYTEST_CURRENT_TEST" in os.environ and sys.version_info < (3, 14)


@cache
def _forking() -> _Forking:
    return _Forking()


def start_forked(
    entry: str, arguments: Sequence[str], log: Path, environ: Mapping[str, str], cwd: Path
) -> ForkedProcess:
    """Start "module:function" of tsvc; what it prints goes to the end of a log."""
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
