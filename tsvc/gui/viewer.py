"""One browser's stream of events: a bounded queue, and snapshots for who falls behind.

id: <viewer>-<n>
event: state
data: {"topic": {...}, ...}
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import Protocol

from gevent.event import Event

from tsvc.gui.asked import json_octets

MOST_EVENTS = 8
PING_S = 15.0
_PING = b": ping\n\n"

# (name of the daemon, run_id or None)
Key = tuple[str, str | None]


class Source(Protocol):
    """What a viewer looks at."""

    key: Key

    def snapshot(self) -> bytes | None:
        """Return all that is known as the data of an event; None before the first answer."""


class Viewer:
    """Takes events from topics, and gives them to the one who writes them to the browser.

    The queue holds MOST_EVENTS. One that is full is thrown away, as its browser is too slow for
    it: what is written next is a snapshot of every topic as it is by then.
    """

    def __init__(self, name: str, owner: str, is_allowed: Callable[[], bool]) -> None:
        self.name = name
        self.owner = owner  # key of its session: nobody else may say what it looks at
        self.topics: dict[Key, Source] = {}
        self._is_allowed = is_allowed
        self._queue: deque[bytes] = deque()
        self._is_behind = False
        self._is_over = False
        self._wake = Event()
        self._number = 0

    def look_at(self, topics: dict[Key, Source]) -> None:
        """Replace the set of topics; of new ones that are known there is a snapshot at once."""
        known, self.topics = self.topics, topics
        for key, topic in topics.items():
            if key not in known and (octets := topic.snapshot()) is not None:
                self.put(topic, octets)

    def put(self, topic: Source, octets: bytes) -> None:
        """Take the data of an event. Never blocks."""
        if topic.key not in self.topics or self._is_behind:
            return
        if len(self._queue) >= MOST_EVENTS:
            self._queue.clear()
            self._is_behind = True
        else:
            self._queue.append(octets)
        self._wake.set()

    def end(self) -> None:
        """Let the stream end."""
        self._is_over = True
        self._wake.set()

    def stream(self) -> Iterator[bytes]:
        """Yield the octets of the stream. Blocks: until there is something to write."""
        yield self._event("hello", json_octets({"viewer": self.name}))
        while not self._is_over and self._is_allowed():
            if self._is_behind:
                self._is_behind = False
                for topic in list(self.topics.values()):
                    if (octets := topic.snapshot()) is not None:
                        yield self._event("state", octets)
            elif self._queue:
                yield self._event("state", self._queue.popleft())
            elif not self._wake.wait(PING_S):
                yield _PING
            else:
                self._wake.clear()

    def _event(self, name: str, data: bytes) -> bytes:
        self._number += 1
        head = f"id: {self.name}-{self._number}\nevent: {name}\ndata: "
        return head.encode("ascii") + data + b"\n\n"
