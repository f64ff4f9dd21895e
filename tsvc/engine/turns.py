"""How work that goes on lets others run."""

from typing import Any

import gevent
from gevent.hub import Waiter


def give_way() -> None:
    """Let others run: greenlets, and what waits for sockets and timers. Blocks: for one turn.

    gevent.sleep(0) waits for greenlets only: the loop looks at sockets and timers after fifty
    such turns, which with turns of 2 ms is a tenth of a second.
    """
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
