"""Builds and sends Diameter requests: members of a definition, and AVPs that it need not give
(identities, realms, the application, the instance's session)."""

from collections.abc import Mapping, Sequence
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.expr import Template
from tsvc.expr.environment import Environment
from tsvc.kinds.diameter.avps import SESSION_ID, SESSION_ID_AUTO, AvpPlan, Item
from tsvc.kinds.diameter.connections import PeerConnection
from tsvc.kinds.diameter.gateway import DiameterAnswer, DiameterGateway
from tsvc.kinds.diameter.session import DiameterSession, session_of
from tsvc.memo import Memo
from tsvc.operations.operation import Instance, abort
from tsvc.protocols.diameter.dictionary import Command, Dictionary
from tsvc.protocols.diameter.message import CommandFlag
from tsvc.protocols.diameter.tree import encode_avp, encode_avps
from tsvc.protocols.diameter.types import integer_of
from tsvc.words import quoted

_APPLICATION_AVPS = ("Auth-Application-Id", "Acct-Application-Id")
STEERING = frozenset({SESSION_ID_AUTO, "CC-Request-Type", *_APPLICATION_AVPS})
_FILLED = (
    "Origin-Host",
    "Origin-Realm",
    "Destination-Realm",
    "Destination-Host",
    *_APPLICATION_AVPS,
)
_BASE_COMMANDS = frozenset({257, 280, 282})
_ACCOUNTING = 3
_FIRST_VENDOR_APPLICATION = 1 << 24  # they define how they are named
_NEW_SESSION = (1, 4, "1", "4", "INITIAL_REQUEST", "EVENT_REQUEST")  # of CC-Request-Type
_MOST_FILLS = 256


class Sending:
    """Builds and sends the requests of an operation."""

    def __init__(self, head: Template, plan: AvpPlan) -> None:
        self._head = head
        self._plan = plan
        # Octets of the AVPs that are filled in, by all values that they depend on.
        self._fills: Memo[tuple[Any, ...], bytes] = Memo("AVPs that are filled in", _MOST_FILLS)

    def exchange(
        self, instance: Instance, gateway: DiameterGateway, seconds: float | None
    ) -> DiameterAnswer:
        """Send a request and return the answer. Blocks: until it comes. Errors: GatewayError."""
        env = instance.env
        try:
            head: Any = self._head.render(env)
            command = _command(head, gateway.dictionary)
            items = self._plan.items(env)
            session = session_of(instance)
            session.refuse_unexpected()
            connection = gateway.connection(gateway.config.destination_host)
            application_id = _application(head, command, items, env)
            avps = self._avps(env, gateway, connection, session, items, application_id)
            flags = _flags(head, command)
            pending = gateway.send(connection, command.code, flags, application_id, avps)
            session.own(pending)
        except (LocalProtocolError, ValueError) as error:
            abort(f"diameter.Request: {error}")
        name = f"{command.name}-Request"
        if instance.keeps_messages:
            ends = connection.ends
            instance.note_message(
                "diameter", gateway.name, True, pending.octets, gateway.grammar, ends
            )
        instance.trace(2, f"sent {name}", lambda: gateway.decode(pending.octets))
        answer = gateway.receive(
            pending, gateway.request_timeout_s if seconds is None else seconds
        )
        instance.note_latency(name, instance.clock.now() - pending.sent_at)
        if instance.keeps_messages:
            instance.note_message(
                "diameter", gateway.name, False, answer.octets, gateway.grammar, ends
            )
        tree = answer.tree
        session.host = tree["avp"].get("Origin-Host") or session.host
        instance.entry(True, f"Received {tree['name']}", None, None)
        instance.trace(2, f"received {tree['name']}", lambda: tree)
        return answer

    def _avps(
        self,
        env: Environment,
        gateway: DiameterGateway,
        connection: PeerConnection,
        session: DiameterSession,
        items: Sequence[Item],
        application_id: int,
    ) -> bytes:
        """Return the AVPs: Session-Id, the AVPs filled in, the others in the order given."""
        dictionary = gateway.dictionary
        kind = _request_type(items, env)
        host = _destination_host(gateway, connection, session, kind)
        is_forced = gateway.is_host_forced
        first: list[bytes] = []
        rest: list[bytes] = []
        names: set[str] = set()
        for item in items:
            name = item.name
            names.add(name)
            if name == SESSION_ID_AUTO:
                begins = kind in _NEW_SESSION or item.tree(env).get("value") == "new"
                octets = encode_avp(
                    {"name": SESSION_ID, "value": session.request_session_id(begins=begins)},
                    dictionary,
                    "Session-Id_auto",
                )
            elif name == "Destination-Host" and is_forced:
                continue
            else:
                octets = item.encode(env, dictionary)
            is_first = name in (SESSION_ID, SESSION_ID_AUTO) and not rest
            (first if is_first else rest).append(octets)
        if is_forced:
            names.discard("Destination-Host")
        fill = self._filled(gateway, connection, host, application_id, names)
        return b"".join([*first, fill, *rest])

    def _filled(
        self,
        gateway: DiameterGateway,
        connection: PeerConnection,
        host: str | None,
        application_id: int,
        names: set[str],
    ) -> bytes:
        """Return the octets of the AVPs that every request needs and this one was not given."""
        missing = tuple(name for name in _FILLED if name not in names)
        realm = gateway.config.destination_realm or connection.peer.remote.origin_realm
        own = gateway.origin_host, gateway.origin_realm, gateway.dictionary
        key = (own, missing, realm, host, application_id)
        octets = self._fills.get(key)
        if octets is None:
            values = {
                "Origin-Host": gateway.origin_host,
                "Origin-Realm": gateway.origin_realm,
                "Destination-Realm": realm or None,
                "Destination-Host": host,
            }
            if len(missing) - len(values.keys() & set(missing)) == len(_APPLICATION_AVPS):
                values |= _application_avp(application_id)
            avps = [{"name": name, "value": values.get(name)} for name in missing]
            octets = encode_avps(avps, gateway.dictionary, "avps")
            self._fills[key] = octets
        return octets


def _request_type(items: Sequence[Item], env: Environment) -> Any:
    """Return the CC-Request-Type as given, None without one."""
    for item in items:
        if item.name == "CC-Request-Type":
            tree = item.tree(env)
            return tree.get("value", tree.get("value_name"))
    return None


def _destination_host(
    gateway: DiameterGateway,
    connection: PeerConnection,
    session: DiameterSession,
    kind: Any,
) -> str | None:
    """Return the Destination-Host to fill in.

    Forced: always the Origin-Host of the peer. Otherwise the configured host; without one, the
    Origin-Host of the session's last answer, once the session has begun.
    """
    if gateway.is_host_forced:
        return connection.peer.remote.origin_host
    configured: str | None = gateway.config.destination_host
    if configured or kind in _NEW_SESSION:
        return configured
    return session.host


def _command(head: Mapping[str, Any], dictionary: Dictionary) -> Command:
    """Return the command of a request. Errors: LocalProtocolError, ValueError."""
    name, code = head.get("name"), head.get("code")
    if code is not None:
        number = integer_of(code)
        if not 0 <= number <= 0xFFFFFF:
            raise LocalProtocolError(f"{number} is not in 0…16777215", path="code")
        known = dictionary.commands.get(number)
        return known or Command(number, f"Command-{number}", str(number), 0)
    found = dictionary.command(str(name))
    if found is None:
        raise LocalProtocolError(f"no command is named {quoted(name)}", path="name")
    return found


def _application(
    head: Mapping[str, Any], command: Command, items: Sequence[Item], env: Environment
) -> int:
    """Return the application id of the header. Errors: ValueError."""
    given = head.get("application_id")
    if given is None:
        for item in items:
            if item.name in _APPLICATION_AVPS:
                given = item.tree(env).get("value")
    number = command.application_id if given is None else integer_of(given)
    if not 0 <= number <= 0xFFFFFFFF:
        raise LocalProtocolError(f"{number} has over 32 bits", path="application_id")
    return number


def _application_avp(application_id: int) -> dict[str, Any]:
    if not application_id or application_id >= _FIRST_VENDOR_APPLICATION:
        return {}
    is_accounting = application_id == _ACCOUNTING
    return {_APPLICATION_AVPS[is_accounting]: application_id}


def _flags(head: Mapping[str, Any], command: Command) -> int:
    proxiable = head.get("proxiable")
    is_proxiable = command.code not in _BASE_COMMANDS if proxiable is None else _truth(proxiable)
    flags = CommandFlag.PROXIABLE if is_proxiable else 0
    return flags | (CommandFlag.RETRANSMITTED if _truth(head.get("retransmitted")) else 0)


def _truth(value: Any) -> bool:
    return value not in (None, False, 0, "", "0")
