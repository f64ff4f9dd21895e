"""Two endpoints back to back, and messages as plain values."""

import pytest
from support.playbook import Language

from tsvc.protocols import ber
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap import messages
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import MessageType

# Messages to an endpoint at "us", from "them", received by a link.
TCAP = Language(
    encode=bytes,
    decode=messages.decode,
    name=lambda message: message.type.name,
    receive=lambda endpoint, octets, now: endpoint.receive(octets, "us", "them", now, "link 3"),
    octets=lambda outgoing: outgoing.octets,
)


class Pair:
    """Endpoint a at address "A", endpoint b at address "B", and the wire between them.

    `lost` decides by the number of a message (from 0) whether it disappears.
    """

    def __init__(self, **options):
        self.a = Endpoint(first_tid=0x100, **options)
        self.b = Endpoint(first_tid=0x200, **options)
        self.now = 0.0
        self.wire = []  # (sender, message) of all sent messages

    def begin(self, context=None, invoke=(0, 1, b"\x04\x00"), **options):
        """Begin a dialogue from a; return both halves and b's indication."""
        dialogue = self.a.new_dialogue(self.now)
        if invoke is not None:
            dialogue.invoke(*invoke, now=self.now)
        dialogue.begin("B", "A", application_context=context, **options)
        (indication,) = self.flow()
        return dialogue, indication.dialogue, indication

    def flow(self):
        """Carry all queued messages; return the indications in order."""
        found = []
        while sent := [("a", one) for one in self.a.data_to_send()] + [
            ("b", one) for one in self.b.data_to_send()
        ]:
            for side, outgoing in sent:
                self.wire.append((side, messages.decode(outgoing.octets)))
                other = self.b if side == "a" else self.a
                found += other.receive(
                    outgoing.octets, outgoing.called, outgoing.calling, self.now
                )
        return found

    @property
    def last(self):
        """The last message on the wire."""
        return self.wire[-1][1]


@pytest.fixture
def pair():
    return Pair()


@pytest.fixture
def pair_of():
    return Pair


@pytest.fixture
def reencode():
    """Return the function that encodes a decoded message."""

    def again(message):
        dialogue = b""
        if message.dialogue is not None:
            dialogue = portion.encode(message.dialogue)
        return messages.encode(
            message.type,
            otid=message.otid,
            dtid=message.dtid,
            dialogue=dialogue,
            components=[codec.encode(component) for component in message.components],
            p_abort_cause=message.p_abort_cause,
        )

    return again


def _hex(octets):
    return None if octets is None else octets.hex()


def _component(component):
    match component:
        case codec.Invoke(invoke_id, code, parameter, linked_id):
            return {
                "invoke": invoke_id,
                "code": code,
                "linked_id": linked_id,
                "parameter": _hex(parameter),
            }
        case codec.ReturnResult(invoke_id, code, parameter, is_last):
            name = "return_result_last" if is_last else "return_result_not_last"
            return {name: invoke_id, "code": code, "parameter": _hex(parameter)}
        case codec.ReturnError(invoke_id, code, parameter):
            return {"return_error": invoke_id, "code": code, "parameter": _hex(parameter)}
        case codec.Reject(invoke_id, problem_type, problem):
            return {"reject": invoke_id, problem_type.name.lower(): problem}
        case codec.Malformed(invoke_id, problem_type, problem):
            return {"malformed": invoke_id, problem_type.name.lower(): problem}
    raise TypeError(component)


def _dialogue(pdu):
    match pdu:
        case portion.Aarq(context, information):
            plain = {"aarq": ber.decode_oid(context)}
        case portion.Aare(context, result, source, diagnostic, information):
            name = "user" if source == portion.SOURCE_USER else "provider"
            plain = {"aare": ber.decode_oid(context), "result": result, name: diagnostic}
        case portion.Abrt(source, information):
            plain = {"abrt": source}
    if information:
        plain["user_information"] = information.hex()
    return plain


def _without_none(values):
    return {name: value for name, value in values.items() if value is not None}


@pytest.fixture
def describe():
    """Return the function that turns a decoded message into plain values."""

    def plain(message):
        values = {
            "type": MessageType(message.type).name,
            "otid": _hex(message.otid),
            "dtid": _hex(message.dtid),
            "p_abort_cause": message.p_abort_cause,
            "dialogue": None if message.dialogue is None else _dialogue(message.dialogue),
        }
        if message.components:
            described = [_component(component) for component in message.components]
            values["components"] = [
                # An id that is None is the NULL of a Reject: it stays.
                {k: v for k, v in one.items() if v is not None or k in ("reject", "malformed")}
                for one in described
            ]
        return _without_none(values)

    return plain
