"""One browser's stream of events: a bounded queue, and snapshots for a browser that is too slow.

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
    """A topic as a viewer sees it."""

    key: Key

    def snapshot(self) -> bytes | None:
        """Return the data of an event with all that is known; None before the first answer."""


class Viewer:
    """Queues the events of topics for the stream to the browser.

    The queue holds MOST_EVENTS. If it is full, the browser is too slow: the queue is cleared, and
    the next events are snapshots of all topics at that time.
    """

    def __init__(self, name: str, owner: str, is_allowed: Callable[[], bool]) -> None:
        self.name = name
        self.owner = owner  # key of its session: only this session may set its topics
        self.topics: dict[Key, Source] = {}
        self._is_allowed = is_allowed
        self._queue: deque[bytes] = deque()
        self._is_behind = False
        self._is_over = False
        self._wake = Event()
        self._number = 0

    def look_at(self, topics: dict[Key, Source]) -> None:
        """Replace the topics; new topics that have an answer send a snapshot at once."""
        known, self.topics = self.topics, topics
        for key, topic in topics.items():
            if key not in known and (octets := topic.snapshot()) is not None:
                self.put(topic, octets)

    def put(self, topic: Source, octets: bytes) -> None:
        """Queue the data of an event. Never blocks."""
        if topic.key not in self.topics or self._is_behind:
            return
        if len(self._queue) >= MOST_EVENTS:
            self._queue.clear()
            self._is_behind = True
        else:
            self._queue.append(octets)
        self._wake.set()

    def end(self) -> None:
        """End the stream."""
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
