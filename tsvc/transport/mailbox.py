"""Where a greenlet waits for what others bring: a queue with one reader and no lock."""

from collections import deque
from typing import Any, Generic, TypeVar

import gevent
from gevent.hub import Waiter

T = TypeVar("T")


class Mailbox(Generic[T]):
    """Items for one reading greenlet. put() never switches, so a reader loop may call it."""

    __slots__ = ("_items", "_waiter")

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._waiter: Waiter[Any] | None = None

    def __len__(self) -> int:
        return len(self._items)

    def put(self, item: T) -> None:
        """Add an item and wake the reader, if it waits."""
        self._items.append(item)
        waiter = self._waiter
        if waiter is not None:
            self._waiter = None
            gevent.get_hub().loop.run_callback(waiter.switch, None)

    def get(self, timeout_s: float) -> T | None:
        """Take the next item. Blocks: up to timeout_s, then returns None."""
        if self._items:
            return self._items.popleft()
        hub = gevent.get_hub()
        waiter: Waiter[Any] = Waiter(hub)
        self._waiter = waiter
        timer = hub.loop.timer(max(timeout_s, 0.0))
        timer.start(waiter.switch, None)
        try:
            waiter.get()
        finally:
            self._waiter = None
            timer.stop()
            timer.close()
        return self._items.popleft() if self._items else None

    def take_all(self) -> list[T]:
        """Take whatever is there, without waiting."""
        items = list(self._items)
        self._items.clear()
        return items
