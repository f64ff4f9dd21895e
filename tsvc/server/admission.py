"""Which connections are served when there are more than there may be.

A full table makes room by turning out the connection that has waited longest without a complete
request; if every one has a complete request, it is the newcomer who is turned away. Neither is
left without an answer: that is the connection's part.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Protocol


class Evictable(Protocol):
    """What the table knows of a connection."""

    def evict(self) -> None:
        """Stop waiting for the request. Must not switch greenlets."""


@dataclass(slots=True)
class Counters:
    """What happened to connections since the start; read by metrics."""

    accepted: int = 0
    answered: int = 0
    denied: int = 0  # not in rpc.allow
    limited: int = 0  # over rpc.client_rate or rpc.client_connections
    turned_away: int = 0  # all places taken by complete requests
    evicted: int = 0
    timed_out: int = 0
    refused_frames: int = 0  # length 0 or too large
    incomplete: int = 0  # the client ended before its request did
    lost: int = 0  # the connection broke before the answer was out
    surplus_octets: int = 0  # came after the first frame or after the answer: ignored


class Admission:
    """The places of all connections that have not been answered yet."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._waiting: OrderedDict[Evictable, None] = OrderedDict()
        self._complete: set[Evictable] = set()
        self._draining = 0

    def __len__(self) -> int:
        return len(self._waiting) + len(self._complete)

    def enter(self, connection: Evictable) -> bool:
        """Give a place, evicting the longest waiter if need be. False: there is none."""
        if len(self) >= self.places:
            if not self._waiting:
                return False
            oldest, _ = self._waiting.popitem(last=False)
            oldest.evict()
        self._waiting[connection] = None
        return True

    def request_is_complete(self, connection: Evictable) -> None:
        """Protect a connection from eviction: it is owed an answer now."""
        del self._waiting[connection]
        self._complete.add(connection)

    def leave(self, connection: Evictable) -> None:
        """Give the place back; does nothing if there is none."""
        self._waiting.pop(connection, None)
        self._complete.discard(connection)

    def may_drain(self) -> bool:
        """Return whether an answered connection may linger; as many may as there are places.

        True is to be followed by has_drained().
        """
        if self._draining >= self.places:
            return False
        self._draining += 1
        return True

    def has_drained(self) -> None:
        """Note the end of what may_drain() allowed."""
        self._draining -= 1
