"""Which connections are served: how often each client may connect, and what a full table does.

A connection carries one request, so the rate of connections is the rate of requests. Each client
has a token bucket: it holds up to `burst` tokens, gets `rate` of them a second, and a connection
takes one. Pure: `now` in monotonic seconds is an argument. A bucket that has filled up again is
the same as none, so only clients that came in the last burst / rate seconds take memory, and of
these no more than _MOST_CLIENTS.

A full table makes room by turning out the connection that has waited longest without a complete
request; if every one has a complete request, it is the newcomer who is turned away. Neither is
left without an answer: that is the connection's part.
"""

from collections import Counter, OrderedDict
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Protocol

_MOST_CLIENTS = 10_000
_HOST_BITS = 64  # of an IPv6 address, which a client chooses as it likes


def client_of(host: str) -> str:
    """Return whom an address counts for: itself, for IPv6 its network of 64 bits."""
    address = ip_address(host.partition("%")[0])
    if not isinstance(address, IPv6Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> _HOST_BITS << _HOST_BITS))


class ClientRates:
    """The token buckets of all clients. A rate of 0 means that there is no limit."""

    def __init__(self, rate: float, burst: int) -> None:
        self.rate = rate
        self.burst = burst
        # The moment at which a bucket will be full, in the order of the last connection.
        self._full_at: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._full_at)

    def take(self, client: str, now: float) -> bool:
        """Take a token of a client; False if it has none."""
        if not self.rate:
            return True
        full_at = max(self._full_at.get(client, now), now) + 1 / self.rate
        if full_at - now > self.burst / self.rate + 1e-9:
            return False
        self._full_at[client] = full_at
        self._full_at.move_to_end(client)
        self._forget(now)
        return True

    def _forget(self, now: float) -> None:
        """Drop buckets that are full, the longest unused first; two a call, so it never lags."""
        for _ in range(2):
            client, full_at = next(iter(self._full_at.items()))
            if full_at > now and len(self._full_at) <= _MOST_CLIENTS:
                return
            del self._full_at[client]


class ClientPlaces:
    """The connections that each client has at the moment. Most 0 means that there is no limit."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._taken: Counter[str] = Counter()

    def enter(self, client: str) -> bool:
        """Take a place for a client; False if it has all that it may. leave() gives it back."""
        if self.most and self._taken[client] >= self.most:
            return False
        self._taken[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Give a place back."""
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]


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
