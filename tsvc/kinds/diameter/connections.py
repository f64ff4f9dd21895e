"""Connections to Diameter peers: connect or listen, fail over, reconnect, requests and answers.

A connecting node keeps one connection, to the first of its hosts that answers. When it is lost,
the next host is tried immediately; when all have failed, a growing pause with jitter follows. A
listening node has a connection for each peer that connects.
"""

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, Protocol

import gevent
from gevent import socket
from gevent.server import StreamServer

from tsvc.clock import Clock
from tsvc.errors import GatewayError, failure, reason
from tsvc.gateways.gateway import GatewayState
from tsvc.kinds.diameter.peerlog import PeerLog
from tsvc.kinds.diameter.transport import Tls, TlsError, connect, listen, sctp_socket
from tsvc.protocols.diameter.capabilities import Node, applications_text
from tsvc.protocols.diameter.dictionary import Dictionary
from tsvc.protocols.diameter.message import MAX_MESSAGE_OCTETS
from tsvc.protocols.diameter.peer import (
    AnswerInd,
    CloseInd,
    Fault,
    Indication,
    LeaveInd,
    OpenInd,
    Peer,
    RequestInd,
    State,
    StrayInd,
)
from tsvc.results.records import Ends
from tsvc.transport.back_off import pause_s
from tsvc.transport.driver import StreamDriver, ends_of
from tsvc.transport.mailbox import Mailbox
from tsvc.values import dataclass

_SHORT_S = 1.0  # a shorter connection counts as failed: the peer rejected it
_SHUTDOWN_S = 2.5
_HANDSHAKE = (State.WAIT_CER, State.WAIT_CEA)
MAX_CONNECTIONS = 1000  # of a listening node


@dataclass(frozen=True, slots=True)
class ConnectionsConfig:
    """The settings of connections to peers: `hosts` to connect to, in order, or `listen_on`.

    `name`: the node's name in the log.
    """

    name: str
    node: Node
    dictionary: Dictionary
    hosts: tuple[tuple[str, int], ...] = ()
    listen_on: tuple[str, int] | None = None
    local_address: tuple[str, int] | None = None
    is_sctp: bool = False
    tls: Tls | None = None
    watchdog_s: float = 30.0
    longest_retry_s: float = 10.0
    max_octets: int = MAX_MESSAGE_OCTETS

    @property
    def transport(self) -> str:
        """The transport protocol: tcp, tls or sctp."""
        return "sctp" if self.is_sctp else "tcp" if self.tls is None else "tls"


@dataclass(slots=True, eq=False)
class PeerConnection:
    """One live connection. `fault`, `left`: why it ends, if the peer machine knows."""

    peer: Peer
    driver: StreamDriver
    address: str
    opened_at: float | None = None
    ends: Ends | None = None
    agreed: Mapping[str, str] = field(default_factory=dict)
    fault: Fault | None = None
    left: str | None = None

    @property
    def name(self) -> str:
        """The peer's Origin-Host and its address."""
        host = self.peer.remote.origin_host
        return f"{host} at {self.address}" if host else self.address

    @property
    def log_key(self) -> str:
        """The peer's name in the log: the address connected to, or the host of a client."""
        return self.address if self.peer.sends_cer else self.address.rpartition(":")[0]

    def flush(self) -> None:
        """Send what is queued; never switches."""
        self.driver.flush()


class Waiting(Protocol):
    """Receives the answer to a request."""

    def take(self, found: bytes | str) -> None:
        """Store the answer, or the reason why none can come. Never switches."""


@dataclass(slots=True, eq=False)
class PendingAnswer:
    """A request that was sent: `octets` is the whole message."""

    connection: PeerConnection
    sent_at: float
    octets: bytes = b""
    hop_by_hop_id: int = 0
    box: Mailbox[bytes | str] = field(default_factory=Mailbox)

    def take(self, found: bytes | str) -> None:
        """Store the answer, or the reason why none can come. Never switches."""
        self.box.put(found)

    def wait(self, timeout_s: float, waited_s: float = 0.0) -> bytes:
        """Return the octets of the answer. Blocks: up to timeout_s, less waited_s.

        Errors: GatewayError if none comes in time, or the connection is lost before.
        """
        try:
            found = self.box.get(timeout_s - waited_s)
        finally:
            self.connection.peer.forget(self.hop_by_hop_id)
        if found is None:
            raise GatewayError(f"no answer from {self.connection.name} within {timeout_s:g} s")
        if isinstance(found, str):
            raise GatewayError(found)
        return found


class Connections:
    """All connections of one node.

    `on_request(connection, request)` is called by a reader and must not switch or raise. The same
    applies to `on_stray(connection, answer)`, for an answer that no request waits for.
    `on_lost(connection, reason)` is called when a connection is over, after its requests failed.
    """

    def __init__(
        self,
        config: ConnectionsConfig,
        clock: Clock,
        random: Callable[[], float],
        on_request: Callable[[PeerConnection, RequestInd], None],
        on_lost: Callable[[PeerConnection, str], None],
        on_stray: Callable[[PeerConnection, StrayInd], None] | None = None,
    ) -> None:
        self._config = config
        self._clock = clock
        self._random = random
        self._on_request = on_request
        self._on_lost = on_lost
        self._on_stray = on_stray
        self._live: list[PeerConnection] = []
        self._maker: gevent.Greenlet[..., None] | None = None
        self._server: StreamServer | None = None
        self._is_stopping = True
        self._turn = 0
        self._unmatched = 0
        self._log = PeerLog(config.name, clock)
        self.problem = ""
        self.counters = {"requests": 0, "answers": 0, "connects": 0}
        # RFC 6733 §3: the low 12 bits of the time, then 20 random bits.
        self._first_end_to_end = (int(clock.wall()) & 0xFFF) << 20 | int(random() * (1 << 20))

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen, or connect in the background. Errors: GatewayError if it can never work."""
        if not self._is_stopping:
            return
        if self._config.tls is not None:
            self._config.tls.context(is_server=self._config.listen_on is not None)
        if self._config.is_sctp:
            sctp_socket().close()
        if self._config.listen_on is not None:
            self._listen(self._config.listen_on)
        self._is_stopping = False
        if self._config.hosts:
            self._maker = gevent.spawn(self._keep_connected)

    def stop(self, grace_s: float) -> None:
        """Wait up to grace_s for requests, leave properly (DPR), close. Blocks: that long."""
        self._is_stopping = True
        if self._server is not None:
            self._server.close()
        deadline = self._clock.now() + grace_s
        while any(one.peer.pending for one in self._live) and self._clock.now() < deadline:
            gevent.sleep(0.01)
        for connection in list(self._live):
            if connection.peer.is_open:
                self._log.info("DPR sent", connection.log_key, cause="0 REBOOTING")
            connection.driver.handle(connection.peer.disconnect(self._clock.now()))
        deadline = self._clock.now() + _SHUTDOWN_S
        while self._live and self._clock.now() < deadline:
            gevent.sleep(0.01)
        self.kill()

    def kill(self) -> None:
        """Close everything immediately; never raises."""
        self._is_stopping = True
        if self._server is not None:
            self._server.close()
            self._server = None
        for connection in list(self._live):
            connection.driver.close("killed")
        if self._maker is not None:
            self._maker.kill(block=False)
            self._maker = None

    @property
    def state(self) -> GatewayState:
        """UP if at least one connection is open."""
        is_open = any(one.peer.is_open for one in self._live)
        if self._is_stopping:
            return GatewayState.DRAINING if is_open else GatewayState.DOWN
        return GatewayState.UP if is_open else GatewayState.CONNECTING

    @property
    def names(self) -> str:
        """The peers of the open connections, and what was agreed with them."""
        return ", ".join(
            f"{one.name} (realm {one.agreed['realm']}, application {one.agreed['application']})"
            for one in self._live
            if one.peer.is_open and one.agreed
        )

    @property
    def unmatched(self) -> int:
        """The number of answers that no request waited for."""
        return self._unmatched + sum(one.peer.unmatched for one in self._live)

    @property
    def pending(self) -> int:
        """The number of requests that wait for their answers."""
        return sum(len(one.peer.pending) for one in self._live)

    def port(self) -> int:
        """Return the port that the node listens on, 0 if it does not listen."""
        return (self._server.server_port or 0) if self._server is not None else 0

    # -- requests ----------------------------------------------------------------------------

    def choose(self, destination_host: str | None = None) -> PeerConnection:
        """Return an open connection: to that host, else the next one. Errors: GatewayError."""
        found = [one for one in self._live if one.peer.is_open]
        if not found:
            raise GatewayError(f"no connection is open ({self.problem or 'not connected yet'})")
        for connection in found if destination_host else ():
            if connection.peer.remote.origin_host == destination_host:
                return connection
        self._turn += 1
        return found[self._turn % len(found)]

    def send(
        self,
        connection: PeerConnection,
        command_code: int,
        flags: int,
        application_id: int,
        avps: bytes,
    ) -> PendingAnswer:
        """Send a request. Never switches. Errors: GatewayError if the connection is lost."""
        peer = connection.peer
        if not peer.is_open:
            raise GatewayError(f"connection to {connection.name} is {peer.state.value}")
        pending = PendingAnswer(connection, self._clock.now())
        pending.hop_by_hop_id, pending.octets = peer.request(
            command_code, flags, application_id, avps, pending
        )
        self.counters["requests"] += 1
        connection.flush()
        return pending

    def repeat(
        self, connection: PeerConnection, head: bytes, tail: bytes, token: Waiting
    ) -> tuple[int, bytes]:
        """Queue a request as Peer.repeat() does, on an open connection, without a flush.

        `token` receives the answer.
        """
        self.counters["requests"] += 1
        return connection.peer.repeat(head, tail, token)

    def between(self, ends: Ends | None) -> PeerConnection | None:
        """Return the live connection of two ends."""
        return next((one for one in self._live if one.ends == ends), None)

    # -- connections -------------------------------------------------------------------------

    def _listen(self, address: tuple[str, int]) -> None:
        config = self._config
        server = listen(
            address, self._serve, self._refused, is_sctp=config.is_sctp, tls=config.tls
        )
        try:
            server.start()
        except OSError as error:
            raise failure(f"can't listen on {address[0]}:{address[1]}", error) from None
        self._server = server

    def _serve(self, connection: socket.socket, address: tuple[Any, ...]) -> None:
        if len(self._live) >= MAX_CONNECTIONS:
            self._refused(address, f"there are {MAX_CONNECTIONS} connections")
            connection.close()
            return
        self._run(connection, f"{address[0]}:{address[1]}", sends_cer=False)

    def _refused(self, address: tuple[Any, ...], reason: str) -> None:
        """Log a peer that never became a connection."""
        self.problem = f"{address[0]}:{address[1]}: {reason}"
        event = "TLS failed" if reason.startswith("tls: ") else "peer refused"
        self._log.warning(event, address[0], reason=reason.removeprefix("tls: "))

    def _keep_connected(self) -> None:
        """Connect, run, and connect again: to the next host, with a pause after the last host."""
        failed, position = 0, 0
        hosts, longest = self._config.hosts, self._config.longest_retry_s
        while not self._is_stopping:
            host, port = hosts[position % len(hosts)]
            position += 1
            failed = 0 if self._try(host, port) else failed + 1
            rounds, rest = divmod(failed, len(hosts))
            if not self._is_stopping and not rest:
                gevent.sleep(pause_s(max(rounds, 1), longest, self._random))

    def _try(self, host: str, port: int) -> bool:
        """Run one connection to its end. Return True if it stayed open. Blocks: that long."""
        config = self._config
        address = f"{host}:{port}"
        self._log.connecting(address, config.transport)
        try:
            connection = connect(
                (host, port), config.local_address, is_sctp=config.is_sctp, tls=config.tls
            )
            self.counters["connects"] += 1
            return self._run(connection, address, sends_cer=True)
        except (OSError, ValueError) as error:  # ValueError: for invalid names
            text = reason(error)
            self.problem = f"{address}: {text}"
            event = "TLS failed" if isinstance(error, TlsError) else "no connection"
            self._log.warning(event, address, reason=text.removeprefix("tls: "))
            return False

    def _run(self, socket_: socket.socket, address: str, *, sends_cer: bool) -> bool:
        """Drive a connection until it is over. Return True if it was open for long."""
        if not self._config.is_sctp:
            socket_.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = self._config
        node = replace(config.node, host_addresses=(socket_.getsockname()[0],))
        peer = Peer(
            node,
            sends_cer=sends_cer,
            dictionary=config.dictionary,
            first_hop_by_hop_id=int(self._random() * (1 << 32)),
            first_end_to_end_id=self._first_end_to_end,
            watchdog_s=config.watchdog_s,
            jitter=self._jitter,
            max_octets=config.max_octets,
        )
        driver = StreamDriver(
            peer,
            socket_,
            self._clock,
            lambda indication: self._on_indication(live, indication),
            is_joining=not config.is_sctp,
        )
        live = PeerConnection(peer, driver, address, ends=ends_of(socket_, config.transport))
        self._live.append(live)
        driver.handle(peer.connected(self._clock.now()))
        reason = "killed"
        try:
            reason = driver.run()
        finally:
            self._live.remove(live)
            self._end(live, reason)
        return live.opened_at is not None and self._clock.now() - live.opened_at > _SHORT_S

    def _jitter(self) -> float:
        """Return at most ±2 s (RFC 3539 §3.4.1); less for a short interval."""
        most = min(2.0, self._config.watchdog_s / 4)
        return most * (2 * self._random() - 1)

    def _end(self, connection: PeerConnection, reason: str) -> None:
        peer = connection.peer
        name = connection.name
        if peer.state in _HANDSHAKE:
            reason = f"{reason} while the connection {peer.state.value}"
        if connection.left is not None:
            reason = f"{reason} after its DPR ({connection.left})"
        self.problem = f"{name}: {reason}"
        self._log_end(connection, reason)
        waiting = list(peer.pending.values())
        peer.disconnected()
        peer.pending.clear()
        self._unmatched += peer.unmatched
        for pending in waiting:
            pending.take(f"connection to {name}: {reason}")
        self._on_lost(connection, f"connection to {name}: {reason}")

    def _log_end(self, connection: PeerConnection, reason: str) -> None:
        fields: dict[str, str] = {}
        if connection.peer.remote.origin_host:
            fields["host"] = connection.peer.remote.origin_host
        if connection.fault is not None:
            event = connection.fault.value
        else:
            event = "no connection" if connection.opened_at is None else "peer lost"
        is_ours = self._is_stopping and connection.fault is None
        write = self._log.info if is_ours else self._log.warning
        write(event, connection.log_key, **fields, reason=reason)

    def _on_indication(self, connection: PeerConnection, indication: Indication) -> None:
        if type(indication) is AnswerInd:
            self.counters["answers"] += 1
            indication.token.take(indication.octets)
            return
        match indication:
            case RequestInd():
                self._on_request(connection, indication)
            case StrayInd() if self._on_stray is not None:
                self._on_stray(connection, indication)
            case CloseInd(reason, fault):
                connection.fault = fault
                connection.driver.close(reason)
            case LeaveInd(cause):
                connection.left = cause
                host = connection.peer.remote.origin_host
                self._log.info("DPR received", connection.log_key, host=host, cause=cause)
            case OpenInd(found):
                self.problem = ""
                common = found.common(self._config.node)
                connection.agreed = {
                    "host": found.origin_host,
                    "realm": found.origin_realm,
                    "application": applications_text(common, self._config.dictionary),
                }
                if connection.opened_at is None:
                    connection.opened_at = self._clock.now()
                    self._log.up(connection.log_key, **connection.agreed)
