"""The peers of drawn definitions: they answer as expected, in other ways, or wrongly.

What a peer does in an instance is drawn from the seed and the instance's index, which the peer
reads in the messages that it receives. So it does the same in any order of instances.
"""

import random
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from kinds.diameter.unsteady import TWISTS as DIAMETER_TWISTS
from kinds.diameter.unsteady import of_length, with_result
from kinds.rest.unsteady import BODY, Server, instead, usual
from kinds.rest.unsteady import TWISTS as REST_TWISTS
from kinds.rest.unsteady import ends as ends_connection
from kinds.sigtran.map_scp import request as asks
from kinds.sigtran.map_scp import result as answers
from kinds.sigtran.unsteady import (
    ARMED,
    Reaction,
    changed,
    nothing,
    octet_changed,
    straying,
    too_late,
    twice,
)
from kinds.together.generator import PUSSR, USSD, Plan, Script
from support.scripted_scp import ScriptedScp, operation, p_abort, sends, together

from tsvc.errors import LocalProtocolError
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.map.operation import OPERATIONS as MAP_OPERATIONS
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.endpoint import Outgoing

_IDS_END = 20  # the transaction ids of a message end before this octet
_USSD_INDEX = re.compile(r"\*1(\d+)#")
_PATH_INDEX = re.compile(rb"/x/(\d+)/")
_CALLER = re.compile(rb"64210(\d{5})")
_GRANTED = bytes.fromhex("000001a44000000c000000")  # CC-Time without its last octet


def way_of(plan: Plan, idx: int, peer: int) -> int:
    """Return the way in which a peer answers an instance: the same for all peers, or a different
    one for each peer."""
    own = random.Random(peer).randrange(1, 9) if plan.has_own_ways else 1
    return idx * own // 3 % plan.ways


class Talk:
    """One dialogue: its instance, and the message in which the SCP deviates."""

    def __init__(self, plan: Plan, which: int, idx: int) -> None:
        self.plan = plan
        self.which = which
        self.idx = idx
        self.chance = random.Random(f"{plan.seed} {which} {idx}")
        self.way = way_of(plan, idx, which)
        self.odd_at = self.chance.randrange(2) if self.chance.random() < plan.odd else -1
        self.said = 0

    @property
    def script(self) -> Script:
        """The script that the SCP follows in this dialogue."""
        return self.plan.scripts[self.which]


def _until_asked(reaction: Reaction) -> Reaction:
    """Return a reaction that is sent once another gateway is asked, so in another order."""

    def react(scp: Any, dialogue: Any, indication: Any) -> None:
        reaction(scp, dialogue, indication)
        scp._until_asked += scp.endpoint.data_to_send()

    return react


class Scp(ScriptedScp):
    """Follows the scripts of a plan; `seen`: all octets that it received."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[bytes] = []
        self.chance = random.Random()
        self.more: list[Outgoing] = []
        self.overdue: list[Outgoing] = []
        self.node: Any = None  # the node that has this SCP
        self._until_asked: list[Outgoing] = []  # held until another gateway is asked
        self._plan: Plan | None = None
        self._talks: dict[Any, Talk] = {}
        self._begun = 0

    def play(self, plan: Plan) -> None:
        """Begin a plan, and forget the plan before."""
        self._plan = plan
        self._talks.clear()
        self.seen.clear()
        self.overdue.clear()
        self._until_asked.clear()
        self._begun = 0

    def others_are_asked(self) -> None:
        """Send what was held until another gateway is asked."""
        held, self._until_asked = self._until_asked, []
        for one in held:
            one.route.send(one, self.node)

    def receive(self, octets: bytes, *more: Any, **how: Any) -> None:
        self.seen.append(octets)
        super().receive(octets, *more, **how)

    def take(self, indication: Any) -> None:
        talk = self._talks.get(indication.dialogue)
        invoke = next((one for one in indication.components if isinstance(one, Invoke)), None)
        if talk is None:
            if invoke is None:
                return
            talk = self._talks[indication.dialogue] = self._begin(invoke)
            self.more += [*self.overdue, *self._until_asked]
            self.overdue, self._until_asked = [], []
        reaction = self._usual(talk, invoke)
        if reaction is None:
            return
        if talk.said == talk.odd_at:
            self.chance = talk.chance
            reaction = self._odd(talk, reaction)
        talk.said += 1
        with suppress(LocalProtocolError):  # the dialogue is over: nothing can be sent any more
            reaction(self, indication.dialogue, indication)

    def _begin(self, invoke: Invoke) -> Talk:
        plan = self._plan
        assert plan is not None
        assert invoke.parameter is not None
        self._begun += 1
        if USSD in plan.scripts and invoke.code == 59:
            text = MAP_OPERATIONS.required(PUSSR).decode_argument(invoke.parameter, "map2", [])
            found = _USSD_INDEX.search(str(text))
            assert found is not None, text
            return Talk(plan, USSD, int(found[1]))
        given = OPERATIONS.required("InitialDP").decode_argument(invoke.parameter, "camel2", [])
        key = given["serviceKey"]
        if plan.has_keys:
            return Talk(plan, key % 8, key // 8)
        which = key - 44
        if plan.in_order:
            return Talk(plan, which, self._begun - 1)
        return Talk(plan, which, int(given["callingPartyNumber_digits"][2:]))

    def _usual(self, talk: Talk, invoke: Invoke | None, more: int = 0) -> Reaction | None:
        """Return the usual reaction, None: nothing is sent. `more` is added to the index."""
        script, idx = talk.script, talk.idx + more
        to = {"destinationRoutingAddress_digits": str(script.to.of(idx))}
        if talk.way and talk.idx % 2:
            to["destinationRoutingAddress_noa"] = 2 + talk.way  # type: ignore[assignment]
        connect = operation("Connect", to)
        cause: dict[str, Any] = {"initialCallSegment_cause": script.cause.of(idx)}
        if talk.way:
            cause["initialCallSegment_location"] = talk.way
        release = sends("end", operation("ReleaseCall", cause))
        if talk.which == USSD:
            ends = sends("end", answers(PUSSR, {"ussdString_text": script.answer.of(idx)}))
            if script.flavour == "told" or talk.said:
                return ends
            return sends("continue", asks("UnstructuredSSRequest", {"ussdString_text": "1: yes"}))
        if talk.said:
            assert invoke is None or invoke.parameter is not None
            return release if invoke is not None and self._is_last(invoke) else None
        if script.flavour == "short":
            return sends("end", connect)
        if script.flavour == "released":
            return release
        if script.flavour == "charged":
            duration = {"maxCallPeriodDuration": script.seconds.of(idx)}
            grant = operation(
                "ApplyCharging",
                {
                    "aChBillingChargingCharacteristics": {"timeDurationCharging": duration},
                    "partyToCharge": {"sendingSideID_hex": "01"},
                },
            )
            return self._said(script, grant, operation("Continue"))
        return self._said(script, operation("RequestReportBCSMEvent", ARMED), connect)

    def _said(self, script: Script, one: Reaction, other: Reaction) -> Reaction:
        if script.is_split:
            return together(sends("continue", one), sends("continue", other))
        return sends("continue", one, other)

    def _is_last(self, invoke: Invoke) -> bool:
        """Return True if an invocation ends a call."""
        assert invoke.parameter is not None
        event = OPERATIONS.required("EventReportBCSM")
        if invoke.code != event.code:
            return True
        given = event.decode_argument(invoke.parameter, "camel2", [])
        return "oDisconnect" in str(given) or given.get("eventTypeBCSM") == 9

    def _odd(self, talk: Talk, reaction: Reaction) -> Reaction:
        """Return a deviating reaction in place of the usual one."""
        chance = talk.chance
        kind = chance.random()
        if kind < 0.35:
            if talk.plan.is_crowd:
                return changed(reaction, lambda octets: _octet_changed(chance, octets, _IDS_END))
            return octet_changed(self, reaction)
        if kind < 0.45 and not talk.plan.is_crowd and talk.plan.sorts & {"rest", "diameter"}:
            return _until_asked(reaction)
        if kind < 0.55:
            opening = Invoke(0, 0, b"") if not talk.said else None
            wrong = self._usual(talk, opening, 1) if talk.which == USSD or not talk.said else None
            return wrong or reaction
        choices: list[Reaction] = [
            nothing,
            sends("continue"),
            sends("end"),
            sends("abort"),
            sends("continue", operation("Continue")),
            sends("end", operation("ReleaseCall", {"initialCallSegment_cause": 41})),
            p_abort(4),
            changed(reaction, lambda octets: octets[:-1]),
            changed(reaction, lambda octets: octets + b"\0"),
            together(reaction, sends("continue", operation("Continue"))),
            together(reaction, sends("abort")),
            together(sends("continue"), reaction),
        ]
        if not talk.plan.is_crowd:
            choices += [twice(reaction), twice(reaction), too_late(reaction), straying(reaction)]
        return chance.choice(choices)

    def invoke(self, dialogue: Any, name: str, arguments: Any, variant: str) -> None:
        """Queue a MAP request."""
        asked = MAP_OPERATIONS.required(name)
        dialogue.invoke(
            asked.code, 1, asked.encode_argument(arguments, variant), now=self.now, timer_s=60.0
        )

    def data_to_send(self) -> list[Outgoing]:
        more, self.more = self.more, []
        found: list[Outgoing] = more + super().data_to_send()
        return found


def _octet_changed(chance: random.Random, octets: bytes, first: int) -> bytes:
    at = chance.randrange(min(first, len(octets) - 1), len(octets))
    return octets[:at] + bytes((chance.randrange(256),)) + octets[at + 1 :]


class Ocs:
    """Grants as a plan wants; wraps a TwistedOcs. `seen`: all octets that it received."""

    def __init__(self, ocs: Any, scp: Scp) -> None:
        self.seen: list[bytes] = []
        self.chance = random.Random()
        self.overdue: list[bytes] = []
        self._ocs = ocs
        self._plan: Plan | None = None
        self._asked: dict[int, int] = {}  # requests so far less one, by instance
        answer = ocs._answer

        def note(connection: Any, request: Any, is_cut: bool) -> None:
            self.seen.append(bytes(request.octets))
            scp.others_are_asked()
            answer(connection, request, is_cut or self._closes(request.octets))

        ocs._answer = note
        ocs.twist = self.twist

    def play(self, plan: Plan) -> None:
        """Begin a plan, and forget the plan before."""
        self._plan = plan
        self._asked.clear()
        self.seen.clear()
        self.overdue.clear()

    def _closes(self, octets: bytes) -> bool:
        """Return True if the connection ends in the middle of the answer to a request. It ends in
        the last instance only: it is unknown when a next instance would find a new connection."""
        plan = self._plan
        found = _CALLER.search(octets)
        if plan is None or plan.is_crowd or found is None:
            return False
        is_last = int(found[1]) == plan.instances - 1
        return is_last and plan.odd > 0 and random.Random(plan.seed).random() < 0.2

    def twist(self, octets: bytes) -> list[bytes]:
        """Return the messages to send in place of an answer."""
        plan = self._plan
        if plan is None:
            return [octets]
        tree = self._ocs.requests[-1]["avp"]
        idx = int(tree["Subscription-Id"]["Subscription-Id-Data"]) - 6421000000
        number = self._asked[idx] = self._asked.get(idx, -1) + 1
        self.chance = chance = random.Random(f"{plan.seed} ocs {idx} {number}")
        overdue, self.overdue = self.overdue, []
        way = way_of(plan, idx, 4)
        at = octets.find(_GRANTED) + len(_GRANTED)
        if way and at >= len(_GRANTED):
            octets = octets[:at] + bytes((octets[at] + way,)) + octets[at + 1 :]
        found = [octets]
        if chance.random() < plan.odd:
            twists = _CROWD_DIAMETER if plan.is_crowd else DIAMETER_TWISTS
            found = chance.choice(twists)(self, octets)  # type: ignore[arg-type]
        return [*overdue, *found]


_MESSAGE = b"\x00\x00\x01\x19\x00\x00\x00\x0cabcd"  # an Error-Message
_CROWD_DIAMETER: list[Any] = [
    lambda ocs, octets: [],
    with_result(5012),
    with_result(2002),
    with_result(4012),
    lambda ocs, octets: [of_length(octets + _MESSAGE)],
    lambda ocs, octets: [of_length(octets[:-12])],
    *[lambda ocs, octets: [_octet_changed(ocs.chance, octets, _IDS_END)]] * 6,
]

_CROWD_REST: list[Any] = [
    lambda server, octets, sock: None,
    ends_connection,
    instead(b"200 OK", b"500 Broken"),
    instead(b"200 OK", b"200 Fine"),
    instead(b"1450", b"1451"),
    instead(b"active", b"barred"),
    *[lambda server, octets, sock: sock.sendall(_octet_changed(server.chance, octets, 0))] * 6,
]


class Billing:
    """Answers HTTP requests as a plan wants; it is the Twist of a Server."""

    def __init__(self, server: Server, scp: Scp) -> None:
        self._server = server
        self._scp = scp
        self._plan: Plan | None = None
        self._asked: dict[int, int] = {}
        server.twist = self

    @property
    def seen(self) -> list[bytes]:
        """All octets that it received."""
        found: list[bytes] = self._server.requests
        return found

    def play(self, plan: Plan) -> None:
        """Begin a plan, and forget the plan before."""
        self._plan = plan
        self._asked.clear()
        self._server.requests.clear()

    def __call__(self, server: Server, octets: bytes, sock: Any) -> bool | None:
        self._scp.others_are_asked()
        plan = self._plan
        assert plan is not None
        found = _PATH_INDEX.search(server.requests[-1])
        assert found is not None, server.requests[-1]
        idx = int(found[1])
        number = self._asked[idx] = self._asked.get(idx, -1) + 1
        server.chance = chance = random.Random(f"{plan.seed} http {idx} {number}")
        way = way_of(plan, idx, 5)
        if way:
            body = BODY.replace(b"active", b"active" + b"!" * way)
            length = b"Content-Length: %d"
            octets = octets.replace(length % len(BODY), length % len(body)).replace(BODY, body)
        if chance.random() >= plan.odd:
            return usual(server, octets, sock)
        twist: Callable[..., Any] = chance.choice(_CROWD_REST if plan.is_crowd else REST_TWISTS)
        answered: bool | None = twist(server, octets, sock)
        return answered
