"""Signals as a queue: a handler does nothing but note which one came; the main greenlet acts."""

import signal
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import gevent
from gevent.queue import SimpleQueue

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1)


class SignalQueue:
    """The signals that came, in their order; a context manager that restores what was."""

    def __init__(self, handled: Sequence[signal.Signals] = HANDLED) -> None:
        self._handled = handled
        self._queue: SimpleQueue[signal.Signals | None] = SimpleQueue()
        self._watchers: list[Any] = []

    def __enter__(self) -> "SignalQueue":
        self._watchers = [
            gevent.signal_handler(number, self._queue.put, number) for number in self._handled
        ]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for watcher in self._watchers:
            watcher.cancel()

    def wait(self) -> signal.Signals | None:
        """Return the next signal, or None after wake(). Blocks: until there is one."""
        return self._queue.get()

    def wake(self) -> None:
        """Make wait() return None."""
        self._queue.put(None)
