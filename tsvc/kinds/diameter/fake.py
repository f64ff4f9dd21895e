"""A fake online charging system: a Diameter server that grants, debits, refuses and misbehaves.

ocs = OcsFake("127.0.0.1", 0, subscribers={"6421000001": 500}, grant=100)
ocs.start()
ocs.address        # ("127.0.0.1", 40123)
ocs.request("Re-Auth-Request", session_id)   # sends a RAR now, returns the answer
ocs.stop()
"""

from collections import deque
from typing import Any

import gevent

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.gateways.fake import Observer, load_settings
from tsvc.kinds.diameter.connections import Connections, ConnectionsConfig, PeerConnection
from tsvc.kinds.diameter.fake_ledger import (
    EVENT,
    INITIAL,
    SUCCESS,
    TERMINATION,
    UNKNOWN_SESSION,
    Ledger,
    Tariff,
)
from tsvc.protocols.diameter.capabilities import Application, Node
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import (
    CommandFlag,
    Header,
    echoed,
    encode_message,
)
from tsvc.protocols.diameter.peer import RequestInd
from tsvc.protocols.diameter.tree import Tree, encode_avps, message_tree
from tsvc.schema.fields import Choice, Integer, List, Named, Number, String
from tsvc.schema.table import TableMembers
from tsvc.words import quoted

CREDIT_CONTROL, SESSION_TERMINATION, CREDIT_CONTROL_APPLICATION = 272, 275, 4
_ACTIONS = {"terminate": 0, "redirect": 1, "restrict": 2}
_MOST_KEPT = 1000
_ANSWER_S = 10.0
_COMMAND_UNSUPPORTED, _INVALID_AVP_LENGTH = 3001, 5014
_PROTOCOL_ERRORS = range(3000, 4000)


class Settings(TableMembers):
    """The settings; every key has a default."""

    origin_host = String(default="ocs.tsvc.invalid", help="what it is called")
    origin_realm = String(default="tsvc.invalid", help="its realm")
    subscribers = Named(Integer(), default=dict, help="number: balance")
    default_balance = Integer(
        allow_none=True,
        default=1000,
        help="of subscribers that are not listed; null: they are unknown, 5030",
    )
    unit = Choice(
        ["CC-Time", "CC-Total-Octets", "CC-Service-Specific-Units"],
        default="CC-Time",
        help="what balances count",
    )
    grant = Integer(1, default=100, help="most units of one grant")
    validity_time_s = Integer(default=None, help="Validity-Time of each grant")
    final_action = Choice(
        _ACTIONS, default=None, help="Final-Unit-Action when a grant uses the balance up"
    )
    redirect_address = String(default="", help="of final_action REDIRECT")
    unrated = List(Integer(), default=list, help="rating groups answered 5031")
    result_code = Integer(default=None, help="answer everything with this one")
    rar_after_s = Number(
        default=None, help="send a Re-Auth-Request that long after each granted initial request"
    )
    delay_s = Number(default=0.0, help="wait before each answer")
    drop_every = Integer(default=0, help="do not answer each n-th request; 0: answer all")
    close_every = Integer(default=0, help="close in the middle of each n-th answer; 0: never")


class OcsFake:
    """The server. `requests`: the last thousand that came, as trees; `ledger`: the accounts."""

    Settings = Settings

    def __init__(self, host: str = "127.0.0.1", port: int = 0, **settings: Any) -> None:
        """Errors: ValueError for wrong settings."""
        loaded = load_settings(Settings, settings)
        self._settings = loaded
        # Called for each request with a text that describes it.
        self.on_request: Observer = lambda text: None
        self._host = host
        self.requests: deque[Tree] = deque(maxlen=_MOST_KEPT)
        self.ledger = Ledger(_tariff(loaded), loaded["subscribers"])
        self._dictionary = standard()
        self._count = 0
        # Where a session came from: (connection, Origin-Host, Origin-Realm).
        self._origins: dict[str, tuple[PeerConnection, str, str]] = {}
        node = Node(
            loaded["origin_host"],
            loaded["origin_realm"],
            product_name="tsvc fake OCS",
            applications=(Application(CREDIT_CONTROL_APPLICATION),),
        )
        self._connections = Connections(
            ConnectionsConfig("fake", node, self._dictionary, listen_on=(host, port)),
            SYSTEM_CLOCK,
            _halfway,
            self._on_request,
            self._on_lost,
        )
        self._origin = encode_avps(
            [
                {"name": "Origin-Host", "value": loaded["origin_host"]},
                {"name": "Origin-Realm", "value": loaded["origin_realm"]},
            ],
            self._dictionary,
            "origin",
        )

    # -- life --------------------------------------------------------------------------------

    def start(self) -> None:
        """Listen. Errors: GatewayError if the port is taken."""
        self._connections.start()

    def stop(self) -> None:
        """Leave properly and close. Blocks: up to a few seconds."""
        self._connections.stop(0.0)

    def kill(self) -> None:
        """Close at once, without a DPR to the peers."""
        self._connections.kill()

    @property
    def address(self) -> tuple[str, int]:
        """The host and port that it listens on."""
        return self._host, self._connections.port()

    @property
    def is_connected(self) -> bool:
        """True if a peer has an open connection."""
        return bool(self._connections.names)

    # -- requests of the server --------------------------------------------------------------

    def request(
        self, name: str, session_id: str, avps: Any = (), *, timeout_s: float = 10
    ) -> Tree:
        """Send a request in a session and return the answer, as a tree. Blocks: up to timeout_s.

        `name`: Re-Auth-Request, Abort-Session-Request, … Errors: GatewayError if the session is
        not known, or no answer comes; LocalProtocolError if an AVP can't be sent.
        """
        command = self._dictionary.command(name)
        if command is None:
            raise LocalProtocolError(f"no command is named {quoted(name)}")
        found = self._origins.get(session_id)
        if found is None:
            raise GatewayError(f"session {session_id} is not known")
        connection, host, realm = found
        first = [{"name": "Session-Id", "value": session_id}]
        head = [
            {"name": "Destination-Realm", "value": realm},
            {"name": "Destination-Host", "value": host},
            {"name": "Auth-Application-Id", "value": CREDIT_CONTROL_APPLICATION},
        ]
        if name == "Re-Auth-Request":
            head.append({"name": "Re-Auth-Request-Type", "value": "AUTHORIZE_ONLY"})
        octets = b"".join(
            [
                encode_avps(first, self._dictionary, "avps"),
                self._origin,
                encode_avps([*head, *avps], self._dictionary, "avps"),
            ]
        )
        flags = int(CommandFlag.PROXIABLE)
        pending = self._connections.send(
            connection, command.code, flags, CREDIT_CONTROL_APPLICATION, octets
        )
        return message_tree(pending.wait(timeout_s), self._dictionary)

    def _send_later(self, session_id: str) -> None:
        """Send the RAR of `rar_after_s`; its result is ignored."""
        try:
            self.request("Re-Auth-Request", session_id, timeout_s=_ANSWER_S)
        except (GatewayError, RemoteProtocolError):
            return  # the session or its connection is gone

    # -- requests of clients -----------------------------------------------------------------

    def _on_request(self, connection: PeerConnection, request: RequestInd) -> None:
        self._count += 1
        settings = self._settings
        if settings["drop_every"] and self._count % settings["drop_every"] == 0:
            return
        is_cut = bool(settings["close_every"]) and self._count % settings["close_every"] == 0
        if settings["delay_s"]:
            gevent.spawn_later(settings["delay_s"], self._answer, connection, request, is_cut)
        else:
            self._answer(connection, request, is_cut)

    def _answer(self, connection: PeerConnection, request: RequestInd, is_cut: bool) -> None:
        if not connection.peer.is_open:
            return
        header, octets = request.header, request.octets
        try:
            tree = message_tree(octets, self._dictionary)
        except RemoteProtocolError as error:
            connection.peer.refuse(header, octets, _INVALID_AVP_LENGTH, str(error))
            connection.flush()
            return
        self.requests.append(tree)
        result, more = self._outcome(tree)
        self.on_request(f"{tree['name']} {tree['avp'].get('Session-Id')}: {result}")
        avps = self._answer_avps(octets, tree, result, more)
        is_error = result in _PROTOCOL_ERRORS
        if is_cut:
            self._cut(connection, header, avps)
            return
        connection.peer.answer(header, avps, is_error=is_error)
        connection.flush()
        self._note(connection, tree, result)

    def _outcome(self, tree: Tree) -> tuple[int, list[dict[str, Any]]]:
        forced = self._settings["result_code"]
        if forced is not None:
            return forced, []
        if tree["code"] == CREDIT_CONTROL:
            return self.ledger.charge(tree)
        if tree["code"] == SESSION_TERMINATION:
            is_known = tree["avp"].get("Session-Id") in self.ledger.sessions
            return (SUCCESS if is_known else UNKNOWN_SESSION), []
        is_known = tree["code"] in self._dictionary.commands
        return (SUCCESS if is_known else _COMMAND_UNSUPPORTED), []

    def _answer_avps(self, octets: bytes, tree: Tree, result: int, more: Any) -> bytes:
        session_id, proxies = echoed(octets)
        avps: list[dict[str, Any]] = [{"name": "Result-Code", "value": result}]
        if tree["code"] == CREDIT_CONTROL:
            avps.append({"name": "Auth-Application-Id", "value": CREDIT_CONTROL_APPLICATION})
            avps += [
                {"name": name, "value": tree["avp"].get(name)}
                for name in ("CC-Request-Type", "CC-Request-Number")
            ]
        octets = encode_avps([*avps, *more], self._dictionary, "answer")
        # Result-Code first, where people look for it.
        return session_id + self._origin + octets + proxies

    def _cut(self, connection: PeerConnection, header: Header, avps: bytes) -> None:
        """Send half of the answer and close."""
        flags = header.flags & CommandFlag.PROXIABLE
        ids = (header.hop_by_hop_id, header.end_to_end_id)
        whole = encode_message(
            Header(header.command_code, flags, header.application_id, *ids), avps
        )
        connection.peer.send_raw(whole[: len(whole) // 2])
        connection.flush()
        connection.driver.close("told to close in the middle of an answer")

    def _note(self, connection: PeerConnection, tree: Tree, result: int) -> None:
        """Store the origin of a session, and send its RAR if one is configured."""
        avp = tree["avp"]
        session_id = avp.get("Session-Id")
        kind = avp.get("CC-Request-Type")
        if session_id is None or kind == EVENT:
            return
        if kind == TERMINATION:
            self._origins.pop(session_id, None)
            return
        host, realm = str(avp.get("Origin-Host")), str(avp.get("Origin-Realm"))
        self._origins[session_id] = (connection, host, realm)
        after = self._settings["rar_after_s"]
        if kind == INITIAL and result == SUCCESS and after is not None:
            gevent.spawn_later(after, self._send_later, session_id)

    def _on_lost(self, connection: PeerConnection, reason: str) -> None:
        ended = [key for key, found in self._origins.items() if found[0] is connection]
        for session_id in ended:
            del self._origins[session_id]


def _halfway() -> float:
    """Return a constant instead of a random number: a fake behaves the same each time."""
    return 0.5


def _tariff(settings: Any) -> Tariff:
    action = settings["final_action"]
    return Tariff(
        unit=settings["unit"],
        grant=settings["grant"],
        default_balance=settings["default_balance"],
        validity_time_s=settings["validity_time_s"],
        final_action=None if action is None else _ACTIONS[action],
        redirect_address=settings["redirect_address"],
        unrated=frozenset(settings["unrated"]),
    )
