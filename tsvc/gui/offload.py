"""Work that would keep the event loop: files, scrypt, the writing of reports.

It runs in native threads, so that feeds and other requests go on meanwhile; in a few of its own,
for those of the hub may all wait for names of daemons that nobody answers for.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from gevent.threadpool import ThreadPool

MOST_THREADS = 4

T = TypeVar("T")


def off_loop(function: Callable[..., T], *args: Any, **named: Any) -> T:
    """Return what a function returns, called in a native thread. Blocks: this greenlet.

    The function must not wait for greenlets of the loop. Errors: those of the function.
    """
    found: T = _threads().apply(function, args, named)
    return found


@cache
def _threads() -> ThreadPool:
    return ThreadPool(MOST_THREADS)
