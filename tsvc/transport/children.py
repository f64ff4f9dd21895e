"""Processes that foreign code starts, while gevent has patched `subprocess`.

gevent's own Popen works only in the event loop's thread, and lets libev collect the exit status of
all children of this process. So a thread gets the unpatched Popen of the standard library. In the
event loop's thread Popen waits by a descriptor of its own process only.
"""

import importlib.util
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gevent.monkey
import gevent.subprocess

monkey: Any = gevent.monkey
cooperative: Any = gevent.subprocess
_DEPENDENCIES = ("os", "select", "threading", "time")
_ERRORS = ("CalledProcessError", "SubprocessError", "TimeoutExpired")


def share_subprocess() -> None:
    """Make `subprocess` work in threads; once more, or without a patch, it has no effect."""
    if not monkey.is_module_patched("subprocess") or not hasattr(os, "pidfd_open"):
        return
    standard: Any = sys.modules["subprocess"]
    if not hasattr(standard.Popen, "is_shared"):
        standard.Popen = cooperative.Popen = _dispatching(_unpatched(standard))


def _unpatched(patched: ModuleType) -> ModuleType:
    """Return the standard library's module, using modules that are not patched either."""
    spec = importlib.util.find_spec("subprocess")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in _DEPENDENCIES:
        twin = ModuleType(name)
        twin.__dict__.update(vars(sys.modules[name]))
        twin.__dict__.update(monkey.saved.get(name, {}))
        setattr(module, name, twin)
    for name in _ERRORS:  # the same classes, so that `except` matches
        setattr(module, name, getattr(patched, name))
    return module


def _dispatching(unpatched: Any) -> type:
    get_ident = monkey.get_original("_thread", "get_ident")
    of_loop = get_ident()

    class InThread(unpatched.Popen):  # type: ignore[misc]  # loaded at run time
        def wait(self, timeout: float | None = None, _raise_exc: bool = True) -> Any:
            # The call() of gevent passes an argument that the standard library's does not have.
            return super().wait(timeout)

    class Popen(cooperative.Popen):  # type: ignore[misc]  # found at run time
        """The standard library's Popen in a thread, gevent's in the event loop's thread."""

        is_shared = True

        def __new__(cls, *args: Any, **kwargs: Any) -> Any:
            if get_ident() != of_loop:
                return InThread(*args, **kwargs)
            return super().__new__(cls)

        @property
        def _loop(self) -> Any:
            return self.__dict__["_loop"]

        @_loop.setter
        def _loop(self, loop: Any) -> None:
            self.__dict__["_loop"] = _Loop(loop)

    return Popen


class _Loop:
    """gevent's loop, except for children: it waits only for the process that was started."""

    def __init__(self, loop: Any) -> None:
        self._loop = loop

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def install_sigchld(self) -> None:
        """Do not install the signal handler."""

    def child(self, pid: int, ref: bool = True) -> "_Child":
        """Return a watcher of one process."""
        return _Child(self._loop, pid)


class _Child:
    """Calls back once a process is over; `rpid`, `rstatus` as os.waitpid() returns them."""

    def __init__(self, loop: Any, pid: int) -> None:
        self.loop = loop
        self.pid = self.rpid = pid
        self.rstatus = 0
        self._fd = os.pidfd_open(pid)
        self._watcher = loop.io(self._fd, 1)

    def start(self, callback: Callable[..., object], *args: object) -> None:
        """Start to watch the process."""

        def over() -> None:
            self.close()
            self.rpid, self.rstatus = monkey.get_original("os", "waitpid")(self.pid, 0)
            callback(*args)

        self._watcher.start(over)

    def close(self) -> None:
        """Stop watching; a second call changes nothing."""
        if self._fd >= 0:
            self._watcher.stop()
            self._watcher.close()
            monkey.get_original("os", "close")(self._fd)
            self._fd = -1

    stop = close
