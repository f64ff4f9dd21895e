"""M3UA links over TCP and the SCCP on them: connect or listen, reconnect, route, count.

Used by the sigtran gateway (a tester) and by the SCP server alike: `deliver` takes TCAP octets
with their addresses and the Link they came by; transmit() sends by the message's Link, else by
the route of its destination.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import gevent
from gevent import socket
from gevent.server import StreamServer

from tsvc.clock import Clock
from tsvc.errors import GatewayError, RemoteProtocolError
from tsvc.gateways._base import GatewayState
from tsvc.gateways._driver import StreamDriver
from tsvc.gateways._sccp import GivenBack, Sccp, ToReturn, Whole
from tsvc.protocols.m3ua.asp import ApplicationServers, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.indications import CloseInd, DataInd, DownInd, InactiveInd
from tsvc.protocols.m3ua.params import TrafficMode
from tsvc.protocols.sccp.address import Network
from tsvc.protocols.tcap.endpoint import Outgoing

SCCP_SERVICE = 3
_CONNECT_TIMEOUT_S = 5.0
_FIRST_RETRY_S = 0.2
_LONGEST_RETRY_S = 10.0
_SHUTDOWN_S = 1.0
MAX_QUEUED = 100_000  # messages that wait for a peer which does not read

Deliver = Callable[[bytes, Any, Any, Any], None]
Returned = Callable[[bytes, int], None]
Lost = Callable[[Any, str], None]


@dataclass(frozen=True, slots=True)
class LinkConfig:
    """One configured connection."""

    name: str
    mode: str  # "connect" | "listen"
    role: Role
    host: str
    port: int
    local_host: str | None = None
    local_port: int = 0
    routing_contexts: tuple[int, ...] = ()
    network_appearance: int | None = None
    traffic_mode: TrafficMode | None = None
    heartbeat_s: float | None = None
    dpc: int | None = None  # where a message without a point code goes by this connection


@dataclass(frozen=True, slots=True)
class NodeConfig:
    """Who we are in the SS7 network."""

    opc: int
    network: Network = Network.ITU
    network_indicator: int = 2
    routes: Mapping[int, str] = field(default_factory=dict)  # point code -> connection name


class Link:
    """One live association: the route of the dialogues that came or went by it."""

    def __init__(
        self, network: "M3uaNetwork", config: LinkConfig, association: Association, peer: str
    ) -> None:
        self._network = network
        self.config = config
        self.association = association
        self.peer = peer
        self.driver: StreamDriver | None = None

    @property
    def is_active(self) -> bool:
        """Whether DATA can go by it."""
        return self.association.is_active

    def send(self, outgoing: Outgoing, node: object) -> None:
        """Send a message back by it: the Route of an SCP's dialogues."""
        self._network.transmit(outgoing)


class M3uaNetwork:
    """All connections of one node, and the SCCP above them."""

    def __init__(
        self,
        node: NodeConfig,
        links: list[LinkConfig],
        clock: Clock,
        deliver: Deliver,
        returned: Returned,
        lost: Lost,
    ) -> None:
        self._node = node
        self._sccp = Sccp(node.network, wants_return=True)
        self._configs = links
        self._clock = clock
        self._deliver = deliver
        self._returned = returned
        self._lost = lost
        self._links: list[Link] = []
        self._greenlets: list[gevent.Greenlet[..., None]] = []
        self._servers: list[StreamServer] = []
        self._is_stopping = False
        self._turn = 0
        self.problems: dict[str, str] = {}
        self.counters = {"sent": 0, "received": 0, "unreadable": 0, "returned": 0, "connects": 0}

    # -- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, and connect in the background. Errors: GatewayError if a port is taken."""
        for config in self._configs:
            if config.mode == "listen":
                self._listen(config)
            else:
                self._greenlets.append(gevent.spawn(self._keep_connected, config))

    def stop(self) -> None:
        """Leave properly: ASP inactive and down, then close. Blocks up to about a second."""
        self._is_stopping = True
        for server in self._servers:
            server.close()
        for link in list(self._links):
            if link.driver is not None:
                link.driver.handle(link.association.shut_down(self._clock.now()))
        deadline = self._clock.now() + _SHUTDOWN_S
        while self._links and self._clock.now() < deadline:
            gevent.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """Close everything at once; never raises."""
        self._is_stopping = True
        for server in self._servers:
            server.close()
        gevent.killall(self._greenlets, block=False)
        for link in list(self._links):
            if link.driver is not None:
                link.driver.close("killed")

    @property
    def state(self) -> GatewayState:
        """UP when at least one association can carry data."""
        if any(link.is_active for link in self._links):
            return GatewayState.UP
        return GatewayState.DOWN if self._is_stopping else GatewayState.CONNECTING

    def ports(self) -> list[int]:
        """Return the ports we listen on."""
        return [server.server_port or 0 for server in self._servers]

    def _listen(self, config: LinkConfig) -> None:
        servers = ApplicationServers(config.traffic_mode)

        def serve(connection: Any, address: Any) -> None:
            association = self._association(config, servers)
            self._run(config, association, connection, f"{address[0]}:{address[1]}")

        server = StreamServer((config.host, config.port), serve)
        try:
            server.start()
        except OSError as error:
            raise GatewayError(
                f"can't listen on {config.host}:{config.port}: {error.strerror}"
            ) from None
        self._servers.append(server)

    def _association(
        self, config: LinkConfig, servers: ApplicationServers | None = None
    ) -> Association:
        return Association(
            config.role,
            routing_contexts=config.routing_contexts,
            network_appearance=config.network_appearance,
            traffic_mode=config.traffic_mode,
            heartbeat_s=config.heartbeat_s,
            servers=servers,
            wake=self._flush_all,
        )

    def _flush_all(self) -> None:
        """Send what one association made others of the same Application Server say."""
        for link in self._links:
            if link.driver is not None:
                link.driver.flush()

    def _keep_connected(self, config: LinkConfig) -> None:
        """Connect, run, and connect again after a growing, jittered pause."""
        pause = _FIRST_RETRY_S
        while not self._is_stopping:
            started = self._clock.now()
            try:
                source = (config.local_host or "", config.local_port)
                connection = socket.create_connection(
                    (config.host, config.port),
                    timeout=_CONNECT_TIMEOUT_S,
                    source_address=source if any(source) else None,
                )
            except OSError as error:
                self.problems[config.name] = f"{config.host}:{config.port}: {error}"
            else:
                connection.settimeout(None)
                self.counters["connects"] += 1
                association = self._association(config)
                reason = self._run(config, association, connection, f"{config.host}:{config.port}")
                self.problems[config.name] = f"{config.host}:{config.port}: {reason}"
                if self._clock.now() - started > _LONGEST_RETRY_S:
                    pause = _FIRST_RETRY_S
            if not self._is_stopping:
                gevent.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, _LONGEST_RETRY_S)

    def _run(
        self, config: LinkConfig, association: Association, connection: Any, peer: str
    ) -> str:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = Link(self, config, association, peer)
        driver = StreamDriver(
            association,
            connection,
            self._clock,
            lambda indication: self._on_indication(link, indication),
        )
        link.driver = driver
        self._links.append(link)
        driver.handle(association.connected(self._clock.now()))
        try:
            reason = driver.run()
        finally:
            self._links.remove(link)
            association.disconnected(self._clock.now())
        self._lost(link, f"connection {config.name} to {peer}: {reason}")
        return reason

    # -- data -------------------------------------------------------------------------------

    def _on_indication(self, link: Link, indication: Any) -> None:
        match indication:
            case DataInd():
                if indication.si == SCCP_SERVICE:
                    self._on_sccp(link, indication)
            case CloseInd():
                assert link.driver is not None
                link.driver.close(indication.reason)
            case InactiveInd() | DownInd():
                self.problems[link.config.name] = indication.reason

    def _on_sccp(self, link: Link, data: DataInd) -> None:
        self.counters["received"] += 1
        try:
            arrivals = self._sccp.decode(data.user_data, self._clock.now(), data.opc)
        except RemoteProtocolError:
            self.counters["unreadable"] += 1
            return
        for arrival in arrivals:
            match arrival:
                case Whole(octets, called, calling):
                    if calling.pc is None:
                        # Answers go to the point code it came from, whoever is behind the link.
                        calling = replace(calling, pc=data.opc)
                    self._deliver(octets, called, calling, link)
                case GivenBack(octets, cause):
                    self.counters["returned"] += 1
                    self._returned(octets, cause)
                case ToReturn(octets):
                    self._send(link, data.opc, data.sls, octets)

    def transmit(self, outgoing: Outgoing) -> None:
        """Send one TCAP message. Errors: GatewayError if no connection can carry it."""
        link = self._link_for(outgoing)
        dpc = link.config.dpc if outgoing.called.pc is None else outgoing.called.pc
        if dpc is None:
            raise GatewayError(f"no point code leads to the destination by {link.config.name}")
        messages = self._sccp.encode(outgoing)
        # One SLS a dialogue keeps its messages in order wherever they are spread.
        sls = 0
        if outgoing.dialogue is not None:
            outgoing.dialogue.route = link
            sls = outgoing.dialogue.otid[-1] & 0x0F
        for octets in messages:
            self._send(link, dpc, sls, octets)
        self.counters["sent"] += 1
        assert link.driver is not None
        if link.driver.queued > MAX_QUEUED:
            link.driver.close("the peer does not read: send queue is full")
        link.driver.flush()

    def _send(self, link: Link, dpc: int, sls: int, octets: bytes) -> None:
        link.association.send_data(
            self._node.opc,
            dpc,
            SCCP_SERVICE,
            self._node.network_indicator,
            0,
            sls,
            octets,
            self._clock.now(),
        )

    def _link_for(self, outgoing: Outgoing) -> Link:
        if isinstance(outgoing.route, Link):
            if outgoing.route.is_active:
                return outgoing.route
            raise GatewayError(f"connection {outgoing.route.config.name} is not active")
        wanted = self._node.routes.get(outgoing.called.pc)
        active = [
            link for link in self._links if link.is_active and wanted in (None, link.config.name)
        ]
        if not active:
            reasons = "; ".join(f"{name}: {text}" for name, text in self.problems.items())
            raise GatewayError(f"no connection is active ({reasons or 'none configured'})")
        # Loadshare: each new dialogue takes the next one; its route keeps the rest of it there.
        self._turn += 1
        return active[self._turn % len(active)]
