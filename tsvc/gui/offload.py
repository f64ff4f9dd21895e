"""Work that would keep the event loop: files, scrypt, the writing of reports.

It runs in gevent's pool of native threads, so that feeds and other requests go on meanwhile.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import gevent

T = TypeVar("T")


def off_loop(function: Callable[..., T], *args: Any, **named: Any) -> T:
    """Return what a function returns, called in a native thread. Blocks: this greenlet.

    The function must not wait for greenlets of the loop. Errors: those of the function.
    """
    found: T = gevent.get_hub().threadpool.apply(function, args, named)
    return found
