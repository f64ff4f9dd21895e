"""Ways to make a blocking call with a deadline: in this greenlet, in one of its own, in a thread.

Code whose sockets gevent has patched waits without holding the event loop; a C library that
blocks (SQLite, a vendor's client) holds it, so it runs in a thread. A greenlet that runs out of
time is interrupted where it waits; foreign code may swallow that, so it has a greenlet of its own,
and whoever waits is gone by then. A thread can't be interrupted: it goes on, and keeps its place,
until the call returns; nobody gets that answer.
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

    `stalled_s`: for how long at a time it let nothing else run, where that is known.
    """

    stalled_s = 0.0


class Ended(Exception):
    """Called code raised what is meant to end a program, as sys.exit() does. Its end it is not."""


class Caller(Protocol):
    """How to make a call."""

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        """Return what the function returns. Blocks: up to `seconds`, None: for good.

        `name`: of the call, for people.
        Errors: OutOfTime, whatever the function raises; Ended if that is no Exception.
        """

    def close(self) -> None:
        """Keep no thread that is idle; calls in progress go on. Never switches."""


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
    """Calls one after the other, each in a greenlet of its own; for code that may do anything.

    The deadline begins with the call. `note_stall` is told the name of a call and for how many
    seconds at a time it has let nothing else run.
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
                return cast(T, _value_of(task.get(), seconds, began))
        except OutOfTime as late:
            raise task.late(late) from None
        finally:
            task.kill(block=False)
            if task.longest_s > STALL_S:
                self._note_stall(name, task.longest_s)
            del task  # it has the error, whose traceback has this frame

    def join(self) -> None:
        """Wait until no call goes on. Blocks: until then."""
        with self._place:
            pass

    def close(self) -> None:
        return


STALL_S = 0.1  # a call that lets nothing else run for longer is told


class _Watched(gevent.Greenlet):  # type: ignore[type-arg]  # it takes none at run time
    """A greenlet that knows for how long at most it had the loop to itself, in seconds."""

    latest: ClassVar[tuple[str, float, float]] = ("", 0.0, 0.0)  # name, seconds, end of a stall

    def __init__(self, name: str, function: Callable[[], Any]) -> None:
        super().__init__(_captured, function)
        self.called = name
        self.longest_s = 0.0

    def late(self, error: OutOfTime) -> OutOfTime:
        """Return the error, with the stall that may be the reason."""
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
    """Return the call of foreign code that has just let nothing run for about so long, or ""."""
    name, seconds, at = _Watched.latest
    return name if seconds > lag_s / 2 and SYSTEM_CLOCK.now() - at < lag_s else ""


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

    def call(self, function: Callable[[], T], seconds: float | None, name: str = "") -> T:
        began = SYSTEM_CLOCK.now()
        with Deadline(seconds, lambda: _late(seconds)):
            self._places.acquire()
            return cast(T, _value_of(self._in_thread(function), seconds, began))

    def _in_thread(self, function: Callable[[], Any]) -> _Outcome:
        try:
            task = self._pool.spawn(_captured, function)
        except BaseException:
            self._places.release()
            raise
        # However the caller's wait ends, the place is taken until the thread is done.
        task.rawlink(lambda _: self._places.release())
        return cast(_Outcome, task.get())

    def close(self) -> None:
        gevent.spawn(self._end_threads)

    def _end_threads(self) -> None:
        """Let the threads end, each once it is idle. Blocks: until then. Later calls make new."""
        self._pool.size = 0


def _captured(function: Callable[[], Any]) -> _Outcome:
    """Call, and bring an error back as a value: gevent would write it to stderr first, or end the
    program. With the moment when it was over.
    """
    try:
        return function(), None, SYSTEM_CLOCK.now()
    except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
        return None, error, SYSTEM_CLOCK.now()


def _value_of(outcome: _Outcome, seconds: float | None, began: float) -> Any:
    """Return what a call returned. Errors: what it raised; OutOfTime for what came too late."""
    value, error, over_at = outcome
    try:
        if seconds is not None and over_at - began > seconds:
            raise OutOfTime(f"no answer within {seconds:g} s") from None
        if isinstance(error, Exception):
            raise error
        if error is not None:
            raise Ended(f"{type(error).__name__} {error}".rstrip()) from None
        return value
    finally:
        # Else the error's traceback holds this frame, and this frame the error: what the called
        # code had in its hands, a connection perhaps, waits for a full collection.
        del outcome, error
