"""How work that goes on lets others run: greenlets, timers, sockets and threads."""

import sys
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

import gevent
from gevent.hub import Waiter
from gevent.monkey import get_original

_LOOK_S = 0.0002  # how long sockets and timers may wait for work that goes on; a look takes 2 µs
SLICE_S = 0.001  # work in one go after which others are let run
_BURST_S = 0.0002  # the same of work in many small bits
_THREAD_S = 0.00002  # well below the time from one look of a busy loop to the next

# Where a wait of the one takes more than so many times as long as is asked for, the other.
_MOST_STRETCHED, _LONGER_THREAD_S = 4, 0.0001
_WAITS = 10  # that are looked at; on a busy machine one of them is as short as it can be

_PR_SET_TIMERSLACK, _SLACK_NS, _USUAL_SLACK = 29, 1000, 0  # linux/prctl.h

_last_look = 0.0  # monotonic seconds; of the process, which has one event loop


def share_interpreter() -> None:
    """Let threads (archive, blocking drivers) come to run beside a busy event loop.

    A thread asks for the interpreter when it was held for the switch interval in one go; each time
    the loop looks at sockets it lays it down for an instant, which is too short for a thread to
    take it, and the thread begins to wait anew. A loop with much to do looks twice a
    millisecond: with the 5 ms of Python a thread could wait for seconds. Between two requests for
    a run that is archived it gets the interpreter a dozen times (measured: tests/bench/bench_rpc).

    gevent also takes this interval as the longest it runs callbacks, after fifty of them.

    Linux adds 50 µs to each wait of a thread, so to each of those too, unless it is told not to:
    for this thread, and for those that it starts from now on.

    A wait costs a machine that emulates another one more than it lasts: threads that wait like
    that leave next to nothing for the one that works, and so they wait longer there.
    """
    sys.setswitchinterval(_THREAD_S)
    _set_slack(_SLACK_NS)
    if _shortest_wait_s(_THREAD_S) > _MOST_STRETCHED * _THREAD_S:
        sys.setswitchinterval(_LONGER_THREAD_S)
        _set_slack(_USUAL_SLACK)


def _set_slack(nanoseconds: int) -> None:
    with suppress(ImportError, OSError, AttributeError, MemoryError):  # not Linux, or not let
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(nanoseconds), 0, 0, 0)


def _shortest_wait_s(seconds: float) -> float:
    """Return how long the shortest of some waits of the thread takes that are to last so long."""
    lock = get_original("_thread", "allocate_lock")()
    lock.acquire()
    found = []
    for _ in range(_WAITS):
        began_at = monotonic()
        lock.acquire(timeout=seconds)
        found.append(monotonic() - began_at)
    return min(found)


def give_way() -> None:
    """Let others run: greenlets, and now and then what waits for sockets and timers.

    Blocks: for one turn. gevent.sleep(0) alone waits for greenlets only: the loop looks at
    sockets and timers after fifty such turns, which with turns of 1 ms is a twentieth of a second.
    """
    global _last_look
    if monotonic() - _last_look < _LOOK_S:
        gevent.sleep(0)
        return
    _look()
    _last_look = monotonic()


def slices() -> Callable[[], None]:
    """Return a function for long work to call: it lets others run when its slice is over."""
    began_at = monotonic()

    def look() -> None:
        nonlocal began_at
        if monotonic() - began_at > SLICE_S:
            give_way()
            began_at = monotonic()

    return look


class Burst:
    """Work in many small bits: after some of them, or some time, others are let run."""

    __slots__ = ("_left", "_most", "_until")

    def __init__(self, most: int) -> None:
        self._most = most
        self.begin()

    def begin(self) -> None:
        """Others have just run."""
        self._left = self._most
        self._until = monotonic() + _BURST_S

    def end(self) -> None:
        """Have others run before the next bit."""
        self._left = 0

    def bit(self) -> None:
        """Count a bit that comes now. Blocks: for a turn of others where it is time for that."""
        self._left -= 1
        if self._left < 0 or monotonic() > self._until:
            give_way()
            self.begin()


def _look() -> None:
    """Blocks: until the event loop has looked at sockets and timers."""
    hub = gevent.get_hub()
    waiter: Waiter[Any] = Waiter(hub)
    looked = hub.loop.check()  # tells when the loop has looked …
    idle = hub.loop.idle()  # … and lets it look without waiting for anything
    idle.start(_nothing)
    looked.start(waiter.switch, None)
    try:
        waiter.get()
    finally:
        looked.stop()
        idle.stop()
        looked.close()
        idle.close()


def _nothing() -> None:
    return
