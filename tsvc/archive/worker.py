"""A thread for blocking calls, one after the other, each with a deadline."""

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar, cast

import gevent
from gevent.event import AsyncResult
from gevent.lock import Semaphore
from gevent.threadpool import ThreadPool

from tsvc.values import dataclass

T = TypeVar("T")

_PORTIONS = 10  # of a deadline; a time in which this process is stopped counts as one of them


class TooLate(Exception):
    """A call has not returned by its deadline; the thread continues it."""


class Worker:
    """One thread that makes all calls, so that its resource has one user at a time.

    A call that has not returned by its deadline keeps the thread; until it returns, other calls
    fail at once. An earlier caller waits up to one deadline for the thread and one for its call.
    Deadlines are waited for in portions, so that time in which this process was stopped does not
    count against the archive.
    """

    def __init__(self, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self.is_stuck = False
        self._thread = ThreadPool(1)
        self._turn = Semaphore(1)

    def perform(
        self,
        call: Callable[[], T],
        undo: Callable[[T], None] | None = None,
        deadline_s: float | None = None,
    ) -> T:
        """Make a call in the thread and return its result. Errors: TooLate, and those of the call.

        If the caller no longer waits, for any reason, `undo` gets the result, in a new greenlet.
        Blocks: up to twice the deadline.
        """
        if self.is_stuck or not _within(self.deadline_s, self._has_turn):
            raise TooLate
        try:
            task: AsyncResult[_Done[T]] = self._thread.spawn(_captured, call)
        except BaseException:
            self._turn.release()
            raise
        task.rawlink(self._has_returned)
        try:
            is_back = _within(
                self.deadline_s if deadline_s is None else deadline_s,
                partial(_is_over, task),
            )
            if not is_back:
                self.is_stuck = not task.ready()
                raise TooLate
        except BaseException:
            if undo is not None:
                task.rawlink(lambda done: gevent.spawn(_undo_done, done.value, undo))
            raise
        done = cast("_Done[T]", task.get())
        try:
            if done.error is not None:
                raise done.error
            return cast(T, done.value)
        finally:
            # Otherwise the error's traceback refers to this frame, and this frame to the error:
            # the rows of the call would stay until a full garbage collection.
            del done, task

    def _has_turn(self, seconds: float) -> bool:
        return self._turn.acquire(timeout=seconds)

    def stop(self) -> None:
        """End the thread, unless it is stuck."""
        if not self.is_stuck:
            self._thread.kill()

    def _has_returned(self, _: object) -> None:
        self.is_stuck = False
        self._turn.release()


@dataclass(frozen=True, slots=True)
class _Done(Generic[T]):
    value: T | None = None
    error: Exception | None = None


def _captured(call: Callable[[], T]) -> _Done[T]:
    """Make a call and return its result or its error as a value.

    gevent would first write a raised error to stderr. If that fails (a full disk), the error would
    be lost.
    """
    try:
        return _Done(call())
    except Exception as error:  # noqa: BLE001 - raised again where it is waited for
        return _Done(error=error)


def _is_over(task: "AsyncResult[_Done[T]]", seconds: float) -> bool:
    return task.wait(seconds) is not None


def _undo_done(done: _Done[T] | None, undo: Callable[[T], None]) -> None:
    if done is not None and done.error is None:
        undo(cast(T, done.value))


def _within(seconds: float, wait: Callable[[float], bool]) -> bool:
    """Return True if a wait succeeds in time. Blocks: until then."""
    return any(wait(seconds / _PORTIONS) for _ in range(_PORTIONS))
