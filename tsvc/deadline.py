"""Leaving a block after a time, without a trace of it.

A gevent.Timeout that was raised knows the frames it went through, and one of these knows it: with
all that they hold they would stay until a full collection of garbage.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

import gevent


class Deadline:
    """`with Deadline(seconds, late)`: after that time the block is left, and late() is raised.

    None: no time is too long. What is thrown into the block is no Exception, so that
    `except Exception` inside can't eat it; other timeouts pass through.
    """

    __slots__ = ("_late", "_seconds", "_timeout")

    def __init__(self, seconds: float | None, late: Callable[[], BaseException]) -> None:
        self._seconds = seconds
        self._late = late

    def __enter__(self) -> None:
        self._timeout = gevent.Timeout.start_new(self._seconds)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._timeout.close()
        if error is not None and error is self._timeout:
            error.__traceback__ = None
            raise self._late() from None


class _Left(Exception):
    pass


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Leave the block after that time, silently."""
    try:
        with Deadline(seconds, _Left):
            yield
    except _Left:
        pass
