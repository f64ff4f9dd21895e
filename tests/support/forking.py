"""The other side of support/forked.py: imports all of tsvc once, then forks what is asked for.

Each process is the entry point of its module from its first statement on; imports are all that it
is spared. Nothing here makes an event loop: each process has its own, as without us.
"""

from gevent import monkey

monkey.patch_all()

import contextlib  # noqa: E402
import gc  # noqa: E402
import importlib  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import pkgutil  # noqa: E402
import signal  # noqa: E402
import sys  # noqa: E402
from typing import Any  # noqa: E402

from gevent._hub_local import get_hub_if_exists  # noqa: E402

# What daemons and fakes load sooner or later.
LOADED = ("archive", "config", "engine", "flow", "gateways", "kinds", "methods", "operations")
LOADED += ("protocols", "results", "scp", "server", "ss7", "transport")
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
            if not found.name.endswith("__main__"):
                importlib.import_module(found.name)
    gc.collect()
    gc.freeze()


def serve(path: str) -> dict[str, Any]:
    """Fork for each request; in the process that is asked for, return the request.

    A request is a line of JSON on a connection of its own. The answers are lines as well: the
    process id at once and, when it has ended, its status as waitpid() gives it. Who started us
    keeps our standard input open; with its end comes ours.
    """
    with _socket(1, 1) as listener:  # AF_UNIX, SOCK_STREAM
        listener.bind(path)
        listener.listen(64)
        while STDIN not in _select([listener, STDIN], [], [])[0]:
            # accept() would make a socket of the patched class, and that an event loop.
            connection = _socket(fileno=listener._accept()[0])
            line = b""
            while not line.endswith(b"\n"):
                line += connection.recv(65536)
            if _fork():
                connection.close()
                while _reaped():
                    pass
                continue
            if (process := _fork()) == 0:
                return dict(json.loads(line))
            with contextlib.suppress(OSError):
                connection.sendall(b"%d\n" % process)
            _, status = _waitpid(process, 0)
            with contextlib.suppress(OSError):  # nobody may be left to hear of it
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


def become(request: dict[str, Any]) -> Any:
    """Make of this process what was asked for; return the entry point.

    A loop made before would have its descriptors closed here. libev finds that it was forked,
    makes new ones, and copies one over whatever has the old number by then.
    """
    assert get_hub_if_exists() is None, "an event loop was made before the fork"
    os.closerange(STDIN, 1)
    os.open(os.devnull, os.O_RDONLY)
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
    return getattr(importlib.import_module(module), function)


if __name__ == "__main__":
    load()
    become(serve(sys.argv[1]))()
