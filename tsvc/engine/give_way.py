"""How work that goes on lets others run: greenlets, timers and sockets."""

from collections.abc import Callable
from time import monotonic
from typing import Any

import gevent
from gevent.hub import Waiter

_LOOK_S = 0.0002  # how long sockets and timers may wait for work that goes on; a look takes 2 µs
SLICE_S = 0.001  # work in one go after which others are let run
_BURST_S = 0.0002  # the same of work in many small bits

_last_look = 0.0  # monotonic seconds; of the process, which has one event loop


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
