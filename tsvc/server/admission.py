"""Decides which connections are served: the rate of each client, and evictions when all is full.

A connection carries one request, so the rate of connections is the rate of requests. Each client
has a token bucket: it holds up to `burst` tokens, gets `rate` tokens a second, and a connection
takes one. Pure: `now` in monotonic seconds is an argument. A full bucket needs no memory, so only
clients that came in the last burst / rate seconds take memory, at most _MOST_CLIENTS of them.

A connection is in one of these groups until it is answered:

    reading   has a place, its request is not complete      ┐ rpc.max_connections, of one client
    serving   has a place, its request is complete          ┘ rpc.client_connections
    waiting   its request waits for something: no place     rpc.max_waiting, half of it a client
    reserve   there was no place; its request is not known  RESERVE
    urgent    came through the reserve, may be CancelTest   rpc.max_connections

If there is no place, the client with most readers loses its longest reader, which gets an answer.
If there is no reader, the newcomer is read in the reserve, and refused unless it is urgent. In the
reserve the longest connection is evicted too, so a silent one is evicted by the next.
"""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from typing import Protocol

from tsvc.errors import RequestError
from tsvc.values import dataclass

RESERVE = 32  # connections whose request is read although there is no place for them
SHORT_RESERVE = 4  # the same while descriptors are short
_MOST_CLIENTS = 10_000
_HOST_BITS = 64  # of an IPv6 address, which a client may choose freely


def client_of(host: str) -> str:
    """Return the client of an address: the address itself, for IPv6 its network of 64 bits."""
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
        """Take a token of a client. Return False if the client has none."""
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
        """Drop full buckets, the longest unused first; two a call, to keep up with new ones."""
        for _ in range(2):
            client, full_at = next(iter(self._full_at.items()))
            if full_at > now and len(self._full_at) <= _MOST_CLIENTS:
                return
            del self._full_at[client]


class Evictable(Protocol):
    """The interface of a connection for the admission."""

    def evict(self) -> None:
        """Stop waiting for the request. Must not switch greenlets."""


@dataclass(slots=True)
class Counters:
    """Counts of connections since the start; read by metrics."""

    accepted: int = 0
    answered: int = 0
    denied: int = 0  # not in rpc.allow
    limited: int = 0  # over rpc.client_rate or rpc.client_connections
    turned_away: int = 0  # all places taken by complete requests
    evicted: int = 0
    left: int = 0  # the client ended while its request waited
    timed_out: int = 0
    refused_frames: int = 0  # length 0 or too large
    incomplete: int = 0  # the client ended before its request did
    lost: int = 0  # the connection broke before the answer was out
    surplus_octets: int = 0  # came after the first frame or after the answer: ignored


class _Crowd:
    """Connections by client, the oldest first."""

    def __init__(self) -> None:
        self._by_client: dict[str, dict[Evictable, int]] = {}
        self._entered = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def of(self, client: str) -> int:
        """Return the number of connections of a client."""
        return len(self._by_client.get(client, ()))

    def add(self, connection: Evictable, client: str) -> None:
        self._entered += 1
        self._count += 1
        self._by_client.setdefault(client, {})[connection] = self._entered

    def remove(self, connection: Evictable, client: str) -> None:
        of_client = self._by_client[client]
        del of_client[connection]
        self._count -= 1
        if not of_client:
            del self._by_client[client]

    def longest(self, client: str | None = None) -> Evictable | None:
        """Return the oldest connection of a client; None: of the client with most connections."""
        if client is not None:
            return next(iter(self._by_client.get(client, ())), None)
        if not self._by_client:
            return None
        most = max(self._by_client.values(), key=lambda of: (len(of), -next(iter(of.values()))))
        return next(iter(most))


class Admission:
    """All connections that have not been answered yet. Decides which of them may stay."""

    def __init__(self, places: int, client_places: int = 0, most_waiting: int = 1) -> None:
        self.places = places
        self.client_places = client_places
        self.most_waiting = most_waiting
        self.reading, self.serving, self.waiting = _Crowd(), _Crowd(), _Crowd()
        self.reserve, self.urgent = _Crowd(), _Crowd()
        self.short = 0  # connections that came when there were no descriptors; see Listener
        self._where: dict[Evictable, tuple[_Crowd, str]] = {}
        self._draining = 0

    def __len__(self) -> int:
        return len(self._where)

    def enter(
        self, connection: Evictable, client: str, denial: RequestError | None = None
    ) -> RequestError | None:
        """Give a connection a place, if need be that of a reader, or one of the reserve.

        Return why there is no place, or the given denial: the connection is then in the reserve.
        """
        denial = denial or self._make_room(client)
        if denial is None:
            self._move(connection, client, self.reading)
            return None
        if len(self.reserve) >= (SHORT_RESERVE if self.short else RESERVE):
            self._turn_out(self.reserve.longest())
        self._move(connection, client, self.reserve)
        return denial

    def request_is_complete(self, connection: Evictable) -> RequestError | None:
        """Protect a connection from eviction, because its request must be answered now.

        Return why it has no place: it must then be refused, unless it is urgent and still here.
        """
        crowd, client = self._where[connection]
        denial = None if crowd is self.reading else self._make_room(client)
        if denial is None:
            self._move(connection, client, self.serving)
        elif len(self.urgent) < self.places:
            self._move(connection, client, self.urgent)
        else:
            self.leave(connection)
        return denial

    def __contains__(self, connection: Evictable) -> bool:
        return connection in self._where

    def may_wait(self, connection: Evictable) -> bool:
        """Free the place of a connection that waits. Return False if too many wait already."""
        crowd, client = self._where[connection]
        if crowd is not self.waiting:
            half = max(self.most_waiting // 2, 1)
            if len(self.waiting) >= self.most_waiting or self.waiting.of(client) >= half:
                return False
            self._move(connection, client, self.waiting)
        return True

    def leave(self, connection: Evictable) -> None:
        """Remove a connection and free its place; do nothing if it is gone already."""
        found = self._where.pop(connection, None)
        if found is not None:
            found[0].remove(connection, found[1])

    def turn_out_longest(self) -> None:
        """Evict the longest reader, if there is one."""
        self._turn_out(self.reading.longest())

    def problem(self) -> str | None:
        """Return why a request might find no place, or None."""
        if len(self.serving) >= self.places:
            return f"all {self.places} connections are busy (rpc.max_connections)"
        if len(self.waiting) >= self.most_waiting:
            return f"{len(self.waiting)} requests wait, as many as may (rpc.max_waiting)"
        return None

    def _make_room(self, client: str) -> RequestError | None:
        """Make room for one more connection of a client; return why that is not possible."""
        most = self.client_places
        if most and self.reading.of(client) + self.serving.of(client) >= most:
            if self._turn_out(self.reading.longest(client)):
                return None
            text = f"more than {most} connections at once from one client"
            return RequestError(text, kind="rpc.rate")
        is_full = len(self.reading) + len(self.serving) >= self.places
        if is_full and not self._turn_out(self.reading.longest()):
            text = f"too many connections: {self.places} are being served"
            return RequestError(text, kind="connections.too_many")
        return None

    def _turn_out(self, connection: Evictable | None) -> bool:
        if connection is None:
            return False
        self.leave(connection)
        connection.evict()
        return True

    def _move(self, connection: Evictable, client: str, crowd: _Crowd) -> None:
        self.leave(connection)
        crowd.add(connection, client)
        self._where[connection] = crowd, client

    def may_drain(self) -> bool:
        """Return True if an answered connection may linger; as many may as there are places.

        After True, has_drained() must be called.
        """
        if self.short or self._draining >= self.places:
            return False
        self._draining += 1
        return True

    def has_drained(self) -> None:
        """Note that a connection allowed by may_drain() has drained."""
        self._draining -= 1
