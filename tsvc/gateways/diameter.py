"""The diameter gateway: a peer that sends requests of instances and takes those of servers."""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.gateways._base import Gateway, GatewayContext, GatewayState, GatewayStatus, gateway
from tsvc.gateways._diameter_connections import (
    Connection,
    Connections,
    ConnectionsConfig,
    PendingAnswer,
)
from tsvc.gateways._diameter_sessions import Registration, ServerRequest, Sessions
from tsvc.gateways._diameter_transport import Tls
from tsvc.protocols.diameter.capabilities import Application, Node
from tsvc.protocols.diameter.dictionary import AvpDefinition, Dictionary, avp_definition, standard
from tsvc.protocols.diameter.message import MAX_MESSAGE_OCTETS
from tsvc.protocols.diameter.peer import RequestInd
from tsvc.protocols.diameter.tree import Tree, message_tree
from tsvc.protocols.diameter.types import TYPES

DEFAULT_PORT = 3868
UNKNOWN_SESSION_ID, MISSING_AVP = 5002, 5005
_U32 = validate.Range(0, 0xFFFFFFFF)
_PORT = validate.Range(1, 65535)
_SECONDS = validate.Range(0, 86400, min_inclusive=False)


class ApplicationConfig(Schema):
    """One entry of `applications`."""

    id = fields.Integer(required=True, validate=_U32)
    type = fields.String(load_default="auth", validate=validate.OneOf(["auth", "acct"]))
    vendor_id = fields.Integer(load_default=None, allow_none=True, validate=_U32)


class AvpConfig(Schema):
    """One entry of `avps`: an AVP that the dictionary has not."""

    name = fields.String(required=True, validate=validate.Length(1, 100))
    code = fields.Integer(required=True, validate=_U32)
    vendor_id = fields.Integer(load_default=0, validate=_U32)
    mandatory = fields.Boolean(load_default=False)
    type = fields.String(load_default="OctetString", validate=validate.OneOf(list(TYPES)))
    values = fields.Dict(fields.String(), fields.Integer(), load_default=dict)


class TlsConfig(Schema):
    """`tls`: PEM files."""

    ca_file = fields.String(load_default=None, allow_none=True)
    cert_file = fields.String(load_default=None, allow_none=True)
    key_file = fields.String(load_default=None, allow_none=True)
    verify = fields.Boolean(load_default=True)
    server_name = fields.String(load_default=None, allow_none=True)


class DiameterConfig(Schema):
    """`[application.NAME]` with module = "diameter"."""

    mode = fields.String(load_default="connect", validate=validate.OneOf(["connect", "listen"]))
    remote_hosts = fields.List(fields.String(), load_default=list)
    remote_host = fields.String(load_default="127.0.0.1")
    remote_port = fields.Integer(load_default=DEFAULT_PORT, validate=_PORT)
    local_host = fields.String(load_default=None, allow_none=True)
    local_port = fields.Integer(load_default=0, validate=validate.Range(0, 65535))
    transport = fields.String(load_default="tcp", validate=validate.OneOf(["tcp", "sctp"]))
    tls = fields.Nested(TlsConfig, load_default=None, allow_none=True)
    origin_host = fields.String(
        load_default="tester.tsvc.invalid", validate=validate.Length(1, 255)
    )
    origin_realm = fields.String(load_default=None, allow_none=True)
    destination_host = fields.String(load_default=None, allow_none=True)
    destination_realm = fields.String(load_default=None, allow_none=True)
    force_destination_host = fields.Boolean(load_default=True)
    vendor_id = fields.Integer(load_default=0, validate=_U32)
    product_name = fields.String(load_default="tsvc")
    applications = fields.List(fields.Nested(ApplicationConfig), load_default=lambda: [{"id": 4}])
    watchdog_s = fields.Float(load_default=30.0, validate=_SECONDS)
    request_timeout_s = fields.Float(load_default=10.0, validate=_SECONDS)
    reconnect_interval_s = fields.Float(load_default=10.0, validate=_SECONDS)
    max_message_octets = fields.Integer(
        load_default=MAX_MESSAGE_OCTETS, validate=validate.Range(1024, 0xFFFFFF)
    )
    avps = fields.List(fields.Nested(AvpConfig), load_default=list)

    @validates_schema
    def check_hosts(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a mixture that could not work."""
        for host in data["remote_hosts"]:
            if _host_and_port(host) is None:
                raise ValidationError(f"{host!r} is not host:port", "remote_hosts")
        if data["transport"] == "sctp" and data["tls"]:
            raise ValidationError("TLS goes over TCP only", "tls")
        for name in ("origin_host", "origin_realm", "destination_host", "destination_realm"):
            if not (data[name] or "").isascii():
                raise ValidationError("must be ASCII", name)


class Answer:
    """An answer to a request: `octets` as received, `tree` as JSON."""

    __slots__ = ("octets", "tree")

    def __init__(self, octets: bytes, tree: Tree) -> None:
        self.octets = octets
        self.tree = tree


@gateway("diameter")
class DiameterGateway(Gateway):
    """A node with connections to Diameter peers, for the instances of runs."""

    Config = DiameterConfig

    def __init__(self, name: str, config: Mapping[str, Any], context: GatewayContext) -> None:
        super().__init__(name, config, context)
        self.dictionary: Dictionary = standard().extended(map(_avp, config["avps"]))
        self.origin_host: str = config["origin_host"]
        self.origin_realm: str = config["origin_realm"] or _realm_of(self.origin_host)
        self.is_host_forced: bool = config["force_destination_host"]
        self.request_timeout_s: float = config["request_timeout_s"]
        self.sessions = Sessions()
        self._connections = Connections(
            self._connections_config(config),
            context.clock,
            context.random,
            self._on_request,
            self.sessions.lost,
        )
        self._session_prefix = f"{self.origin_host};{int(context.clock.wall()) & 0xFFFFFFFF}"
        self._next_session = int(context.random() * (1 << 32))
        self._counters = {"server_requests": 0, "unknown_sessions": 0}

    def _connections_config(self, config: Mapping[str, Any]) -> ConnectionsConfig:
        is_listening = config["mode"] == "listen"
        hosts = [_host_and_port(host) for host in config["remote_hosts"]]
        if not hosts:
            hosts = [(config["remote_host"], config["remote_port"])]
        local = (config["local_host"], config["local_port"])
        tls = config["tls"]
        return ConnectionsConfig(
            node=Node(
                self.origin_host,
                self.origin_realm,
                config["vendor_id"],
                config["product_name"],
                tuple(_application(item) for item in config["applications"]),
                origin_state_id=int(self.context.clock.wall()),
            ),
            dictionary=self.dictionary,
            hosts=() if is_listening else tuple(host for host in hosts if host is not None),
            listen_on=(local[0] or "127.0.0.1", local[1] or DEFAULT_PORT)
            if is_listening
            else None,
            local_address=(local[0] or "", local[1]) if any(local) else None,
            is_sctp=config["transport"] == "sctp",
            tls=_tls(tls) if tls is not None else None,
            watchdog_s=config["watchdog_s"],
            longest_retry_s=config["reconnect_interval_s"],
            max_octets=config["max_message_octets"],
        )

    def start(self) -> None:
        self._connections.start()

    def stop(self, grace_s: float) -> None:
        self._connections.stop(grace_s)

    def kill(self) -> None:
        self._connections.kill()

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
        return GatewayStatus(self.name, self.kind, state, detail, counters)

    def port(self) -> int:
        """Return the port we listen on, 0 if we do not."""
        return self._connections.port()

    # -- for operations ----------------------------------------------------------------------

    def new_session_id(self) -> str:
        """Return a Session-Id that no other has (RFC 6733 §8.8)."""
        self._next_session = (self._next_session + 1) % (1 << 32)
        return f"{self._session_prefix};{self._next_session}"

    def connection(self, destination_host: str | None = None) -> Connection:
        """Return the connection that a request shall take. Errors: GatewayError: none is open."""
        return self._connections.choose(destination_host)

    def send(
        self,
        connection: Connection,
        command_code: int,
        flags: int,
        application_id: int,
        avps: bytes,
    ) -> PendingAnswer:
        """Send a request. Never switches. Errors: GatewayError, LocalProtocolError (too long)."""
        return self._connections.send(connection, command_code, flags, application_id, avps)

    def receive(self, pending: PendingAnswer, timeout_s: float) -> Answer:
        """Return the answer to a request. Blocks: up to timeout_s.

        Errors: GatewayError: none in time, connection lost, malformed, of another command.
        """
        octets = pending.wait(timeout_s)
        try:
            tree = self.decode(octets)
        except RemoteProtocolError as error:
            name = pending.connection.name
            raise GatewayError(f"malformed answer from {name}: {error}") from None
        if octets[5:8] != pending.octets[5:8]:
            raise GatewayError(f"{pending.connection.name} answered with a {tree['name']}")
        return Answer(octets, tree)

    def decode(self, octets: bytes) -> Tree:
        """Return a whole message as JSON. Errors: RemoteProtocolError."""
        return message_tree(octets, self.dictionary)

    def register(self, registration: Registration) -> None:
        """Give the server's requests of a session to an instance.

        Errors: LocalProtocolError if another one has it.
        """
        self.sessions.add(registration)

    def answer(self, request: ServerRequest, avps: bytes, *, is_error: bool) -> bytes:
        """Answer a request of the server; returns the whole message. Never switches.

        Errors: GatewayError if the connection is lost meanwhile, LocalProtocolError (too long).
        """
        connection = request.connection
        if not connection.peer.is_open:
            state = connection.peer.state.value
            raise GatewayError(f"connection to {connection.name} is {state}")
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

    def _on_request(self, connection: Connection, request: RequestInd) -> None:
        self._counters["server_requests"] += 1
        found = ServerRequest(connection, request.header, request.octets)
        if request.session_id is None:
            self.refuse(found, MISSING_AVP, "Session-Id is missing")
        elif not self.sessions.offer(request.session_id, found):
            self._counters["unknown_sessions"] += 1
            self.refuse(found, UNKNOWN_SESSION_ID, "no test waits for this session")


def _host_and_port(text: str) -> tuple[str, int] | None:
    """Return the parts of host, host:port or [v6]:port; None if it is none of these."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]"):
        host, port = text, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port) < 65536:
        return None
    return host, int(port)


def _realm_of(host: str) -> str:
    """Return the realm of a host: what stands after its first dot."""
    return host.partition(".")[2] or host


def _avp(item: Mapping[str, Any]) -> AvpDefinition:
    return avp_definition(
        item["name"],
        item["code"],
        item["type"],
        vendor_id=item["vendor_id"],
        is_mandatory=item["mandatory"],
        names={number: name for name, number in item["values"].items()},
    )


def _application(item: Mapping[str, Any]) -> Application:
    return Application(item["id"], item.get("type") == "acct", item.get("vendor_id"))


def _tls(item: Mapping[str, Any]) -> Tls:
    return Tls(
        item["ca_file"], item["cert_file"], item["key_file"], item["verify"], item["server_name"]
    )
