"""Deadlines: wait for a peer, and leave a block after a time.

A verdict must not depend on how busy the tester is. Every wait for a peer therefore ends in the
same three steps (`overtime`):

* The event loop starts a timer at the time when it last read the clock, so a timer can fire
  early. In this case the wait continues until its end.
* A timer that fires late shows that this process was stopped. Messages of the peer could not be
  received during that time, so the wait is extended by it.
* Messages that have arrived count. The loop may handle a timer before a readable socket, so the
  sockets are read once more before the wait ends.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import Any

import gevent

READ_S = 1e-6  # a timer of this length fires after the sockets have been read
LATE_S = 0.01  # a timer that is later than this shows that the process was stopped
MOST_TIMES = 10  # the number of times that a wait is extended


def overtime(due: float, seconds: float, now: Callable[[], float] = monotonic) -> Iterator[float]:
    """Yield how many more seconds to wait, each time the timer of a wait has fired.

    `due`: when the wait of `seconds` was to end, on the clock `now`. A wait is extended at most
    ten times, each time by at most `seconds`. In the last step the sockets are read.
    """
    for _ in range(MOST_TIMES):
        late = now() - due
        if 0 <= late <= LATE_S:
            break
        left = -late if late < 0 else min(late, seconds)
        due = now() + left
        yield left
    yield READ_S


class Deadline:
    """`with Deadline(seconds, late)`: after that time the block is left, and late() is raised.

    None: there is no limit. The exception that is thrown into the block is not an Exception, so
    that `except Exception` inside can't swallow it. Other timeouts pass through. The traceback of
    the timeout is dropped because it forms a reference cycle with the frames of the block. The
    objects of these frames would stay in memory until a full garbage collection.
    """

    __slots__ = ("_greenlet", "_late", "_overtime", "_seconds", "_timeout", "_timer")

    def __init__(self, seconds: float | None, late: Callable[[], BaseException]) -> None:
        self._seconds = seconds
        self._late = late
        self._timer: Any = None

    def __enter__(self) -> None:
        if self._seconds is None:
            return
        self._timeout = gevent.Timeout(None)  # never started: it only marks whose timeout it is
        self._greenlet = gevent.getcurrent()
        self._overtime = overtime(monotonic() + self._seconds, self._seconds)
        self._start(self._seconds)

    def _start(self, seconds: float) -> None:
        self._timer = gevent.get_hub().loop.timer(max(seconds, 0.0))
        self._timer.start(self._fired)

    def _fired(self) -> None:
        self._stop()
        left = next(self._overtime, None)
        if left is None:
            self._greenlet.throw(self._timeout)
        else:
            self._start(left)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
            self._timer = None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._seconds is None:
            return
        self._stop()
        # Break the reference cycle so that the frame of the block is freed immediately.
        del self._greenlet
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
