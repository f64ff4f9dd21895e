"""Records of real dialogues of two TCAP endpoints, from a tap on the tester's side."""

import pytest

from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.inap.operation import OPERATIONS
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.tcap.components import ReturnError, ReturnResult
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.results.records import MessageRecord

SSP = Address(0, 146, gt=GlobalTitle(4, "64210001", tt=0, np=1, noa=4))
SRF = Address(1, 146, 77)
SCP = Address(0, 146, gt=GlobalTitle(4, "64210002", tt=0, np=1, noa=4))


class Call:
    """A tester and an SCP with any number of dialogues, and simulated time."""

    def __init__(self, variant="camel3"):
        self.variant = variant
        self.now = 0.0
        self.tester = Endpoint(first_tid=0x10000001)
        self.scp = Endpoint(first_tid=0x20000001)
        self.peers = {}  # dialogue of the tester -> dialogue of the SCP
        self.records = []

    def open(self, name="SSP", role="ssp", address=SSP):
        dialogue = self.tester.new_dialogue(self.now)

        def tap(is_sent, octets, called, calling, route):
            self.records.append(
                MessageRecord(self.now, name, role, is_sent, octets, called, calling)
            )

        dialogue.tap = tap
        dialogue.user = (name, address)
        return dialogue

    def invoke(self, dialogue, name, arguments=None, *, linked_id=None):
        operation = OPERATIONS.get(name)
        parameter = operation.encode_argument(arguments or {}, self.variant)
        return dialogue.invoke(
            operation.code,
            operation.operation_class,
            parameter,
            now=self.now,
            linked_id=linked_id,
        )

    def result(self, dialogue, invoke_id, name, arguments):
        operation = OPERATIONS.get(name)
        parameter = operation.encode_result(arguments, self.variant)
        dialogue.answer(ReturnResult(invoke_id, operation.code, parameter))

    def error(self, dialogue, invoke_id, code, parameter=None):
        dialogue.answer(ReturnError(invoke_id, code, parameter))

    def begin(self, dialogue, context=None):
        octets = BY_ALIAS[context or self.variant].octets
        dialogue.begin(SCP, dialogue.user[1], application_context=octets)
        (indication,) = self.carry()
        self.peers[dialogue] = indication.dialogue
        return indication.dialogue

    def send(self, dialogue, primitive="continue_", seconds=0.0, **how):
        self.now += seconds
        getattr(dialogue, primitive)(**how)
        return self.carry()

    def carry(self):
        found = []
        for sender, receiver in ((self.tester, self.scp), (self.scp, self.tester)):
            for out in sender.data_to_send():
                found += receiver.receive(out.octets, out.called, out.calling, self.now)
        return found


def armed(event, leg, mode, timer=None):
    tree = {"eventTypeBCSM": event, "monitorMode": mode, "legID": {"sendingSideID_hex": leg}}
    if timer is not None:
        tree["dpSpecificCriteria"] = {"applicationTimer": timer}
    return tree


PROMPT = {
    "collectedInfo": {
        "collectedDigits": {
            "minimumNbOfDigits": 3,
            "maximumNbOfDigits": 4,
            "endOfReplyDigit_hex": "0c",
            "cancelDigit_hex": "0b",
            "firstDigitTimeOut": 10,
            "interDigitTimeOut": 5,
        }
    },
    "disconnectFromIPForbidden": 1,
    "informationToSend": {
        "inbandInfo": {"messageID": {"elementaryMessageID": 101}, "numberOfRepetitions": 1}
    },
}


def extension_dialing():
    """Return the records of a call: an extension is keyed in, then connected and released."""
    call = Call()
    ssp = call.open()
    call.invoke(
        ssp,
        "InitialDP",
        {
            "serviceKey": 45,
            "calledPartyNumber_digits": "0800123456",
            "callingPartyNumber_digits": "6421000001",
            "eventTypeBCSM": 2,
        },
    )
    scp = call.begin(ssp)
    abandon = armed(10, "01", 1)
    call.invoke(scp, "RequestReportBCSMEvent", {"bcsmEvents": [abandon]})
    call.invoke(scp, "ConnectToResource", {"resourceAddress": {"none": 1}})
    prompt = call.invoke(scp, "PromptAndCollectUserInformation", PROMPT)
    call.send(scp, seconds=0.0021)
    name = "PromptAndCollectUserInformation"
    call.result(ssp, prompt, name, {"digitsResponse_digits": "123"})
    call.send(ssp, seconds=2.5)
    call.invoke(scp, "DisconnectForwardConnection")
    events = [
        armed(7, "02", 1),
        armed(5, "02", 0),
        armed(6, "02", 0, 20),
        armed(4, "02", 0),
        abandon,
    ]
    call.invoke(scp, "RequestReportBCSMEvent", {"bcsmEvents": events})
    call.invoke(scp, "Connect", {"destinationRoutingAddress_digits": "4329123"})
    call.send(scp, seconds=0.0018)
    call.now += 4.25
    call.invoke(
        ssp,
        "EventReportBCSM",
        {
            "eventTypeBCSM": 5,
            "legID": {"receivingSideID_hex": "02"},
            "eventSpecificInformationBCSM": {
                "oCalledPartyBusySpecificInfo": {"busyCause_cause": 17}
            },
            "miscCallInfo": {"messageType": 0},
        },
    )
    call.send(ssp)
    call.invoke(scp, "ReleaseCall", {"initialCallSegment_cause": 17})
    call.send(scp, "end", seconds=0.0009)
    return call.records


def assisted():
    """Return the records of a call with an external resource, missing digits, and aborts."""
    call = Call("camel2")
    ssp = call.open()
    call.invoke(ssp, "InitialDP", {"serviceKey": 7, "callingPartyNumber_digits": "6421"})
    scp = call.begin(ssp)
    address = {"assistingSSPIPRoutingAddress_digits": "64900", "correlationID_digits": "1234"}
    call.invoke(scp, "EstablishTemporaryConnection", address)
    call.send(scp, seconds=0.001)
    srf = call.open("SRF", "srf", SRF)
    call.invoke(srf, "AssistRequestInstructions", {"correlationID_digits": "1234"})
    to_srf = call.begin(srf, "camel2-assist")
    played = {
        "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 55}}},
        "requestAnnouncementComplete": 1,
    }
    play = call.invoke(to_srf, "PlayAnnouncement", played)
    prompt = call.invoke(to_srf, "PromptAndCollectUserInformation", PROMPT)
    call.send(to_srf, seconds=0.001)
    call.invoke(srf, "SpecializedResourceReport", linked_id=play)
    call.error(srf, prompt, 4)
    call.send(srf, seconds=3.0)
    call.send(to_srf, "abort")
    call.send(ssp, "p_abort", cause=4)
    return call.records


@pytest.fixture(scope="session", name="extension_records")
def extension_records_fixture():
    return extension_dialing()


@pytest.fixture(scope="session", name="assisted_records")
def assisted_records_fixture():
    return assisted()


@pytest.fixture(scope="session", name="make_call")
def make_call_fixture():
    return Call
