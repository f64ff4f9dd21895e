"""How threads come by the interpreter beside an event loop that is busy.

A thread asks for the interpreter when another has held it for the switch interval in one go; who
holds it lays it down then. Each time the loop looks at sockets it lays it down for an instant,
which is too short for a thread to take it, and the thread begins to wait anew.
"""

import sys
from contextlib import suppress

# Well below the time from one look of a busy loop to the next, or a thread would wait for seconds.
# It waits each time that it comes back from the disk, or has worked for so long itself: what a
# thread does beside a busy loop is to be short.
_SHARED_S = 0.00002
_PR_SET_TIMERSLACK, _SLACK_NS = 29, 1000  # linux/prctl.h


def share_interpreter() -> None:
    """Let threads (archive, blocking drivers) come to run beside a busy event loop.

    gevent also takes this interval as the longest it runs callbacks, after fifty of them.

    Linux adds 50 µs to each wait of a thread, so to each of those too, unless it is told not to:
    for this thread, and for those that it starts from now on.
    """
    sys.setswitchinterval(_SHARED_S)
    with suppress(ImportError, OSError, AttributeError, MemoryError):  # not Linux, or not let
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_TIMERSLACK, ctypes.c_ulong(_SLACK_NS), 0, 0, 0)
