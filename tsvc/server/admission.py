"""Which connections are served: how often each client may connect, and what a full table does.

A connection carries one request, so the rate of connections is the rate of requests. Each client
has a token bucket: it holds up to `burst` tokens, gets `rate` of them a second, and a connection
takes one. Pure: `now` in monotonic seconds is an argument. A bucket that has filled up again is
the same as none, so only clients that came in the last burst / rate seconds take memory, and of
these no more than _MOST_CLIENTS.

A connection is in one of these crowds until it is answered:

    reading   has a place, its request is not complete      ┐ rpc.max_connections, of one client
    serving   has a place, its request is complete          ┘ rpc.client_connections
    waiting   its request waits for something: no place     rpc.max_waiting, half of it a client
    reserve   no place was left; its request is not known   RESERVE
    urgent    came through the reserve, may be CancelTest   rpc.max_connections

Where there is no place, the longest reader of the client that has most of them makes room, and is
told; if there is none, the newcomer is read in the reserve, and refused unless it is urgent. There
the same holds, so who says nothing there is turned out by the next.
"""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from typing import Protocol

from tsvc.errors import RequestError
from tsvc.values import dataclass

RESERVE = 32  # connections whose request is read although there is no place for them
SHORT_RESERVE = 4  # of them where descriptors are short
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
    left: int = 0  # the client ended while its request waited
    timed_out: int = 0
    refused_frames: int = 0  # length 0 or too large
    incomplete: int = 0  # the client ended before its request did
    lost: int = 0  # the connection broke before the answer was out
    surplus_octets: int = 0  # came after the first frame or after the answer: ignored


class _Crowd:
    """Connections by client, the longest there first."""

    def __init__(self) -> None:
        self._by_client: dict[str, dict[Evictable, int]] = {}
        self._entered = 0
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def of(self, client: str) -> int:
        """Return how many one client has."""
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
        """Return the longest there of a client, without one of whoever has most of them."""
        if client is not None:
            return next(iter(self._by_client.get(client, ())), None)
        if not self._by_client:
            return None
        most = max(self._by_client.values(), key=lambda of: (len(of), -next(iter(of.values()))))
        return next(iter(most))


class Admission:
    """All connections that have not been answered yet, and which of them may stay."""

    def __init__(self, places: int, client_places: int = 0, most_waiting: int = 1) -> None:
        self.places = places
        self.client_places = client_places
        self.most_waiting = most_waiting
        self.reading, self.serving, self.waiting = _Crowd(), _Crowd(), _Crowd()
        self.reserve, self.urgent = _Crowd(), _Crowd()
        self.short = 0  # how many came when there were no descriptors; see Listener
        self._where: dict[Evictable, tuple[_Crowd, str]] = {}
        self._draining = 0

    def __len__(self) -> int:
        return len(self._where)

    def enter(
        self, connection: Evictable, client: str, denial: RequestError | None = None
    ) -> RequestError | None:
        """Give a place, if need be that of a reader; or one of the reserve.

        Returns why there is no place, or the denial that is given: it has one of the reserve then.
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
        """Protect a connection from eviction: it is owed an answer now.

        Returns why it has no place: it is to be refused then, unless it is urgent and still here.
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
        """Take a connection out of its place, which others may have; False: too many do that."""
        crowd, client = self._where[connection]
        if crowd is not self.waiting:
            half = max(self.most_waiting // 2, 1)
            if len(self.waiting) >= self.most_waiting or self.waiting.of(client) >= half:
                return False
            self._move(connection, client, self.waiting)
        return True

    def leave(self, connection: Evictable) -> None:
        """Give the place back; does nothing if there is none."""
        found = self._where.pop(connection, None)
        if found is not None:
            found[0].remove(connection, found[1])

    def turn_out_longest(self) -> None:
        """Free what the longest reader holds, if there is one."""
        self._turn_out(self.reading.longest())

    def problem(self) -> str | None:
        """Return why a request might find no place, or None."""
        if len(self.serving) >= self.places:
            return f"all {self.places} connections are busy (rpc.max_connections)"
        if len(self.waiting) >= self.most_waiting:
            return f"{len(self.waiting)} requests wait, as many as may (rpc.max_waiting)"
        return None

    def _make_room(self, client: str) -> RequestError | None:
        """See that one more of a client has a place; return why it can't."""
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
        """Return whether an answered connection may linger; as many may as there are places.

        True is to be followed by has_drained().
        """
        if self.short or self._draining >= self.places:
            return False
        self._draining += 1
        return True

    def has_drained(self) -> None:
        """Note the end of what may_drain() allowed."""
        self._draining -= 1
