"""Common code of all SIGTRAN links: their configuration, one live link, a transport.

A kind of link (M3UA, SUA) makes the links of one configured connection. A transport (TCP, SCTP)
connects, listens and drives. The network (network.py) holds one table of each.
"""

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from gevent.server import StreamServer

from tsvc.clock import Clock
from tsvc.errors import GatewayError
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.indications import DataInd, DestinationInd
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.tcap.dialogue import Trail
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.ids import ALL_IDS, IdRange
from tsvc.results.records import Ends, ExchangeRecord
from tsvc.ss7.destinations import Destinations
from tsvc.ss7.health import ConnectionHealth
from tsvc.ss7.routes import Route
from tsvc.ss7.sccp import Subsystems
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """The node in the SS7 network, and its routes."""

    opc: int
    network: Network = Network.ITU
    network_indicator: int = 2
    routes: tuple[Route, ...] = ()
    audit_s: float = 30.0  # seconds between audits of destinations that are not available
    subsystems: Subsystems | None = None  # None: all are equipped
    is_end_point: bool = False  # messages for other point codes are not forwarded
    ids: IdRange = ALL_IDS  # of transactions; processes that share an address have one part each


@dataclass(frozen=True, slots=True)
class LinkConfig:
    """One configured connection."""

    name: str
    mode: str  # "connect" | "listen"
    role: Role
    host: str
    port: int
    kind: str = "m3ua"  # "m3ua" | "sua"
    transport: str = "tcp"  # "tcp" | "sctp"
    local_host: str | None = None
    local_port: int = 0
    more_hosts: tuple[str, ...] = ()  # further local addresses; SCTP only
    routing_contexts: tuple[int, ...] = ()
    routing_keys: tuple[RoutingKey, ...] = ()  # to register (ASP) or provisioned (SGP)
    may_register: bool = False  # an SGP: ASPs may register keys that are not provisioned
    network_appearance: int | None = None
    traffic_mode: TrafficMode | None = None
    asp_identifier: int | None = None
    asp_identifiers: tuple[int, ...] = ()  # an SGP: those that may come up; empty: all
    is_double_exchange: bool = False  # IPSP
    needed_asps: int = 1  # n of n+k: active ASPs that an Application Server needs
    recovery_s: float = 2.0  # T(r)
    max_pending: int = 10_000  # messages kept while an Application Server recovers
    heartbeat_s: float | None = None
    ack_s: float = 2.0  # T(ack)
    dpc: int | None = None  # destination of a message without a point code on this connection
    opc: int | None = None  # own point code here, if not the node's
    sccp_class: int = 0  # 1: in sequence
    max_udt_octets: int | None = None  # None: whatever SCCP's own length octets allow
    tid_label: bool = False  # SUA: True if ASPAC names the own transaction ids
    network: Network | None = None  # the network here, if not the node's
    network_indicator: int | None = None


# Messages of a connection that belong to no dialogue and are stored for traces: management,
# unreadable messages, segments of incomplete messages.
_MOST_LOGGED = 200
_MOST_COPIES = 1000

Log = deque[ExchangeRecord]


class Machine(Protocol):
    """One association as a machine, such as m3ua.Association."""

    recorder: Any
    divert: Callable[[bytes], bool] | None
    asp_identifier: int | None

    @property
    def is_active(self) -> bool: ...

    def connected(self, now: float) -> Sequence[object]: ...

    def disconnected(self, now: float, reason: str = ...) -> Sequence[object]: ...

    def shut_down(self, now: float) -> Sequence[object]: ...

    def receive(self, octets: bytes, now: float) -> Sequence[object]: ...

    def receive_message(
        self, octets: bytes, now: float, stream: int = ...
    ) -> Sequence[object]: ...

    def data_to_send(self) -> list[bytes]: ...

    def next_timer(self) -> float | None: ...

    def handle_timer(self, now: float) -> Sequence[object]: ...

    def queue(self, octets: bytes, trail: Trail | None) -> None: ...

    def send_destination_status(self, indication: DestinationInd, now: float) -> None: ...


class Driver(Protocol):
    """Runs a machine over a connection, such as StreamDriver."""

    @property
    def queued(self) -> int: ...

    def run(self) -> str: ...

    def handle(self, indications: Sequence[object]) -> None: ...

    def flush(self) -> None: ...

    def close(self, reason: str) -> None: ...


class Listener:
    """A listening port, on one address or several."""

    def __init__(self, server: StreamServer) -> None:
        self._server = server

    @property
    def port(self) -> int:
        """The port, also if the system chose it."""
        return self._server.server_port or 0

    def close(self) -> None:
        """Stop listening; connections stay open."""
        self._server.close()


class Transport(Protocol):
    """Carries octets to a peer."""

    def connect(self, config: LinkConfig) -> Any:
        """Return a connected socket. Blocks: up to some seconds. Errors: OSError."""

    def ends(self, connection: Any) -> Ends | None:
        """Return the ends of a connected socket."""

    def listen(self, config: LinkConfig, serve: Callable[[Any, str], None]) -> Listener:
        """Call serve(socket, peer) in a greenlet per connection. Errors: OSError."""

    def driver(
        self,
        machine: Machine,
        connection: Any,
        clock: Clock,
        on_indication: Callable[[object], None],
    ) -> Driver:
        """Return the driver of a connected socket."""


class Copies:
    """Recent broadcast messages, and the link that brought each of them first.

    All copies of a message to the ASPs of an Application Server have the same Correlation Id
    (RFC 4666). Two messages that come by the same link are never copies of each other.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], Link] = {}

    def has(self, link: "Link", data: DataInd) -> bool:
        """Return True if another link has brought the message; otherwise store it."""
        key = data.correlation_id, data.routing_context, data.opc, data.dpc, data.user_data
        first = self._first.get(key, link)
        if first is not link and first.is_active:
            return True
        self._first[key] = link  # after a lost link ids begin again, so it is no copy
        if len(self._first) > _MOST_COPIES:
            del self._first[next(iter(self._first))]
        return False


class Owner(Protocol):
    """The interface of the network for its links."""

    node: NodeConfig
    clock: Clock
    destinations: Destinations
    copies: Copies
    epoch: int  # see lane.py
    sls_mask: int

    def count(self, name: str) -> None:
        """Add one to a counter: received, unreadable, …"""

    def translates(self, address: Address) -> bool:
        """Return True if a configured route translates the global title of the address."""

    def deliver(self, link: "Link", octets: bytes, called: Address, calling: Address) -> None:
        """Handle a whole TCAP message that arrived."""

    def give_back(
        self,
        octets: bytes,
        cause: int | str,
        link: "Link | None" = None,
        was_for: Address | None = None,
    ) -> bool:
        """Handle a TCAP message of this node that could not be delivered, or a part of it.

        `cause`: that of SCCP, or the text of the peer. `link`: the link it came back by.
        `was_for`: its called address, as far as it is known. Return True if its dialogue is known.
        """

    def transmit(self, outgoing: Outgoing) -> None:
        """Send a TCAP message. Errors: GatewayError."""

    def flush(self) -> None:
        """Send what machines have queued, on every link, and check the timers again."""

    def changed(self) -> None:
        """Flush after a link became active or inactive."""

    def flush_soon(self) -> None:
        """Flush later, once for all requests until then."""


class Link(ABC):
    """One live association: the route of the dialogues that use it.

    `log`: messages without a dialogue, of all associations of its connection; times by the clock.
    """

    def __init__(
        self, owner: Owner, config: LinkConfig, peer: str, machine: Machine, log: Log
    ) -> None:
        self.owner = owner
        self.config = config
        self.peer = peer
        self.machine = machine
        self.driver: Driver | None = None
        self.ends: Ends | None = None
        self.network = (config.network or owner.node.network).value
        self.log = log
        # The messages being handled now, as octets: records are only made if somebody reads them.
        self._came: tuple[ExchangeRecord | bytes, ...] = ()
        machine.recorder = self

    @property
    def is_active(self) -> bool:
        """True if user data can be sent on it."""
        return self.machine.is_active

    def send(self, outgoing: Outgoing, node: object) -> None:
        """Send an answer of an SCP, whose dialogues have it as Route. Errors: GatewayError."""
        self.owner.transmit(outgoing)

    def push(self) -> None:
        """Write what is queued."""
        driver = self.driver
        if driver is not None:
            driver.flush()

    # -- for traces -------------------------------------------------------------------------

    @property
    def frames(self) -> list[ExchangeRecord]:
        """The link's messages that carried what is being delivered; times by the clock."""
        return [
            self.frame(False, came) if isinstance(came, bytes) else came for came in self._came
        ]

    @property
    def came(self) -> tuple[ExchangeRecord | bytes, ...]:
        """The source of `frames`: see snapshot_of()."""
        return self._came

    def frame(self, is_sent: bool, octets: bytes, at: float | None = None) -> ExchangeRecord:
        """Return the record of a message that is sent or received now, or at a given time."""
        now, config = self.owner.clock.now() if at is None else at, self.config
        return ExchangeRecord(
            now, config.kind, config.name, is_sent, octets, self.network, self.ends
        )

    def managed(self, is_sent: bool, octets: bytes) -> None:
        """Log a message without a dialogue; called by the machine."""
        self.log.append(self.frame(is_sent, octets))

    def carried(self, trail: Trail, octets: bytes) -> None:
        """Pass the carrying message to the trail of a message; called by the machine."""
        trail.carried(self, octets)

    @abstractmethod
    def send_unitdata(self, outgoing: Outgoing, dpc: int, sls: int) -> None:
        """Queue a TCAP message with its addresses, in as many messages as it takes.

        Errors: GatewayError, LocalProtocolError.
        """

    @abstractmethod
    def on_indication(self, indication: object) -> None:
        """Handle an indication of the machine; must not switch."""


@dataclass(frozen=True, slots=True)
class LinkSnapshot:
    """A link as it was at a given time, so that its messages can be read later."""

    link: Link
    at: float
    came: tuple[ExchangeRecord | bytes, ...]

    @property
    def log(self) -> Log:
        """The log of the link."""
        return self.link.log

    @property
    def frames(self) -> list[ExchangeRecord]:
        """The messages that the link had received then."""
        return [
            self.link.frame(False, came, self.at) if isinstance(came, bytes) else came
            for came in self.came
        ]

    def frame(self, is_sent: bool, octets: bytes) -> ExchangeRecord:
        """Return the record of a message with the time of the snapshot."""
        return self.link.frame(is_sent, octets, self.at)


def snapshot_of(
    route: object, at: float, came: tuple[ExchangeRecord | bytes, ...] | None = None
) -> Any:
    """Return a snapshot of a route at a given time, when it had received `came`.

    None: what it has received now. A route that is no link is returned unchanged.
    """
    if not isinstance(route, Link):
        return route
    return LinkSnapshot(route, at, route.came if came is None else came)


class Links:
    """One configured connection: makes its links and chooses among the live ones."""

    def __init__(self, owner: Owner, config: LinkConfig) -> None:
        self.owner = owner
        self.config = config
        self.live: list[Link] = []
        self.log: Log = deque(maxlen=_MOST_LOGGED)
        self.health = ConnectionHealth(config.name, owner.clock)

    def new(self, peer: str) -> Link:
        """Return the link of a new transport connection."""
        raise NotImplementedError

    @property
    def can_send(self) -> bool:
        """True if user data can be sent now, or is stored for a moment."""
        return any(link.is_active for link in self.live)

    def send(self, outgoing: Outgoing, dpc: int, sls: int, wanted: Link | None) -> Link | None:
        """Send on the wanted link, otherwise on one of the active links, the same for an SLS.

        Return the link, None if the message is stored. Errors: GatewayError, LocalProtocolError.
        """
        if wanted is not None and wanted.is_active:
            link = wanted
        else:
            active = [link for link in self.live if link.is_active]
            if not active:
                raise GatewayError(f"connection {self.config.name} is not active")
            link = active[sls % len(active)]
        link.send_unitdata(outgoing, dpc, sls)
        link.push()
        return link

    def audit(self, point_codes: tuple[PointCode, ...]) -> None:
        """Ask the peer for the state of destinations; do nothing if the kind has no audit."""

    def counters(self) -> dict[str, int]:
        """Return the connection's own counters."""
        return {}

    def set_blocked(self, *, is_blocked: bool) -> None:
        """Refuse peers that come up, or accept them again."""

    def next_timer(self) -> float | None:
        """Return when handle_timer() is due."""
        return None

    def handle_timer(self, now: float) -> None:
        """Handle the timers of the connection as a whole."""


LinksFactory = Callable[[Owner, LinkConfig], Links]
