"""Yielding in long work, so that other greenlets, timers and sockets are served."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import gevent
from gevent.hub import Waiter

_LOOK_S = 0.0002  # how long sockets and timers may wait during long work; a poll takes 2 µs
SLICE_S = 0.001  # of work in one go, after which other greenlets run
_BURST_S = 0.0002  # the same for work in many small pieces

_last_look = 0.0  # monotonic seconds of the last poll; the process has one event loop


def give_way() -> None:
    """Yield to other greenlets, and from time to time to those that wait for sockets and timers.

    Blocks: for one turn of theirs. gevent.sleep(0) alone yields to greenlets only: the loop polls
    sockets and timers after fifty such yields. With 1 ms of work between them, that takes 50 ms.
    """
    global _last_look
    if monotonic() - _last_look < _LOOK_S:
        gevent.sleep(0)
        return
    _look()
    _last_look = monotonic()


def slices() -> Callable[[], None]:
    """Return a function for long work to call often: it yields when the time slice is over."""
    began_at = monotonic()

    def look() -> None:
        nonlocal began_at
        if monotonic() - began_at > SLICE_S:
            give_way()
            began_at = monotonic()

    return look


class Burst:
    """Work in many small pieces, which yields after some pieces or some time."""

    __slots__ = ("_left", "_most", "_until")

    def __init__(self, most: int) -> None:
        self._most = most
        self.begin()

    def begin(self) -> None:
        """Begin a new burst: others have just run."""
        self._left = self._most
        self._until = monotonic() + _BURST_S

    def end(self) -> None:
        """End the burst: others run before the next piece."""
        self._left = 0

    def bit(self) -> None:
        """Count a piece that begins now. Blocks: for a turn of others if the burst is over."""
        self._left -= 1
        if self._left < 0 or monotonic() > self._until:
            give_way()
            self.begin()


def _look() -> None:
    """Wait until the event loop has polled sockets and timers. Blocks: that long."""
    hub = gevent.get_hub()
    waiter: Waiter[Any] = Waiter(hub)
    looked = hub.loop.check()  # is called when the loop has polled …
    idle = hub.loop.idle()  # … and makes it poll without waiting for an event
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
