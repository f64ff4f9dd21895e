"""Decoded arguments are complete: the same octets when sent, every bit compared when expected."""

import pytest

from tsvc.kinds.sigtran.recording.arguments import Parameter
from tsvc.matching.arguments import differences
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.inap.operation import OPERATIONS

CASES = {
    "InitialDP": {
        "serviceKey": 45,
        "calledPartyNumber_digits": "0800432900",
        "callingPartyNumber_digits": "642100000",
        "callingPartyNumber_si": 3,
        "locationNumber_hex": "8493327107249007",  # with parity, spare bits and filler of its own
        "iMSI_digits": "530010000000001",
        "eventTypeBCSM": "collectedInfo",
        "bearerCapability": {"bearerCap_hex": "8090a3"},
    },
    "Connect": {"destinationRoutingAddress_digits": "4329100", "cutAndPaste": 3},
    "ReleaseCall": {"initialCallSegment_cause": 31},
    "PlayAnnouncement": {
        "informationToSend": {"inbandInfo": {"messageID": {"elementaryMessageID": 101}}},
        "disconnectFromIPForbidden": 0,
    },
    "RequestReportBCSMEvent": {"oAnswer": 1, "oNoAnswer_timer": 20, "oDisconnectLeg1": 1},
}


def parameter(name):
    operation = OPERATIONS.get(name)
    variant = "cs1" if name == "Connect" else "camel2"
    octets = operation.encode_argument(CASES[name], variant)
    return operation, variant, octets, Parameter(operation, variant, is_result=False)


@pytest.mark.parametrize("name", CASES)
def test_what_is_sent_is_said_in_names(name):
    operation, variant, octets, found = parameter(name)
    spelled = found.to_send(octets)
    assert operation.encode_argument(spelled["arguments"], variant) == octets


@pytest.mark.parametrize("name", CASES)
def test_every_bit_that_is_another_is_told(name):
    operation, variant, octets, found = parameter(name)
    entry, problems = found.expected(octets)
    assert problems == []
    expected = entry["arguments"]
    untold = []
    for bit in range(8 * len(octets)):
        other = (int.from_bytes(octets) ^ 1 << bit).to_bytes(len(octets))
        notes = []
        tree = operation.decode_argument(other, variant, notes)
        if not malformations(notes) and not differences(expected, tree):
            untold.append((len(octets) - 1 - bit // 8, other.hex()))
    assert untold == []


def test_octets_that_have_no_names_are_sent_as_octets():
    found = parameter("ReleaseCall")[3]
    assert found.to_send(bytes.fromhex("0402e09f")) == {
        "arguments": {"initialCallSegment_cause": 31, "initialCallSegment_standard": 3}
    }
    assert found.to_send(bytes.fromhex("0403009f")) == {"raw_hex": "0403009f"}


def test_what_is_malformed_is_told():
    found = parameter("InitialDP")[3]
    entry, problems = found.expected(bytes.fromhex("3000"))
    assert entry["malformed"] == "note"
    assert problems == ["InitialDP is malformed: serviceKey: mandatory member is missing"]
