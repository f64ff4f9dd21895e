"""What all SIGTRAN links have in common: their configuration, one live link, a transport.

A kind of link (M3UA, SUA) makes links of one configured connection; a transport (TCP, SCTP)
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
    """Who we are in the SS7 network, and what leads where."""

    opc: int
    network: Network = Network.ITU
    network_indicator: int = 2
    routes: tuple[Route, ...] = ()
    audit_s: float = 30.0  # between questions about destinations that are not available
    subsystems: Subsystems | None = None  # None: all are equipped
    is_end_point: bool = False  # what is for another point code than ours goes no further
    ids: IdRange = ALL_IDS  # of transactions; who shares an address has a part


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
    more_hosts: tuple[str, ...] = ()  # further addresses of our end; SCTP only
    routing_contexts: tuple[int, ...] = ()
    routing_keys: tuple[RoutingKey, ...] = ()  # asked for (ASP) or provisioned (SGP)
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
    dpc: int | None = None  # where a message without a point code goes by this connection
    opc: int | None = None  # our point code here, if not the node's
    sccp_class: int = 0  # 1: in sequence
    max_udt_octets: int | None = None  # None: whatever SCCP's own length octets allow
    tid_label: bool = False  # SUA: whether ASPAC says which ids are ours
    network: Network | None = None  # the network here, if not the node's
    network_indicator: int | None = None


# Messages of a connection that no dialogue has, as they are kept for traces: management, what
# can't be read, segments whose message is not whole.
_MOST_LOGGED = 200
_MOST_COPIES = 1000

Log = deque[ExchangeRecord]


class Machine(Protocol):
    """One association as a machine: what m3ua.Association is."""

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
    """Runs a machine over a connection: what StreamDriver is."""

    @property
    def queued(self) -> int: ...

    def run(self) -> str: ...

    def handle(self, indications: Sequence[object]) -> None: ...

    def flush(self) -> None: ...

    def close(self, reason: str) -> None: ...


class Listener:
    """A port that is listened on, on one address or several."""

    def __init__(self, server: StreamServer) -> None:
        self._server = server

    @property
    def port(self) -> int:
        """The port, also if the system chose it."""
        return self._server.server_port or 0

    def close(self) -> None:
        """Stop to listen; connections go on."""
        self._server.close()


class Transport(Protocol):
    """How octets get to a peer."""

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
    """Broadcast messages that came lately, and by which link each of them came first.

    A message that goes to all ASPs of an Application Server has the same Correlation Id in all its
    copies (RFC 4666); of two that come by one link none is a copy of the other.
    """

    def __init__(self) -> None:
        self._first: dict[tuple[object, ...], Link] = {}

    def has(self, link: "Link", data: DataInd) -> bool:
        """Tell whether another link has brought it; remember it if not."""
        key = data.correlation_id, data.routing_context, data.opc, data.dpc, data.user_data
        first = self._first.get(key, link)
        if first is not link and first.is_active:
            return True
        self._first[key] = link  # of a link that is lost nothing is a copy: ids begin again
        if len(self._first) > _MOST_COPIES:
            del self._first[next(iter(self._first))]
        return False


class Owner(Protocol):
    """The network as its links see it."""

    node: NodeConfig
    clock: Clock
    destinations: Destinations
    copies: Copies
    epoch: int  # what it is, is said in lane.py
    sls_mask: int

    def count(self, name: str) -> None:
        """Add one to a counter: received, unreadable, …"""

    def translates(self, address: Address) -> bool:
        """Tell whether a configured route translates the global title that is routed on."""

    def deliver(self, link: "Link", octets: bytes, called: Address, calling: Address) -> None:
        """Take a TCAP message that arrived whole."""

    def give_back(
        self,
        octets: bytes,
        cause: int | str,
        link: "Link | None" = None,
        was_for: Address | None = None,
    ) -> bool:
        """Take a TCAP message of ours that could not be delivered, as much as came of it.

        `cause`: SCCP's, or the words of the peer. `link`: it came back by. `was_for`: the called
        address that it had, as far as that is known. Returns whether a dialogue is known.
        """

    def transmit(self, outgoing: Outgoing) -> None:
        """Send a TCAP message. Errors: GatewayError."""

    def flush(self) -> None:
        """Send what machines have queued, on every link, and look at the timers again."""

    def changed(self) -> None:
        """flush(), as a link can carry now, or can't any more."""

    def flush_soon(self) -> None:
        """flush(), once for all who ask before it is done."""


class Link(ABC):
    """One live association: the route of the dialogues that came or went by it.

    `log`: what belongs to no dialogue, of all associations of its connection; times by the clock.
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
        # What is at work came in these: as octets, so that nothing is made that nobody wants.
        self._came: tuple[ExchangeRecord | bytes, ...] = ()
        machine.recorder = self

    @property
    def is_active(self) -> bool:
        """Whether user data can go by it."""
        return self.machine.is_active

    def send(self, outgoing: Outgoing, node: object) -> None:
        """Send a message back by it: the Route of an SCP's dialogues. Errors: GatewayError."""
        self.owner.transmit(outgoing)

    def push(self) -> None:
        """Have the driver write what is queued."""
        driver = self.driver
        if driver is not None:
            driver.flush()

    # -- for traces -------------------------------------------------------------------------

    @property
    def frames(self) -> list[ExchangeRecord]:
        """The messages of the link that brought what is being delivered; times by the clock."""
        return [
            self.frame(False, came) if isinstance(came, bytes) else came for came in self._came
        ]

    @property
    def came(self) -> tuple[ExchangeRecord | bytes, ...]:
        """What `frames` is made of: see snapshot_of()."""
        return self._came

    def frame(self, is_sent: bool, octets: bytes, at: float | None = None) -> ExchangeRecord:
        """Return the record of a message that is sent or received now, or was at a moment."""
        now, config = self.owner.clock.now() if at is None else at, self.config
        return ExchangeRecord(
            now, config.kind, config.name, is_sent, octets, self.network, self.ends
        )

    def managed(self, is_sent: bool, octets: bytes) -> None:
        """Keep a message of no dialogue; called by the machine."""
        self.log.append(self.frame(is_sent, octets))

    def carried(self, trail: Trail, octets: bytes) -> None:
        """Tell the trail of a message what carries it; called by the machine."""
        trail.carried(self, octets)

    @abstractmethod
    def send_unitdata(self, outgoing: Outgoing, dpc: int, sls: int) -> None:
        """Queue a TCAP message with its addresses, in as many messages as it takes.

        Errors: GatewayError, LocalProtocolError.
        """

    @abstractmethod
    def on_indication(self, indication: object) -> None:
        """Take what the machine tells; must not switch."""


@dataclass(frozen=True, slots=True)
class LinkSnapshot:
    """A link as it was at a moment, for who looks at what it carried afterwards."""

    link: Link
    at: float
    came: tuple[ExchangeRecord | bytes, ...]

    @property
    def log(self) -> Log:
        """The link's own."""
        return self.link.log

    @property
    def frames(self) -> list[ExchangeRecord]:
        """What the link had received then."""
        return [
            self.link.frame(False, came, self.at) if isinstance(came, bytes) else came
            for came in self.came
        ]

    def frame(self, is_sent: bool, octets: bytes) -> ExchangeRecord:
        """Return the record of a message of then."""
        return self.link.frame(is_sent, octets, self.at)


def snapshot_of(
    route: object, at: float, came: tuple[ExchangeRecord | bytes, ...] | None = None
) -> Any:
    """Return what stands for a route as it was at a moment, when it had received `came`.

    None: what it has received now. A route that is no link stays what it is.
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
        """Whether user data can go by it now, or is kept for a moment."""
        return any(link.is_active for link in self.live)

    def send(self, outgoing: Outgoing, dpc: int, sls: int, wanted: Link | None) -> Link | None:
        """Send by the wanted link, else by one of the active ones, the same for an SLS.

        Returns the link, None if the message is kept. Errors: GatewayError, LocalProtocolError.
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
        """Ask the peer how these destinations are; nothing where that is not done."""

    def counters(self) -> dict[str, int]:
        """Return what it counts of its own."""
        return {}

    def set_blocked(self, *, is_blocked: bool) -> None:
        """Let no peer come up from now on, or let them again."""

    def next_timer(self) -> float | None:
        """Return when handle_timer() is due."""
        return None

    def handle_timer(self, now: float) -> None:
        """Do what has become due for the connection as a whole."""


LinksFactory = Callable[[Owner, LinkConfig], Links]
