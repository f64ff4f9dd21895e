"""All SIGTRAN connections of one node: connect or listen, reconnect, route, fail over, count.

Used by the sigtran gateway (a tester) and by the SCP server. `deliver` is called with TCAP octets,
their addresses and the Link that they came by. transmit() sends by the message's Link, otherwise
by the routes of its destination.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import gevent

from tsvc.clock import Clock
from tsvc.errors import GatewayError, failure, reason
from tsvc.gateways.gateway import GatewayState
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.destinations import USUAL, Destination, Destinations
from tsvc.ss7.health import texts
from tsvc.ss7.lane import Lane
from tsvc.ss7.links import (
    Copies,
    Link,
    LinkConfig,
    Links,
    LinksFactory,
    Listener,
    NodeConfig,
    Transport,
)
from tsvc.ss7.m3ua import M3uaLinks
from tsvc.ss7.routes import Hop, Routes, choose
from tsvc.ss7.sctp import SctpTransport
from tsvc.ss7.sua import SuaLinks
from tsvc.ss7.tcp import TcpTransport, UnixTransport
from tsvc.transport.back_off import pause_s
from tsvc.transport.driver import TimerLoop

LINK_KINDS: dict[str, LinksFactory] = {"m3ua": M3uaLinks, "sua": SuaLinks}
TRANSPORTS: dict[str, Transport] = {
    "tcp": TcpTransport(),
    "sctp": SctpTransport(),
    "unix": UnixTransport(),
}

_LONGEST_RETRY_S = 10.0
_SHUTDOWN_S = 1.0

Deliver = Callable[[bytes, Address, Address, Any], None]
Returned = Callable[[bytes, int | str, Any, Address | None], object]
Lost = Callable[[Any, str], None]


class Attendant(Protocol):
    """An observer of the associations of a network. Must not switch."""

    def attend(self, link: Link) -> None:
        """Handle a new association."""

    def changed(self) -> None:
        """Handle a link that became active, became inactive, or is gone."""


class SigtranNetwork:
    """All connections of one node: the Owner of its links."""

    attendant: Attendant | None = None

    def __init__(
        self,
        node: NodeConfig,
        links: Sequence[LinkConfig],
        clock: Clock,
        deliver: Deliver,
        returned: Returned,
        lost: Lost,
    ) -> None:
        self.node = node
        self.clock = clock
        self.destinations = Destinations(node.audit_s)
        self.copies = Copies()
        self.epoch = 0
        self._counters = dict.fromkeys(
            ("sent", "received", "unreadable", "returned", "connects", "errors_received"), 0
        )
        self._deliver = deliver
        self._returned = returned
        self._lost = lost
        self._connections: dict[str, Links] = {
            config.name: LINK_KINDS[config.kind](self, config) for config in links
        }
        self._routes = Routes(node.routes, self._connections)
        self.sls_mask = 0x0F if node.network is Network.ITU else 0xFF
        self._greenlets: list[gevent.Greenlet[..., None]] = []
        self._listeners: list[Listener] = []
        self._timers = TimerLoop(clock, self._next_timer, self._on_timer)
        self._is_stopping = False
        self._is_flush_due = False

    # -- life -------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, and connect in the background. Errors: GatewayError if a port is taken."""
        self._timers.start()
        for connection in self._connections.values():
            if connection.config.mode == "listen":
                self._listen(connection)
            else:
                self._greenlets.append(gevent.spawn(self._keep_connected, connection))

    def stop(self) -> None:
        """Leave properly: ASP inactive and down, then close. Blocks up to about a second."""
        self._is_stopping = True
        self._stop_listening()
        for connection in self._connections.values():
            connection.set_blocked(is_blocked=True)
        for link in self._live():
            if link.driver is not None:
                link.driver.handle(link.machine.shut_down(self.clock.now()))
        deadline = self.clock.now() + _SHUTDOWN_S
        while self._live() and self.clock.now() < deadline:
            gevent.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """Close everything at once; never raises."""
        self._is_stopping = True
        self._stop_listening()
        self._timers.stop()
        gevent.killall(self._greenlets, block=False)
        for link in self._live():
            if link.driver is not None:
                link.driver.close("killed")

    @property
    def state(self) -> GatewayState:
        """UP if at least one association can carry data."""
        if any(link.is_active for link in self._live()):
            return GatewayState.UP
        return GatewayState.DOWN if self._is_stopping else GatewayState.CONNECTING

    @property
    def counters(self) -> dict[str, int]:
        """The counters, and the levels of links and destinations."""
        own = [connection.counters() for connection in self._connections.values()]
        names = {name for counters in own for name in counters}
        summed = {name: sum(counters.get(name, 0) for counters in own) for name in sorted(names)}
        live = {"links_active": sum(link.is_active for link in self._live())}
        reported = {f"told_{name}": count for name, count in self.destinations.counters.items()}
        return self._counters | live | summed | reported | self.destinations.gauges()

    def levels(self) -> frozenset[str]:
        """Return the names of the counters that may fall."""
        return frozenset({"links_active", "pending", *self.destinations.gauges()})

    def texts(self) -> list[str]:
        """Return the current problems: inactive connections, destinations out of reach."""
        return self._unhealthy() + self.destinations.texts()

    def _unhealthy(self) -> list[str]:
        return texts(connection.health for connection in self._connections.values())

    def ports(self) -> list[int]:
        """Return the ports that the node listens on."""
        return [listener.port for listener in self._listeners]

    # -- connections ------------------------------------------------------------------------

    def _listen(self, connection: Links) -> None:
        config = connection.config

        def serve(accepted: Any, peer: str) -> None:
            self._run(connection, accepted, peer)

        try:
            listener = TRANSPORTS[config.transport].listen(config, serve)
        except OSError as error:
            raise failure(f"can't listen on {config.host}:{config.port}", error) from None
        self._listeners.append(listener)

    def _stop_listening(self) -> None:
        for listener in self._listeners:
            listener.close()

    def _keep_connected(self, connection: Links) -> None:
        """Connect, run, and connect again after a growing pause with jitter."""
        config = connection.config
        where = f"{config.host}:{config.port}"
        failures = 0
        while not self._is_stopping:
            started = self.clock.now()
            try:
                connected = TRANSPORTS[config.transport].connect(config)
            except (OSError, ValueError) as error:  # ValueError: for an invalid name
                connection.health.unreachable(f"{where}: {reason(error)}")
            else:
                self._run(connection, connected, where)
                if self.clock.now() - started > _LONGEST_RETRY_S:
                    failures = 0
            failures += 1
            if not self._is_stopping:
                gevent.sleep(pause_s(failures, _LONGEST_RETRY_S, random.random))

    def _run(self, connection: Links, connected: Any, peer: str) -> None:
        """Drive one association until it is over. Blocks."""
        self._counters["connects"] += 1
        config = connection.config
        link = connection.new(peer)
        transport = TRANSPORTS[config.transport]
        driver = transport.driver(link.machine, connected, self.clock, link.on_indication)
        link.driver = driver
        link.ends = transport.ends(connected)
        connection.live.append(link)
        self.epoch += 1
        if self.attendant is not None:
            self.attendant.attend(link)
        connection.health.up(peer)
        driver.handle(link.machine.connected(self.clock.now()))
        why = "killed"
        try:
            why = driver.run()
        finally:
            connection.live.remove(link)
            self.epoch += 1
            link.machine.disconnected(self.clock.now())
            state = f"{peer}: {why}" if not connection.live else None
            connection.health.lost(peer, why, is_ours=self._is_stopping, state=state)
            if not connection.live:
                self.destinations.forget(config.name)
            self.flush_soon()
            if self.attendant is not None:
                self.attendant.changed()
            # Also if this greenlet is killed: waiting instances must not wait for their deadline.
            self._lost(link, f"connection {config.name} to {peer}: {why}")

    def live(self, name: str) -> list[Link]:
        """Return the associations of a connection."""
        return self._connections[name].live

    def active_link(self, name: str) -> Link | None:
        """Return an active association of a connection, None if there is none."""
        return next((link for link in self._connections[name].live if link.is_active), None)

    def set_blocked(self, name: str, *, is_blocked: bool) -> None:
        """Refuse peers of a connection that come up, or accept them again."""
        self._connections[name].set_blocked(is_blocked=is_blocked)

    def _live(self) -> list[Link]:
        return [link for connection in self._connections.values() for link in connection.live]

    # -- for links --------------------------------------------------------------------------

    def translates(self, address: Address) -> bool:
        """Return True if a configured route translates the global title of the address."""
        return any(self._dpc(hop) is not None for hop in self._routes.by_title(address))

    def deliver(self, link: Link, octets: bytes, called: Address, calling: Address) -> None:
        """Handle a whole TCAP message that arrived."""
        self._deliver(octets, called, calling, link)

    def give_back(
        self,
        octets: bytes,
        cause: int | str,
        link: Link | None = None,
        was_for: Address | None = None,
    ) -> bool:
        """Handle an undeliverable TCAP message of this node; `link` brought it back."""
        self._counters["returned"] += 1
        return bool(self._returned(octets, cause, link, was_for))

    def count(self, name: str) -> None:
        """Add one to a counter."""
        self._counters[name] = self._counters.get(name, 0) + 1

    def flush(self) -> None:
        """Send what machines have queued, on every link, and check the timers again."""
        for link in self._live():
            if link.driver is not None:
                link.driver.flush()
        self._timers.touch()

    def changed(self) -> None:
        """Notify the attendant and flush: a link became active or inactive."""
        if self.attendant is not None:
            self.attendant.changed()
        self.flush()

    def flush_soon(self) -> None:
        """Flush once other greenlets have run, however often it is requested. Never switches.

        One association may send something to all others, and again each time one of them ends.
        """
        if not self._is_flush_due:
            self._is_flush_due = True
            gevent.get_hub().loop.run_callback(self._flush_due)

    def _flush_due(self) -> None:
        self._is_flush_due = False
        self.flush()

    def _next_timer(self) -> float | None:
        times = [connection.next_timer() for connection in self._connections.values()]
        times.append(self.destinations.next_audit())
        return min((time for time in times if time is not None), default=None)

    def _on_timer(self, now: float) -> None:
        self.epoch += 1
        for connection in self._connections.values():
            connection.handle_timer(now)
        for name, point_codes in self.destinations.take_audits(now).items():
            self._connections[name].audit(point_codes)
        self.flush()

    # -- data -------------------------------------------------------------------------------

    def lane(self, outgoing: Outgoing) -> Lane | None:
        """Return a lane for messages such as this one: see lane.py.

        None if there is a choice of ways, if it can't be sent now, or if lanes can't be used.
        """
        if len(self._connections) != 1 or self.node.routes:
            return None
        [hop] = self._routes.hops(outgoing.called)
        connection = self._connections[hop.connection]
        dpc = self._dpc(hop)
        if dpc is None or hop.called != outgoing.called or not self._destination(hop).can_take:
            return None
        return connection.lane(outgoing, dpc) if isinstance(connection, M3uaLinks) else None

    def transmit(self, outgoing: Outgoing) -> None:
        """Send one TCAP message. Errors: GatewayError if no connection can carry it."""
        # One SLS per dialogue keeps its messages in order, however they are spread.
        dialogue = outgoing.dialogue
        sls = 0 if dialogue is None else dialogue.otid[-1] & self.sls_mask
        wanted = outgoing.route if isinstance(outgoing.route, Link) else None
        if wanted is not None and (hop := self._by_link(wanted, outgoing)) is not None:
            self._send(outgoing, hop, sls, wanted)
            return
        hops = self._routes.hops(outgoing.called)
        hop = choose(hops, sls, self._state_of)
        if hop is None:
            raise GatewayError(self._why_not(hops))
        self._send(outgoing, hop, sls, None)

    def _by_link(self, link: Link, outgoing: Outgoing) -> Hop | None:
        """Return the hop by a dialogue's own link, None if another link must be used.

        Errors: GatewayError if the link is lost: its calls are on no other link.
        """
        connection = self._connections[link.config.name]
        if link not in connection.live:
            raise GatewayError(f"connection {link.config.name} is not active")
        called = outgoing.called
        hop = Hop(link.config.name, called.pc, called)
        if called.pc is None:
            hops = self._routes.hops(called)
            by_route = (found for found in hops if found.connection == link.config.name)
            found = next(by_route, None)
            if found is None and self.translates(called):
                return None  # Q.714 translates each message separately: the hop may be another
            hop = found or hop
        # A stand-by ASP leaves its calls to the ASP that took over.
        is_usable = link.is_active or connection.can_send
        return hop if is_usable and self._destination(hop).can_take else None

    def _send(self, outgoing: Outgoing, hop: Hop, sls: int, wanted: Link | None) -> None:
        connection = self._connections[hop.connection]
        dpc = self._dpc(hop)
        if dpc is None:
            raise GatewayError(f"no point code leads to the destination by {hop.connection}")
        if hop.called is not outgoing.called:
            outgoing = Outgoing(
                outgoing.octets,
                hop.called,
                outgoing.calling,
                outgoing.route,
                outgoing.dialogue,
                outgoing.trail,
            )
        link = connection.send(outgoing, dpc, sls, wanted)
        if outgoing.dialogue is not None and link is not None:
            outgoing.dialogue.route = link
        self._counters["sent"] += 1

    def _state_of(self, hop: Hop) -> Destination | None:
        """Return the state of a hop's destination, None if its connection can't carry anything."""
        if not self._connections[hop.connection].can_send:
            return None
        return self._destination(hop)

    def _destination(self, hop: Hop) -> Destination:
        dpc = self._dpc(hop)
        return USUAL if dpc is None else self.destinations.of(hop.connection, dpc)

    def _dpc(self, hop: Hop) -> int | None:
        return self._connections[hop.connection].config.dpc if hop.dpc is None else hop.dpc

    def _why_not(self, hops: Sequence[Hop]) -> str:
        reasons = self._unhealthy()
        for hop in hops:
            state = self._state_of(hop)
            if state is not None and not state.can_take:
                reasons.append(f"{hop.connection}: {state.text(self._dpc(hop) or 0)}")
        return f"no connection is active ({'; '.join(reasons) or 'none configured'})"
