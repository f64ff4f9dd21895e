"""The diameter gateway: a node that sends requests of instances and takes those of servers."""

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.gateways.gateway import Gateway, GatewayContext, GatewayState, GatewayStatus, gateway
from tsvc.kinds.diameter.config import (
    DEFAULT_PORT,
    ApplicationConfig,
    DiameterConfig,
    host_and_port,
)
from tsvc.kinds.diameter.connections import (
    Connections,
    ConnectionsConfig,
    PeerConnection,
    PendingAnswer,
    Waiting,
)
from tsvc.kinds.diameter.sessions import (
    REFUSALS,
    TOO_BUSY,
    UNKNOWN_SESSION_ID,
    Registration,
    ServerRequest,
    Sessions,
    StrayAnswer,
)
from tsvc.protocols.diameter.answers import Difference, differences, read_answer
from tsvc.protocols.diameter.capabilities import Application, Node
from tsvc.protocols.diameter.dictionary import Dictionary, extended_by, grammar_of
from tsvc.protocols.diameter.message import session_id_of
from tsvc.protocols.diameter.peer import RequestInd, StrayInd
from tsvc.protocols.diameter.tree import Notes, Tree, message_tree
from tsvc.results.records import Ends
from tsvc.schema.table import given_values

COMMAND_UNSUPPORTED = 3001
_FIRST_SESSION = 1_000_000_000  # so that all Session-Ids of a gateway are equally long
_SESSIONS = (1 << 32) - _FIRST_SESSION


class DiameterAnswer:
    """An answer to a request: `octets` as received, `tree` as JSON, as far as it can be read.

    `differences`: identifiers that differ from the request; `notes`: what is malformed.
    """

    __slots__ = ("differences", "notes", "octets", "tree")

    def __init__(
        self, octets: bytes, tree: Tree, notes: Notes, differences_: list[Difference]
    ) -> None:
        self.octets = octets
        self.tree = tree
        self.notes = notes
        self.differences = differences_


@gateway("diameter")
class DiameterGateway(Gateway):
    """A node with connections to Diameter peers, for the instances of runs."""

    Config = DiameterConfig
    config: DiameterConfig

    def __init__(self, name: str, config: DiameterConfig, context: GatewayContext) -> None:
        super().__init__(name, config, context)
        # The AVPs that the configuration adds; stored with each message that is noted.
        self.grammar = grammar_of(
            {**given_values(avp), "values": dict(avp.values)} for avp in config.avps
        )
        self.dictionary: Dictionary = extended_by(self.grammar)
        self.origin_host: str = config.origin_host
        self.origin_realm: str = config.origin_realm or _realm_of(self.origin_host)
        self.is_host_forced: bool = config.force_destination_host
        self.request_timeout_s: float = config.request_timeout_s
        self.sessions = Sessions()
        self._connections = Connections(
            self._connections_config(config),
            context.clock,
            context.random,
            self._on_request,
            self._on_lost,
            self._on_stray,
        )
        self._session_prefix = f"{self.origin_host};{int(context.clock.wall()) & 0xFFFFFFFF}"
        self._next_session = int(context.random() * _SESSIONS)
        self._counters = {"server_requests": 0, "unknown_sessions": 0}

    def _connections_config(self, config: DiameterConfig) -> ConnectionsConfig:
        is_listening = config.mode == "listen"
        hosts = [host_and_port(host) for host in config.remote_hosts]
        if not hosts:
            hosts = [(config.remote_host, config.remote_port)]
        local = (config.local_host, config.local_port)
        own_port = 0 if self.context.takes_free_ports else config.local_port or DEFAULT_PORT
        return ConnectionsConfig(
            name=self.name,
            node=Node(
                self.origin_host,
                self.origin_realm,
                config.vendor_id,
                config.product_name,
                tuple(_application(item) for item in config.applications),
                origin_state_id=int(self.context.clock.wall()),
            ),
            dictionary=self.dictionary,
            hosts=() if is_listening else tuple(host for host in hosts if host is not None),
            listen_on=(local[0] or "127.0.0.1", own_port) if is_listening else None,
            local_address=(local[0] or "", local[1]) if any(local) else None,
            is_sctp=config.transport == "sctp",
            tls=config.tls,
            watchdog_s=config.watchdog_s,
            longest_retry_s=config.reconnect_interval_s,
            max_octets=config.max_message_octets,
        )

    def start(self) -> None:
        self._connections.start()

    def stop(self, grace_s: float) -> None:
        self._connections.stop(grace_s)

    def kill(self) -> None:
        self._connections.kill()

    def listens(self) -> bool:
        return self.config.mode == "listen"

    def own_port(self) -> int:
        return self._connections.port()

    def alone(self) -> str | None:
        if self.config.mode == "listen":
            return "peers connect to one of them"
        return f"peers know {self.config.origin_host} once"

    def status(self) -> GatewayStatus:
        connections = self._connections
        counters = {
            **connections.counters,
            **self._counters,
            "pending": connections.pending,
            "unmatched_answers": connections.unmatched,
            "sessions": len(self.sessions),
        }
        state = connections.state
        detail = connections.problem
        if state is GatewayState.UP:
            detail = connections.names
        levels = frozenset({"pending", "sessions"})
        return GatewayStatus(self.name, self.kind, state, detail, counters, levels)

    # -- for operations ----------------------------------------------------------------------

    def new_session_id(self) -> str:
        """Return a unique Session-Id (RFC 6733 §8.8)."""
        self._next_session = (self._next_session + 1) % _SESSIONS
        return f"{self._session_prefix};{_FIRST_SESSION + self._next_session}"

    def connection(self, destination_host: str | None = None) -> PeerConnection:
        """Return the connection for a request. Errors: GatewayError if none is open."""
        try:
            return self._connections.choose(destination_host)
        except GatewayError as error:
            raise self._named(error) from None

    def send(
        self,
        connection: PeerConnection,
        command_code: int,
        flags: int,
        application_id: int,
        avps: bytes,
    ) -> PendingAnswer:
        """Send a request. Never switches. Errors: GatewayError, LocalProtocolError (too long)."""
        try:
            return self._connections.send(connection, command_code, flags, application_id, avps)
        except GatewayError as error:
            raise self._named(error) from None

    def receive(
        self, pending: PendingAnswer, timeout_s: float, waited_s: float = 0.0
    ) -> DiameterAnswer:
        """Return the answer to a request. Blocks: up to timeout_s, less waited_s.

        Errors: GatewayError if none comes in time, or the connection is lost.
        """
        try:
            octets = pending.wait(timeout_s, waited_s)
        except GatewayError as error:
            raise self._named(error) from None
        return self.read(pending, octets)

    def read(self, pending: PendingAnswer, octets: bytes) -> DiameterAnswer:
        """Return the answer that octets contain."""
        tree, notes = read_answer(octets, self.dictionary)
        found = differences(pending.octets, octets, self.dictionary)
        return DiameterAnswer(octets, tree, notes, found)

    def repeat(
        self, connection: PeerConnection, head: bytes, tail: bytes, token: Waiting
    ) -> tuple[int, bytes]:
        """Queue a request of known octets: see Connections.repeat()."""
        return self._connections.repeat(connection, head, tail, token)

    def connection_between(self, ends: Ends | None) -> PeerConnection | None:
        """Return the live connection of two ends."""
        return self._connections.between(ends)

    def decode(self, octets: bytes) -> Tree:
        """Return a whole message as JSON. Errors: RemoteProtocolError."""
        return message_tree(octets, self.dictionary)

    def register(self, registration: Registration) -> None:
        """Register an instance for the server's requests of a session.

        Errors: LocalProtocolError if another instance has the session.
        """
        self.sessions.add(registration)

    def answer(self, request: ServerRequest, avps: bytes, *, is_error: bool) -> bytes:
        """Answer a request of the server and return the whole message. Never switches.

        Errors: GatewayError if the connection is lost meanwhile, LocalProtocolError (too long).
        """
        connection = request.connection
        if not connection.peer.is_open:
            state = connection.peer.state.value
            raise GatewayError(f"{self.name}: connection to {connection.name} is {state}")
        octets = connection.peer.answer(request.header, avps, is_error=is_error)
        connection.flush()
        return octets

    def refuse(self, request: ServerRequest, result_code: int, text: str) -> None:
        """Answer a request that no operation took; never raises, never switches."""
        peer = request.connection.peer
        if peer.is_open:
            try:
                peer.refuse(request.header, request.octets, result_code, text)
            except LocalProtocolError:
                return  # its Proxy-Info leaves no room for an answer
            request.connection.flush()

    def _named(self, error: GatewayError) -> GatewayError:
        return GatewayError(f"{self.name}: {error}")

    def _on_lost(self, connection: PeerConnection, reason: str) -> None:
        is_last = not self._connections.names
        self.sessions.lost(connection, f"{self.name}: {reason}", is_last=is_last)

    def _on_request(self, connection: PeerConnection, request: RequestInd) -> None:
        self._counters["server_requests"] += 1
        found = ServerRequest(connection, request.header, request.octets)
        refused = self.sessions.offer(request.session_id, found)
        if not refused:
            return
        self._counters["unknown_sessions"] += refused == UNKNOWN_SESSION_ID
        owner = self.sessions.owner(request.session_id) if request.session_id else None
        if owner is not None and refused != TOO_BUSY:
            owner.hear(found)
        # A definition may expect a command that no dictionary has. If none does, refuse it as
        # such.
        command_code = request.header.command_code
        if refused != TOO_BUSY and command_code not in self.dictionary.commands:
            self.refuse(found, COMMAND_UNSUPPORTED, f"command {command_code} is not known")
        else:
            self.refuse(found, refused, REFUSALS[refused])

    def _on_stray(self, connection: PeerConnection, answer: StrayInd) -> None:
        """Notify the instance that sent the request or owns the session, if it still runs."""
        asked = self.sessions.owner((connection, answer.header.hop_by_hop_id))
        owner = asked or self.sessions.owner(session_id_of(answer.octets))
        if owner is not None:
            found = StrayAnswer(answer.header, answer.octets, is_repeated=asked is not None)
            owner.hear(found)


def _realm_of(host: str) -> str:
    """Return the realm of a host: the part after its first dot."""
    return host.partition(".")[2] or host


def _application(item: ApplicationConfig) -> Application:
    return Application(item.id, item.type == "acct", item.vendor_id)
