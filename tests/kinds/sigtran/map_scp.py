"""An SCP that speaks MAP, beside a daemon in the process; entries of test definitions for both."""

import pytest
from support.scripted_scp import ScriptedScp

from tsvc.kinds.sigtran.operations.map_register import registrations_of
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.dialogue import encode_pdu
from tsvc.protocols.map.operation import OPERATIONS, variant_of
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import ReturnError, ReturnResult

HLR = Address(1, 6)
GSMSCF = Address(1, 147)
NUMBER = "6421000001"
IDENTITY = {"subscriberIdentity": {"msisdn_digits": NUMBER}}
ATI = {
    **IDENTITY,
    "requestedInfo": {"locationInformation": 1, "subscriberState": 1},
    "gsmSCF-Address_digits": "6421000099",
}
IDLE = {"subscriberInfo": {"subscriberState": {"assumedIdle": 1}}}
PUSSR = "ProcessUnstructuredSSRequest"


class MapScp(ScriptedScp):
    """A scripted SCP that can begin MAP dialogues itself, with reactions of their own."""

    def attach(self, daemon):
        self.daemon = daemon
        self._own = {}
        return self

    def take(self, indication):
        reactions = self._own.get(indication.dialogue)
        if reactions is None:
            super().take(indication)
            return
        self.received.append((indication.kind, list(indication.components)))
        self.pdus.append(indication.pdu)
        if reactions:
            reactions.pop(0)(self, indication.dialogue, indication)

    def begin(
        self,
        name=None,
        arguments=None,
        context="ati3",
        opening=None,
        reactions=(),
        version=None,
    ):
        """Begin a dialogue; returns the SCP's half of it."""
        dialogue = self.endpoint.new_dialogue(0.0)
        self._own[dialogue] = list(reactions)
        dialogue.route = self.daemon.gateway.node.network
        octets = None if context is None else BY_ALIAS[context].octets
        if name is not None:
            self.invoke(dialogue, name, arguments, version or variant_of(octets) or "map3")
        information = b"" if opening is None else encode_pdu({"map_open": opening})
        dialogue.begin(HLR, GSMSCF, application_context=octets, user_information=information)
        self.flush()
        return dialogue

    def invoke(self, dialogue, name, arguments, variant):
        operation = OPERATIONS.get(name)
        parameter = operation.encode_argument(arguments, variant)
        dialogue.invoke(operation.code, 1, parameter, now=0.0, timer_s=60.0)

    def flush(self):
        node = self.daemon.service.scp.node
        for outgoing in self.data_to_send():
            outgoing.route.send(outgoing, node)


@pytest.fixture
def start(daemon):
    """Start a daemon whose SCP speaks MAP; returns (daemon, SCP)."""

    def make(*reactions, **settings):
        scp = MapScp(*reactions)
        made = daemon(scp=scp, **settings)
        return made, scp.attach(made)

    return make


def registered(daemon):
    return len(registrations_of(daemon.gateway)._waiting)


def register(code=71, **members):
    arguments = {"opcode": code, **(members or {"msisdn_digits": NUMBER})}
    return {"type": "map.hlr_from_scp.Register", "arguments": arguments}


def expect(name, arguments=None, **more):
    entry = {"type": f"map.hlr_from_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def send(name, arguments=None, **more):
    entry = {"type": f"map.hlr_to_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


# -- what the SCP does --------------------------------------------------------------------------


def request(name, arguments):
    """Return a function that queues a MAP request of the SCP."""

    def queue(scp, dialogue, indication):
        version = variant_of(dialogue.application_context) or "map3"
        scp.invoke(dialogue, name, arguments, version)

    return queue


def result(name, arguments, at=0):
    """Return a function that queues a result for the n-th invoke of the dialogue."""

    def queue(scp, dialogue, indication):
        operation = OPERATIONS.get(name)
        version = variant_of(dialogue.application_context) or "map3"
        octets = operation.encode_result(arguments, version)
        dialogue.answer(ReturnResult(at, operation.code, octets))

    return queue


def error(code, parameter=None, at=0):
    return lambda scp, dialogue, indication: dialogue.answer(ReturnError(at, code, parameter))
