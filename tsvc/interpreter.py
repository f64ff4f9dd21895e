"""How threads come by the interpreter beside an event loop that is busy.

A thread asks for the interpreter when another has held it for the switch interval in one go; who
holds it lays it down then. Each time the loop looks at sockets it lays it down for an instant,
which is too short for a thread to take it, and the thread begins to wait anew.
"""

import sys
from contextlib import suppress
from time import monotonic

from gevent.monkey import get_original

# Well below the time from one look of a busy loop to the next, or a thread would wait for seconds.
# It waits each time that it comes back from the disk, or has worked for so long itself: what a
# thread does beside a busy loop is to be short.
_SHARED_S = 0.00002

# Where a wait of the one takes more than so many times as long as is asked for, the other.
_MOST_STRETCHED, _LONGER_S = 4, 0.0001
_WAITS = 10  # that are looked at; on a busy machine one of them is as short as it can be

_PR_SET_TIMERSLACK, _SLACK_NS, _USUAL_SLACK = 29, 1000, 0  # linux/prctl.h


def share_interpreter() -> None:
    """Let threads (archive, blocking drivers) come to run beside a busy event loop.

    gevent also takes this interval as the longest it runs callbacks, after fifty of them.

    Linux adds 50 µs to each wait of a thread, so to each of those too, unless it is told not to:
    for this thread, and for those that it starts from now on.

    A wait costs a machine that emulates another one more than it lasts: threads that wait like
    that leave next to nothing for the one that works, and so they wait longer there.
    """
    sys.setswitchinterval(_SHARED_S)
    _set_slack(_SLACK_NS)
    if _shortest_wait_s(_SHARED_S) > _MOST_STRETCHED * _SHARED_S:
        sys.setswitchinterval(_LONGER_S)
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
