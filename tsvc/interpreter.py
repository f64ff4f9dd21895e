"""Sharing of the interpreter lock between a busy event loop and other threads.

A waiting thread requests the lock when another thread has held it for the whole switch interval;
the holder then releases it. Each time the loop polls its sockets, it releases the lock for an
instant. That is too short for the waiting thread to take the lock, and its wait starts again.
"""

import sys
from contextlib import suppress
from time import monotonic

from gevent.monkey import get_original

# Well below the time between two polls of a busy loop; otherwise a thread would wait for seconds.
# A thread waits each time that it returns from the disk, or has itself worked for this interval.
# So the work of a thread beside a busy loop should be short.
_SHARED_S = 0.00002

# _LONGER_S is used where a wait of _SHARED_S takes more than _MOST_STRETCHED times as long.
_MOST_STRETCHED, _LONGER_S = 4, 0.0001
_WAITS = 10  # that are measured; even on a busy machine one of them is as short as possible

_PR_SET_TIMERSLACK, _SLACK_NS, _USUAL_SLACK = 29, 1000, 0  # linux/prctl.h


def share_interpreter() -> None:
    """Set a short switch interval, so that threads (archive, blocking drivers) get to run.

    gevent also uses this interval: after fifty callbacks it runs them for at most so long.

    Linux adds 50 µs to each wait of a thread, so also to these waits, unless the timer slack is
    set. It is set for this thread, and for the threads that it starts from now on.

    On an emulated machine a wait costs more than it lasts. Threads that wait so often leave almost
    no time for the working thread there, so the interval is longer.
    """
    sys.setswitchinterval(_SHARED_S)
    _set_slack(_SLACK_NS)
    if _shortest_wait_s(_SHARED_S) > _MOST_STRETCHED * _SHARED_S:
        sys.setswitchinterval(_LONGER_S)
        _set_slack(_USUAL_SLACK)


def _set_slack(nanoseconds: int) -> None:
    with suppress(ImportError, OSError, AttributeError, MemoryError):  # not Linux, or forbidden
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(nanoseconds), 0, 0, 0)


def _shortest_wait_s(seconds: float) -> float:
    """Return how long the shortest of some waits of `seconds` really takes, in seconds."""
    lock = get_original("_thread", "allocate_lock")()
    lock.acquire()
    found = []
    for _ in range(_WAITS):
        began_at = monotonic()
        lock.acquire(timeout=seconds)
        found.append(monotonic() - began_at)
    return min(found)
