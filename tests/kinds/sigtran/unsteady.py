"""An SCP that deviates in some calls, and the call that it answers."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from support.scripted_scp import (
    ScriptedScp,
    operation,
    p_abort,
    return_error,
    send,
    sends,
    together,
)

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.components import ProblemType, Reject
from tsvc.protocols.tcap.endpoint import Outgoing

WAIT_S = 0.02  # for messages of the SCP, which come at once
VARS = {"caller": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}
ARMED = {
    "bcsmEvents": [
        {"eventTypeBCSM_name": event, "monitorMode_name": "notifyAndContinue"}
        for event in ("oAnswer", "oDisconnect")
    ]
}
CALL = [
    send(
        "InitialDP",
        {
            "serviceKey": 45,
            "calledPartyNumber_digits": "0800432900",
            "callingPartyNumber_digits": "{$v->{caller}}",
            "callingPartyNumber_noa": 4,
        },
    ),
    {"type": "inap.ssp_from_scp.RequestReportBCSMEvent", "seconds": WAIT_S},
    {
        "type": "inap.ssp_from_scp.Connect",
        "seconds": WAIT_S,
        "arguments": {"destinationRoutingAddress_digits": "4329100"},
    },
    send("EventReportBCSM", {"eventTypeBCSM_name": "oAnswer"}),
    send("EventReportBCSM", {"eventTypeBCSM_name": "oDisconnectLeg2"}),
    {
        "type": "inap.ssp_from_scp.ReleaseCall",
        "seconds": WAIT_S,
        "last_component": 1,
        "arguments": {"initialCallSegment_cause": 16},
    },
]

Reaction = Callable[[Any, Any, Any], None]
RRB = operation("RequestReportBCSMEvent", ARMED)
CONNECT = operation("Connect", {"destinationRoutingAddress_digits": "4329100"})
ELSEWHERE = operation("Connect", {"destinationRoutingAddress_digits": "4329101"})
RELEASE = operation("ReleaseCall", {"initialCallSegment_cause": 16})
BUSY = operation("ReleaseCall", {"initialCallSegment_cause": 17})
CONTINUE = operation("Continue")
MALFORMED = operation("Connect", parameter=bytes.fromhex("3003800101"))
SECOND = sends("continue", RRB, CONNECT)
LAST = sends("end", RELEASE)
USUAL: tuple[Reaction | None, ...] = (SECOND, None, LAST)


def nothing(scp: Any, dialogue: Any, indication: Any) -> None:
    """Send nothing."""


def twice(reaction: Reaction) -> Reaction:
    """Return a reaction whose last message goes out twice."""

    def react(scp: Any, dialogue: Any, indication: Any) -> None:
        reaction(scp, dialogue, indication)
        sent = scp.endpoint.data_to_send()
        scp.more += [*sent, *sent[-1:]]

    return react


def too_late(reaction: Reaction) -> Reaction:
    """Return a reaction that is sent in the next call: by then this call is given up."""

    def react(scp: Any, dialogue: Any, indication: Any) -> None:
        reaction(scp, dialogue, indication)
        scp.overdue += scp.endpoint.data_to_send()

    return react


def straying(reaction: Reaction) -> Reaction:
    """Return a reaction whose message is sent once more, when its call is long over."""

    def react(scp: Any, dialogue: Any, indication: Any) -> None:
        reaction(scp, dialogue, indication)
        scp.more = scp.endpoint.data_to_send()
        scp.overdue += scp.more

    return react


def changed(reaction: Reaction, change: Callable[[bytes], bytes]) -> Reaction:
    """Return a reaction whose last message is changed on its way."""

    def react(scp: Any, dialogue: Any, indication: Any) -> None:
        reaction(scp, dialogue, indication)
        *others, last = scp.endpoint.data_to_send()
        last.octets = change(last.octets)
        scp.more += [*others, last]

    return react


def octet_changed(scp: Any, reaction: Reaction) -> Reaction:
    """Return a reaction with one octet of its message changed at random."""

    def change(octets: bytes) -> bytes:
        at = scp.chance.randrange(len(octets))
        return octets[:at] + bytes((scp.chance.randrange(256),)) + octets[at + 1 :]

    return changed(reaction, change)


def other_id(octets: bytes) -> bytes:
    """Return a CONTINUE with another originating id."""
    at = octets.index(b"\x48\x04") + 2
    return octets[:at] + b"\x0f\x0f\x0f\x0f" + octets[at + 4 :]


REJECT = Reject(0, ProblemType.INVOKE, 2)
# In place of the second message, of none, and of the last. The definition expects none of these.
INSTEAD_OF_SECOND: list[Reaction] = [
    nothing,
    sends("continue", RRB, ELSEWHERE),
    sends("continue", RRB),
    sends("continue", CONNECT),
    sends("continue", CONNECT, RRB),
    sends("continue", RRB, CONNECT, CONTINUE),
    sends("continue", RRB, MALFORMED),
    sends("continue"),
    sends("end", RRB, CONNECT),
    sends("end"),
    sends("abort"),
    sends("continue", return_error(11)),
    sends("end", return_error(11)),
    lambda scp, dialogue, _: (dialogue.answer(REJECT), dialogue.end()),  # type: ignore[list-item]
    p_abort(4),
    twice(SECOND),
    changed(SECOND, lambda octets: octets[:-1]),
    changed(SECOND, lambda octets: octets + b"\0"),
    together(SECOND, sends("continue", CONTINUE)),
    together(SECOND, LAST),  # before anything was reported
    together(SECOND, sends("abort")),
    together(sends("continue", RRB), sends("continue", CONNECT)),
    too_late(SECOND),
]
INSTEAD_OF_NOTHING: list[Reaction] = [
    LAST,
    sends("continue", CONTINUE),
    sends("continue"),
    sends("abort"),
    sends("end", BUSY),
    changed(sends("continue", CONTINUE), other_id),
]
INSTEAD_OF_LAST: list[Reaction] = [
    nothing,
    sends("end", BUSY),
    sends("end"),
    sends("continue", RELEASE),
    sends("end", RELEASE, RELEASE),
    sends("end", CONTINUE),
    sends("abort"),
    p_abort(3),
    twice(LAST),
    together(sends("continue"), LAST),
    changed(LAST, lambda octets: b"\x64\x00"),
    changed(LAST, lambda octets: octets[:-2] + b"\xff\xff"),
    too_late(LAST),
    straying(LAST),
]
INSTEAD = (INSTEAD_OF_SECOND, INSTEAD_OF_NOTHING, INSTEAD_OF_LAST)


class Unsteady(ScriptedScp):
    """Answers as usual, but deviates in one call of `one_in`, drawn with its own seed."""

    def __init__(self, seed: int, one_in: float) -> None:
        super().__init__()
        self.chance = random.Random(seed)
        self.one_in = one_in
        self.more: list[Outgoing] = []
        self.overdue: list[Outgoing] = []
        self.deviated = 0
        self._reactions: dict[Any, list[Reaction | None]] = {}

    def take(self, indication: Any) -> None:
        dialogue = indication.dialogue
        if dialogue not in self._reactions:
            self._reactions[dialogue] = self._drawn()
            self.more += self.overdue
            self.overdue = []
        self.reactions = self._reactions[dialogue]
        with suppress(LocalProtocolError):  # the dialogue is over: nothing can be sent any more
            super().take(indication)
        self.received.clear()
        self.pdus.clear()

    def _drawn(self) -> list[Reaction | None]:
        reactions = list(USUAL)
        if self.chance.random() * self.one_in < 1:
            self.deviated += 1
            at = self.chance.randrange(3)
            usual = reactions[at]
            if usual is not None and self.chance.random() < 0.3:
                reactions[at] = octet_changed(self, usual)
            else:
                reactions[at] = self.chance.choice(INSTEAD[at])
        return reactions

    def data_to_send(self) -> list[Outgoing]:
        more, self.more = self.more, []
        found: list[Outgoing] = more + super().data_to_send()
        return found
