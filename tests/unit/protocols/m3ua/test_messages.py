"""The common header, the table of messages, and octets from publications."""

import json
import os
from pathlib import Path

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.messages import LAYOUTS, Message, decode, encode, message
from tsvc.protocols.m3ua.params import Parameter, ProtocolData

VECTORS = os.environ.get("TSVC_VECTORS")

# Class and type of every message, as RFC 4666 section 3.1 lists them.
NUMBERS = {
    "ERR": (0, 0),
    "NTFY": (0, 1),
    "DATA": (1, 1),
    "DUNA": (2, 1),
    "DAVA": (2, 2),
    "DAUD": (2, 3),
    "SCON": (2, 4),
    "DUPU": (2, 5),
    "DRST": (2, 6),
    "ASPUP": (3, 1),
    "ASPDN": (3, 2),
    "BEAT": (3, 3),
    "ASPUP_ACK": (3, 4),
    "ASPDN_ACK": (3, 5),
    "BEAT_ACK": (3, 6),
    "ASPAC": (4, 1),
    "ASPIA": (4, 2),
    "ASPAC_ACK": (4, 3),
    "ASPIA_ACK": (4, 4),
    "REG_REQ": (9, 1),
    "REG_RSP": (9, 2),
    "DEREG_REQ": (9, 3),
    "DEREG_RSP": (9, 4),
}


def test_every_message_is_declared():
    assert {layout.name: number for number, layout in LAYOUTS.items()} == NUMBERS


def test_aspac_by_hand():
    octets = bytes.fromhex(
        "01 00 04 01 00000018"  # version, reserved, ASPTM, ASPAC, length 24
        "000b 0008 00000002"  # traffic mode: loadshare
        "0006 0008 00000007"  # routing context 7
    )
    built = message(
        messages.ASPAC, params.TRAFFIC_MODE_TYPE.of(2), None, params.ROUTING_CONTEXT.of((7,))
    )
    assert encode(built) == octets
    assert decode(octets) == built
    assert built.name == "ASPAC"


def test_the_length_counts_the_padding():
    octets = encode(message(messages.ASPDN, params.INFO_STRING.of("bye")))
    assert octets == bytes.fromhex("01 00 03 02 00000010 0004 0007 627965 00")


def test_length_without_the_last_padding_is_accepted():
    expected = message(messages.ASPDN, params.INFO_STRING.of("bye"))
    without = bytes.fromhex("01 00 03 02 0000000f 0004 0007 627965")
    assert decode(without) == expected
    assert decode(without + b"\0") == expected  # padded, but not counted


def test_unknown_class_type_and_parameter_survive():
    octets = bytes.fromhex("01 00 63 42 00000010 7777 0006 abcd 0000")
    decoded = decode(octets)
    assert decoded == Message(0x63, 0x42, (Parameter(0x7777, b"\xab\xcd"),))
    assert decoded.name == "message 99/66"
    assert decoded.missing() is None
    assert encode(decoded) == octets


def test_get_returns_the_first_or_none():
    decoded = message(messages.ASPIA, params.ROUTING_CONTEXT.of((1,)))
    assert decoded.get(params.ROUTING_CONTEXT) == (1,)
    assert decoded.get(params.INFO_STRING) is None


@pytest.mark.parametrize("number", LAYOUTS)
def test_missing_names_the_first_absent_mandatory_parameter(number):
    mandatory = LAYOUTS[number].mandatory
    assert Message(*number).missing() == (mandatory[0].name if mandatory else None)
    whole = Message(*number, tuple(Parameter(declared.tag, b"") for declared in mandatory))
    assert whole.missing() is None


@pytest.mark.parametrize(
    ("octets_hex", "offset"),
    [
        ("", 0),
        ("01 00 03 01 000000", 0),
        ("02 00 03 01 00000008", 0),
        ("01 00 03 01 00000007", 4),
        ("01 00 03 01 0000000c", 4),
        ("01 00 03 01 00000008 00000000", 4),
        ("01 00 03 01 0000000c 0004 0003", 8),
    ],
)
def test_what_is_no_message(octets_hex, offset):
    with pytest.raises(RemoteProtocolError) as caught:
        decode(bytes.fromhex(octets_hex))
    assert caught.value.offset == offset


def test_class_that_does_not_fit():
    with pytest.raises(LocalProtocolError):
        encode(Message(256, 0))


def _vectors():
    path = Path(VECTORS) / "m3ua.json" if VECTORS else None
    return json.loads(path.read_text())["vectors"] if path else []


@pytest.mark.skipif(not VECTORS, reason="TSVC_VECTORS is not set")
@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: vector["id"])
def test_published_octets(vector):
    octets = bytes.fromhex(vector["hex"])
    expected = vector["expected"]
    decoded = decode(octets)
    assert decoded.id == (expected["class"], expected["type"])
    found = {}
    for parameter in decoded.parameters:
        if parameter.tag == params.PROTOCOL_DATA.tag:
            data = params.PROTOCOL_DATA.value_of(parameter)
            found["ProtocolData"] = {
                field: getattr(data, field) for field in ProtocolData.__slots__
            } | {"user_data": data.user_data.hex()}
        else:
            found[f"0x{parameter.tag:04x}"] = parameter.octets.hex()
    assert found == expected["parameters"]
    assert encode(decoded) == octets
