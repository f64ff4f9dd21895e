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
    returned: list[T] = []
    error = _threads().apply(_caught, (lambda: returned.append(function(*args, **named)),))
    if error is not None:
        raise error
    return returned[0]


def _caught(function: Callable[[], object]) -> Exception | None:
    """Return what a function raises: a thread of gevent's would print it as an incident."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - raised again for the one who asked
        return error
    return None


@cache
def _threads() -> ThreadPool:
    return ThreadPool(MOST_THREADS)
