"""An OCS that deviates in some sessions, and the operations of such a session."""

import random
from collections.abc import Callable
from typing import Any

from kinds.diameter.credit import avp, credit, units

from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.message import Header, encode_message, session_id_of
from tsvc.protocols.diameter.tree import encode_avps

ONE_IN = 3
WAIT_S = 0.8
VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}, "asked": 100}


def request(kind: int, number: int, *avps: Any, **more: Any) -> dict[str, Any]:
    made = credit(kind, number, *avps, msisdn="{$v->{msisdn}}", answer={"result_code": 2001})
    return {**made, "seconds": WAIT_S, **more}


ASKED = units("Requested-Service-Unit", "{$v->{asked}}")
USED = units("Used-Service-Unit", 60)
HOST = {"kpath": "response.avps.[name=Origin-Host].value", "value": "ocs.tsvc.invalid"}
SESSION = [
    request(1, 0, ASKED, tests=[HOST]),
    request(2, 1, USED, ASKED),
    request(3, 2, USED),
]

Twist = Callable[["Unsteady", bytes], list[bytes]]
RESULT = bytes.fromhex("0000010c4000000c000007d1")


def with_result(code: int) -> Twist:
    return lambda ocs, octets: [octets.replace(RESULT, RESULT[:8] + code.to_bytes(4, "big"))]


def of_length(octets: bytes) -> bytes:
    """Return a message with its length corrected."""
    return octets[:1] + len(octets).to_bytes(3, "big") + octets[4:]


def octet_changed(ocs: "Unsteady", octets: bytes) -> list[bytes]:
    at = ocs.chance.randrange(4, len(octets))  # a wrong length ends the connection
    return [octets[:at] + bytes((ocs.chance.randrange(256),)) + octets[at + 1 :]]


def later(ocs: "Unsteady", octets: bytes) -> list[bytes]:
    """Delay the answer until the next one: by then no instance waits for it."""
    ocs.overdue.append(octets)
    return []


def once_more(ocs: "Unsteady", octets: bytes) -> list[bytes]:
    """Send the answer, and send it again with the next answer."""
    ocs.overdue.append(octets)
    return [octets]


def asks(session_id: str | None = None) -> Callable[[bytes], bytes]:
    """Return a function that makes a Re-Auth-Request in a session, by default the answer's."""

    def make(octets: bytes) -> bytes:
        avps = [
            avp("Session-Id", session_id or session_id_of(octets)),
            avp("Origin-Host", "ocs.tsvc.invalid"),
            avp("Origin-Realm", "tsvc.invalid"),
            avp("Auth-Application-Id", 4),
            avp("Re-Auth-Request-Type", 0),
        ]
        return encode_message(Header(258, 0xC0, 4, 77, 78), encode_avps(avps, standard(), ""))

    return make


RAR, ELSEWHERE = asks(), asks("nobody;1;2")
MESSAGE = b"\x00\x00\x01\x19\x00\x00\x00\x0cabcd"  # an Error-Message
TWISTS: list[Twist] = [
    lambda ocs, octets: [],
    lambda ocs, octets: [octets, octets],
    lambda ocs, octets: [octets, octets[:-1] + b"\x01"],
    with_result(5012),
    with_result(2002),
    with_result(4012),
    lambda ocs, octets: [of_length(octets + MESSAGE)],
    lambda ocs, octets: [of_length(octets[:-12])],
    lambda ocs, octets: [octets[:12] + b"\1\2\3\4" + octets[16:]],  # found by its end-to-end id
    lambda ocs, octets: [octets[:16] + b"\1\2\3\4" + octets[20:]],
    lambda ocs, octets: [octets[:12] + bytes(8) + octets[20:], octets],
    lambda ocs, octets: [octets.replace(b";1", b";2")],  # another session
    lambda ocs, octets: [octets, RAR(octets)],
    lambda ocs, octets: [RAR(octets), octets],
    lambda ocs, octets: [RAR(octets)],
    lambda ocs, octets: [ELSEWHERE(octets), octets],
    later,
    once_more,
    *[octet_changed] * 12,
]


class Peer:
    """The way in which an OCS twists its answers."""

    chance: random.Random
    overdue: list[bytes]
    deviated: int

    def twist(self, octets: bytes) -> list[bytes]:
        """Return the messages to send in place of an answer."""
        raise NotImplementedError


class Unsteady(Peer):
    """Twists one answer, in one session of `one_in` on average, drawn with its own seed."""

    def __init__(self, seed: int, one_in: float = ONE_IN) -> None:
        self.chance = random.Random(seed)
        self.one_in = one_in
        self.overdue: list[bytes] = []
        self.deviated = 0
        self._session: str | None = None
        self._at, self._twist = -1, TWISTS[0]
        self._answers = 0

    def twist(self, octets: bytes) -> list[bytes]:
        session = session_id_of(octets)
        if session != self._session:
            self._session, self._answers = session, 0
            is_odd = self.chance.random() * self.one_in < 1
            self._at = self.chance.randrange(3) if is_odd else -1
            self._twist = self.chance.choice(TWISTS)
        overdue, self.overdue = self.overdue, []
        found = [octets]
        if self._answers == self._at:
            self.deviated += 1
            found = self._twist(self, octets)
        self._answers += 1
        return [*overdue, *found]


_TIME = bytes.fromhex("000001a44000000c000000")  # CC-Time without its last octet


class Choosing(Peer):
    """Grants a different time in each of `ways` sessions, in turn."""

    def __init__(self, ways: int) -> None:
        self._ways = ways
        self._sessions: dict[str, int] = {}

    def twist(self, octets: bytes) -> list[bytes]:
        number = self._sessions.setdefault(session_id_of(octets), len(self._sessions))
        at = octets.find(_TIME) + len(_TIME)
        if at < len(_TIME):
            return [octets]
        return [octets[:at] + bytes((number % self._ways,)) + octets[at + 1 :]]
