"""A mailbox in which one greenlet waits for items of others: a queue with one reader, no lock."""

from collections import deque
from time import monotonic
from typing import Any, Generic, TypeVar

import gevent
from gevent.hub import Waiter

from tsvc.deadline import overtime

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
        """Return the next item, or None if none comes in time.

        Blocks: up to timeout_s, plus the time that this process was suspended meanwhile
        (tsvc/deadline.py).
        """
        if self._items:
            return self._items.popleft()
        timeout_s = max(timeout_s, 0.0)
        due = monotonic() + timeout_s
        self._wait(timeout_s)
        if not self._items:
            for left_s in overtime(due, timeout_s):
                self._wait(left_s)
                if self._items:
                    break
        return self._items.popleft() if self._items else None

    def _wait(self, seconds: float) -> None:
        """Wait for an item, at most that long."""
        hub = gevent.get_hub()
        waiter: Waiter[Any] = Waiter(hub)
        self._waiter = waiter
        timer = hub.loop.timer(seconds)
        timer.start(waiter.switch, None)
        try:
            waiter.get()
        finally:
            self._waiter = None
            timer.stop()
            timer.close()

    def take_all(self) -> list[T]:
        """Take all items that are there, without waiting."""
        items = list(self._items)
        self._items.clear()
        return items
