"""Work that would block the event loop: files, scrypt, the writing of reports.

It runs in native threads, so that feeds and other requests continue meanwhile. It has a few
threads of its own, because all threads of the hub may be waiting for lookups of daemons' names.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from gevent.threadpool import ThreadPool

MOST_THREADS = 4

T = TypeVar("T")


def off_loop(function: Callable[..., T], *args: Any, **named: Any) -> T:
    """Call a function in a native thread and return its result. Blocks: this greenlet.

    The function must not wait for greenlets of the loop. Errors: those of the function.
    """
    returned: list[T] = []
    error = _threads().apply(_caught, (lambda: returned.append(function(*args, **named)),))
    if error is not None:
        raise error
    return returned[0]


def _caught(function: Callable[[], object]) -> Exception | None:
    """Call a function and return its error, because gevent prints errors raised in its threads."""
    try:
        function()
    except Exception as error:  # noqa: BLE001 - raised again in off_loop()
        return error
    return None


@cache
def _threads() -> ThreadPool:
    return ThreadPool(MOST_THREADS)
