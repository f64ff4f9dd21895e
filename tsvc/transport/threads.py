"""Makes a blocking call with a deadline: in this greenlet, in one of its own, or in a thread.

Code whose sockets are patched by gevent waits without blocking the event loop. A C library that
blocks (SQLite, a vendor's client) does block it, so it runs in a thread. A greenlet that runs out
of time is interrupted where it waits. Foreign code may ignore that, so it runs in a greenlet of
its own, and the caller goes on without it. A thread can't be interrupted: it keeps its slot until
the call returns, and the result is dropped.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeVar, cast

import gevent
from gevent.lock import BoundedSemaphore
from gevent.threadpool import ThreadPool

from tsvc.clock import SYSTEM_CLOCK
from tsvc.deadline import Deadline

T = TypeVar("T")
_Outcome = tuple[Any, BaseException | None, float]


class OutOfTime(Exception):
    """A call did not return before its deadline, or found no thread.

    `stalled_s`: the longest time that it blocked the event loop, if that is known.
    """

    stalled_s = 0.0


class Ended(Exception):
    """Called code tried to end the program, as sys.exit() does. The program goes on."""


class Caller(Protocol):
    """A way to make a call."""

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        """Return the result of the function. Blocks: up to `seconds`, None: without a limit.

        `name`: of the call, for people.
        Errors: OutOfTime, and those of the function; Ended if it raises no Exception.
        """

    def close(self) -> None:
        """Release idle threads; calls in progress go on. Never switches."""


def _late(seconds: float | None) -> OutOfTime:
    return OutOfTime(f"no answer within {seconds:g} s")


class InGreenlet:
    """Calls in the calling greenlet."""

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        with Deadline(seconds, lambda: _late(seconds)):
            return function()

    def close(self) -> None:
        return


class InOwnGreenlet:
    """Makes one call at a time, each in a greenlet of its own; for code that may do anything.

    The deadline begins with the call. `note_stall` is called with the name of a call and the
    longest time in seconds that it blocked the event loop.
    """

    def __init__(self, note_stall: Callable[[str, float], None]) -> None:
        self._note_stall = note_stall
        self._place = BoundedSemaphore(1)

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        self._place.acquire()
        task = _Watched(name, function)
        task.rawlink(lambda _: self._place.release())
        task.start()
        began = SYSTEM_CLOCK.now()
        try:
            with Deadline(seconds, lambda: _late(seconds)):
                took_s = task.get()[2] - began
                # A function that blocks the loop keeps the deadline from firing: it is late if it
                # would have been in time without that. If the process stood still for another
                # reason, the deadline has decided.
                if seconds is not None and took_s - task.longest_s <= seconds < took_s:
                    raise _late(seconds)
                return cast(T, _value_of(task.get()))
        except OutOfTime as late:
            raise task.late(late) from None
        finally:
            task.kill(block=False)
            if task.longest_s > STALL_S:
                self._note_stall(name, task.longest_s)
            del task  # break the cycle: the task's error has a traceback with this frame

    def join(self) -> None:
        """Wait until no call is in progress. Blocks: until then."""
        with self._place:
            pass

    def close(self) -> None:
        return


STALL_S = 0.1  # a call that blocks the event loop for longer is reported


class _Watched(gevent.Greenlet):  # type: ignore[type-arg]  # it takes none at run time
    """A greenlet that measures the longest time that it blocked the event loop, in seconds."""

    latest: ClassVar[tuple[str, float, float]] = ("", 0.0, 0.0)  # name, seconds, end of a stall

    def __init__(self, name: str, function: Callable[[], Any]) -> None:
        super().__init__(_captured, function)
        self.called = name
        self.longest_s = 0.0

    def late(self, error: OutOfTime) -> OutOfTime:
        """Return the error with the stall that may be its reason."""
        error.stalled_s = self.longest_s
        return error

    def switch(self, *args: Any) -> Any:
        began = SYSTEM_CLOCK.now()
        try:
            return super().switch(*args)
        finally:
            self._note(began)

    def throw(self, *args: Any) -> Any:
        began = SYSTEM_CLOCK.now()
        try:
            return super().throw(*args)
        finally:
            self._note(began)

    def _note(self, began: float) -> None:
        now = SYSTEM_CLOCK.now()
        self.longest_s = max(self.longest_s, now - began)
        if now - began > STALL_S:
            _Watched.latest = (self.called, now - began, now)


def stalled_by(lag_s: float) -> str:
    """Return the foreign call that has just blocked the event loop for about so long, or ""."""
    name, seconds, at = _Watched.latest
    return name if seconds > lag_s / 2 and SYSTEM_CLOCK.now() - at < lag_s else ""


class InThreads:
    """Makes calls in at most `size` threads of its own.

    Not in those of the hub: name resolution needs them, and calls that hang would occupy them.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._places = BoundedSemaphore(size)
        self._pool = ThreadPool(size)

    @property
    def busy(self) -> int:
        """The number of threads in a call, including calls whose caller has given up."""
        return self._size - self._places.counter

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        with Deadline(seconds, lambda: _late(seconds)):
            self._places.acquire()
            return cast(T, _value_of(self._in_thread(function)))

    def _in_thread(self, function: Callable[[], Any]) -> _Outcome:
        try:
            task = self._pool.spawn(_captured, function)
        except BaseException:
            self._places.release()
            raise
        # The slot is occupied until the thread is done, even if the caller's wait ends before.
        task.rawlink(lambda _: self._places.release())
        return cast(_Outcome, task.get())

    def close(self) -> None:
        gevent.spawn(self._end_threads)

    def _end_threads(self) -> None:
        """End the threads, each once it is idle. Blocks: until then. Later calls make new ones."""
        self._pool.size = 0


def _captured(function: Callable[[], Any]) -> _Outcome:
    """Call a function. Return its result or its error, and the time when it was over.

    gevent would write an error that is not returned to stderr, or end the program.
    """
    try:
        return function(), None, SYSTEM_CLOCK.now()
    except BaseException as error:  # noqa: BLE001 - raised again in _value_of()
        return None, error, SYSTEM_CLOCK.now()


def _value_of(outcome: _Outcome) -> Any:
    """Return the result of a call. Errors: those of the call."""
    value, error, _ = outcome
    try:
        if isinstance(error, Exception):
            raise error
        if error is not None:
            raise Ended(f"{type(error).__name__} {error}".rstrip()) from None
        return value
    finally:
        # Otherwise the error's traceback holds this frame, and this frame the error. Objects of
        # the called code, such as a connection, would then live until a full collection.
        del outcome, error
