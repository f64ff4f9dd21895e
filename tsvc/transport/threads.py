"""Two ways to make a blocking call with a deadline: in this greenlet, or in a thread.

Code whose sockets gevent has patched waits without holding the event loop; a C library that
blocks (SQLite, a vendor's client) holds it, so it runs in a thread. A greenlet that runs out of
time is interrupted where it waits. A thread can't be: it goes on, and keeps its place, until the
call returns; nobody gets that answer.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

import gevent
from gevent.lock import BoundedSemaphore
from gevent.threadpool import ThreadPool

T = TypeVar("T")
_Outcome = tuple[Any, Exception | None]


class OutOfTime(Exception):
    """A call did not return before its deadline, or found no thread."""


class Caller(Protocol):
    """How to make a call."""

    def call(self, function: Callable[[], T], seconds: float | None) -> T:
        """Return what the function returns. Blocks: up to `seconds`, None: for good.

        Errors: OutOfTime, and whatever the function raises.
        """

    def close(self) -> None:
        """Keep no thread that is idle; calls in progress go on. Never switches."""


class InGreenlet:
    """Calls in the calling greenlet."""

    def call(self, function: Callable[[], T], seconds: float | None) -> T:
        # Bare, without an exception of ours: `except Exception` in the called code can't eat it.
        with gevent.Timeout(seconds) as deadline:
            try:
                return function()
            except gevent.Timeout as passed:
                if passed is not deadline:
                    raise
        raise OutOfTime(f"no answer within {seconds:g} s")

    def close(self) -> None:
        return


class InThreads:
    """Calls in at most `size` threads of its own.

    Of its own, because name resolution uses those of the hub, and calls that hang would take them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._places = BoundedSemaphore(size)
        self._pool = ThreadPool(size)

    @property
    def busy(self) -> int:
        """How many threads are in a call, those included that nobody waits for any more."""
        return self._size - self._places.counter

    def call(self, function: Callable[[], T], seconds: float | None) -> T:
        deadline = gevent.Timeout(seconds)
        deadline.start()
        try:
            self._places.acquire()
            return self._in_thread(function)
        except gevent.Timeout as passed:
            if passed is not deadline:
                raise
            raise OutOfTime(f"no answer within {seconds:g} s") from None
        finally:
            deadline.close()

    def _in_thread(self, function: Callable[[], T]) -> T:
        try:
            task = self._pool.spawn(_captured, function)
        except BaseException:
            self._places.release()
            raise
        # However the caller's wait ends, the place is taken until the thread is done.
        task.rawlink(lambda _: self._places.release())
        value, error = cast(_Outcome, task.get())
        try:
            if error is not None:
                raise error
            return cast(T, value)
        finally:
            # Else the error's traceback holds this frame, and this frame the error: what the
            # called code had in its hands, a connection perhaps, waits for a full collection.
            del task, error

    def close(self) -> None:
        gevent.spawn(self._end_threads)

    def _end_threads(self) -> None:
        """Let the threads end, each once it is idle. Blocks: until then. Later calls make new."""
        self._pool.size = 0


def _captured(function: Callable[[], Any]) -> _Outcome:
    """Call, and bring an error back as a value: gevent would write it to stderr first."""
    try:
        return function(), None
    except Exception as error:  # noqa: BLE001 - raised again where it is waited for
        return None, error
