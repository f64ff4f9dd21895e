"""The other side of support/forked.py: imports all of tsvc once, then forks requested processes.

Each process executes the entry point of its module from its first statement; it only saves the
imports. Nothing here makes an event loop: each process makes its own, as without forking.
"""

from gevent import monkey

monkey.patch_all()

import contextlib  # noqa: E402
import functools  # noqa: E402
import gc  # noqa: E402
import importlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import pkgutil  # noqa: E402
import signal  # noqa: E402
import socket  # noqa: E402
import sys  # noqa: E402
from array import array  # noqa: E402
from typing import Any  # noqa: E402

import gevent  # noqa: E402
from gevent._hub_local import get_hub_if_exists  # noqa: E402
from gevent.event import AsyncResult  # noqa: E402
from gevent.fileobject import FileObject  # noqa: E402

# The packages that daemons, their workers, fakes and the GUI load; without modules that import
# Locust, which makes an event loop.
LOADED = ("archive", "cluster", "config", "engine", "flow", "gateways", "gui", "kinds", "methods")
LOADED += ("operations", "protocols", "results", "scp", "server", "ss7", "transport")
LOOPING = ("tsvc.cluster.runners", "tsvc.cluster.sockets")
WORKER = "tsvc.cluster.process"
HIGHEST_FD = 256
STDIN = 0

_socket: Any = monkey.get_original("socket", "socket")  # the patched one would make a loop
_select: Any = monkey.get_original("select", "select")
_fork: Any = monkey.get_original("os", "fork")
_waitpid: Any = monkey.get_original("os", "waitpid")


def load() -> None:
    for name in LOADED:
        package = importlib.import_module(f"tsvc.{name}")
        for found in pkgutil.walk_packages(package.__path__, f"tsvc.{name}."):
            if not found.name.endswith("__main__") and found.name not in LOOPING:
                importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


def serve(path: str) -> dict[str, Any]:
    """Fork for each request; in the requested process, return the request.

    A request is a line of JSON on its own connection, with a descriptor if the process gets one as
    standard input. The answers are lines as well: the process id at once and, when the process has
    ended, its status as waitpid() returns it. The process that started us keeps our standard input
    open; when it is closed, this process ends.
    """
    room = socket.CMSG_SPACE(array("i", [0]).itemsize)
    with _socket(1, 1) as listener:  # AF_UNIX, SOCK_STREAM
        listener.bind(path)
        listener.listen(64)
        while STDIN not in _select([listener, STDIN], [], [])[0]:
            # accept() would make a socket of the patched class, which makes an event loop.
            connection = _socket(fileno=listener._accept()[0])
            line, beside, _, _ = connection.recvmsg(65536, room)
            stdin = array("i", b"".join(octets for _, _, octets in beside))
            while not line.endswith(b"\n"):
                line += connection.recv(65536)
            if _fork():
                connection.close()
                for number in stdin:
                    os.close(number)
                while _reaped():
                    pass
                continue
            if (process := _fork()) == 0:
                return {**json.loads(line), "stdin": [*stdin]}
            for number in stdin:
                os.close(number)
            with contextlib.suppress(OSError):
                connection.sendall(b"%d\n" % process)
            _, status = _waitpid(process, 0)
            with contextlib.suppress(OSError):  # the requesting process may have ended
                connection.sendall(b"%d\n" % status)
            os._exit(0)
    while _reaped():
        pass
    os.unlink(path)
    os.rmdir(os.path.dirname(path))
    sys.exit(0)


def _reaped() -> bool:
    try:
        return bool(_waitpid(-1, os.WNOHANG)[0])
    except ChildProcessError:
        return False


class Worker:
    """The part of gevent's Popen that a daemon uses for its workers, for a forked worker."""

    def __init__(self, path: str, log: str, command: list[str], stdin: int) -> None:
        """`path` and `log` are the daemon's own; the command is `python -m` with the module."""
        assert command[1:] == ["-m", WORKER]
        reading, writing = os.pipe()
        self.stdin = FileObject(writing, "wb")
        self.returncode: int | None = None
        self._status: AsyncResult[int] = AsyncResult()
        request = {"entry": f"{WORKER}:main", "arguments": [], "log": log, "cwd": os.getcwd()}
        line = json.dumps({**request, "environ": dict(os.environ)}).encode() + b"\n"
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(path)
        sent = connection.sendmsg(
            [line], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [reading]))]
        )
        connection.sendall(line[sent:])
        os.close(reading)
        answers = connection.makefile("rb")
        self.pid = int(answers.readline())
        gevent.spawn(self._end, connection, answers)

    def _end(self, connection: socket.socket, answers: Any) -> None:
        with connection, answers:
            self.returncode = os.waitstatus_to_exitcode(int(answers.readline()))
        self._status.set(self.returncode)

    def poll(self) -> int | None:
        return self.returncode

    def wait(self) -> int:
        return self._status.get()

    def kill(self) -> None:
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


def become(request: dict[str, Any], path: str) -> Any:
    """Turn this process into the requested one; return the entry point.

    Here the descriptors of an earlier event loop would be closed. libev notices the fork, makes
    new descriptors, and copies one over the old number, which may be in use by then.
    """
    assert get_hub_if_exists() is None, "an event loop was made before the fork"
    for number in request["stdin"] or [os.open(os.devnull, os.O_RDONLY)]:
        os.dup2(number, STDIN)
    os.closerange(3, HIGHEST_FD)
    log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["environ"])
    module, _, function = request["entry"].partition(":")
    sys.argv = [module, *request["arguments"]]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # The workers of a daemon are forked from the same process as the daemon.
    processes: Any = importlib.import_module("tsvc.cluster.processes")
    processes.Popen = functools.partial(Worker, path, request["log"])
    return getattr(importlib.import_module(module), function)


if __name__ == "__main__":
    load()
    own = sys.argv[1]
    become(serve(own), own)()
