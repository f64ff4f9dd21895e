"""CLDT and CLDR, compared with octets written by hand; errors are reported with their offset."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.m3ua import messages
from tsvc.protocols.m3ua.params import Parameter
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua.connectionless import (
    DataResponse,
    DataTransfer,
    MissingParameter,
    completed,
    decode,
    encode,
    returned,
    sequence_control_of,
)
from tsvc.protocols.sua.params import ProtocolClass, SccpCause, Segmentation

VECTORS = os.environ.get("TSVC_VECTORS")
A, B = Address(1, 146, 1), Address(1, 6, 2)
CONTEXT = "0006 0008 00000007"
SOURCE = "0102 0018 0002 0003 8002 0008 00000001 8003 0008 00000092"
DESTINATION = "0103 0018 0002 0003 8002 0008 00000002 8003 0008 00000006"
BARE = f"{CONTEXT} 0115 0008 00000000 {SOURCE} {DESTINATION} 0116 0008 00000009"
OPTIONS = (
    "0101 0008 0000000f 0113 0008 00000004 0114 0008 00000001 0013 0008 0000abcd "
    "0117 0008 82123456"
)
DATA = "010b 0007 616263 00"


def cl(message_type, *parts):
    body = bytes.fromhex("".join(parts))
    return bytes((1, 0, 7, message_type)) + (8 + len(body)).to_bytes(4) + body


SHORT = DataTransfer(A, B, b"abc", sequence_control=9, routing_context=7)
FULL = DataTransfer(
    A,
    B,
    b"abc",
    ProtocolClass(1, return_on_error=True),
    9,
    7,
    15,
    4,
    1,
    0xABCD,
    Segmentation(is_first=True, remaining=2, reference=0x123456),
    (Parameter(0x7777, b"xy"),),
)
BACK = DataResponse(B, A, SccpCause(1, 3), b"abc", 7)
KNOWN = [
    (cl(1, BARE, DATA), SHORT),
    (
        cl(1, BARE.replace("0115 0008 00000000", "0115 0008 00000081"), OPTIONS, DATA)
        + bytes.fromhex("7777 0006 7879 0000"),
        FULL,
    ),
    (
        cl(
            2,
            f"{CONTEXT} 0106 0008 00000103",
            DESTINATION.replace("0103", "0102", 1),
            SOURCE.replace("0102", "0103", 1),
            DATA,
        ),
        BACK,
    ),
]
KNOWN[1] = (KNOWN[1][0][:4] + len(KNOWN[1][0]).to_bytes(4) + KNOWN[1][0][8:], FULL)


@pytest.mark.parametrize(("octets", "message"), KNOWN, ids=["short", "full", "returned"])
def test_known_octets_both_ways(octets, message):
    assert decode(octets) == message
    assert encode(message) == octets


def test_a_returned_message_changes_the_places_of_its_addresses():
    assert returned(SHORT, 3) == BACK


def test_the_order_of_parameters_does_not_matter():
    mixed = cl(1, DATA, DESTINATION, SOURCE, "0116 0008 00000009 0115 0008 00000000", CONTEXT)
    assert decode(mixed) == SHORT


def test_a_parameter_that_comes_twice_counts_once_and_is_kept():
    message = decode(cl(1, BARE, DATA, "010b 0005 7a 000000"))
    assert message.data == b"abc"
    assert message.others == (Parameter(0x010B, b"z"),)


def test_routing_context_and_correlation_id_when_it_is_sent():
    nameless = encode(DataTransfer(A, B, b"abc", sequence_control=9))
    assert nameless == cl(1, BARE.replace("00000007", "00000000", 1), DATA), "it is mandatory"
    assert completed(nameless, None, None) == nameless
    assert completed(nameless, 7, None) == cl(1, BARE, DATA)
    assert completed(nameless, 7, 0xABCD) == cl(1, BARE, DATA, "0013 0008 0000abcd")
    with pytest.raises(LocalProtocolError):
        completed(nameless, 1 << 32, None)


def test_a_message_without_routing_context_is_read():
    assert decode(cl(1, BARE.replace(CONTEXT, ""), DATA)).routing_context is None


@pytest.mark.parametrize("part", ["0115 0008 00000000", SOURCE, DESTINATION, "0116 0008 00000009"])
def test_a_mandatory_parameter_that_is_missing(part):
    with pytest.raises(MissingParameter, match="is missing"):
        decode(cl(1, BARE.replace(part, ""), DATA))


def test_data_are_missing_in_a_cldt_only():
    with pytest.raises(MissingParameter, match=r"CLDT\.data"):
        decode(cl(1, BARE))
    without = cl(2, f"{CONTEXT} 0106 0008 00000103", SOURCE, DESTINATION)
    assert decode(without).data is None


@pytest.mark.parametrize(
    ("octets", "path", "offset"),
    [
        (cl(1, CONTEXT, "0115 0006 0000 0000", SOURCE), "CLDT.protocol_class", 16),
        (cl(1, "0006 000c 00000007 00000008", DATA), "CLDT.routing_context", 8),
        # The address's routing indicator is wrong: 16 is its parameter, 20 its value.
        (cl(1, CONTEXT, SOURCE.replace("0002", "0009", 1)), "CLDT.source", 20),
        (cl(2, CONTEXT, "0106 0005 01 000000"), "CLDR.cause", 16),
        (cl(3, CONTEXT), "", 2),
        (cl(1, CONTEXT, "0115 0003"), "", 16),
    ],
)
def test_malformed_messages_say_where(octets, path, offset):
    with pytest.raises(RemoteProtocolError) as caught:
        decode(octets)
    assert (caught.value.path, caught.value.offset) == (path, offset)


@pytest.mark.parametrize(
    "message",
    [
        DataTransfer(A, B, b"a", hop_count=256),
        DataTransfer(A, B, b"a", ProtocolClass(128)),
        DataTransfer(A, B, b"a", sequence_control=1 << 32),
        DataTransfer(A, B, b"a", segmentation=Segmentation(True, 128, 0)),
        DataTransfer(A, B, bytes(65532)),
        DataResponse(A, B, SccpCause(1, 256)),
    ],
)
def test_what_does_not_fit_is_refused(message):
    with pytest.raises(LocalProtocolError):
        encode(message)


def test_the_sequence_control_is_found_where_it_stands():
    assert sequence_control_of(KNOWN[0][0]) == 9
    assert sequence_control_of(KNOWN[2][0]) == 0, "a CLDR has none"
    assert sequence_control_of(bytes.fromhex("0100 0301 00000008")) is None
    assert sequence_control_of(cl(1, "0006 0000")) == 0, "no endless loop on a wrong length"


@given(st.binary(max_size=120), st.sampled_from([1, 2]))
def test_any_body_is_a_message_or_an_error(body, message_type):
    octets = cl(message_type, body.hex())
    try:
        message = decode(octets)
    except RemoteProtocolError:
        return
    assert decode(encode(message)) == message


@given(st.data())
def test_bits_turned_over_are_a_message_or_an_error(data):
    octets = bytearray(data.draw(st.sampled_from([octets for octets, _ in KNOWN])))
    for at in data.draw(st.lists(st.integers(0, len(octets) * 8 - 1), min_size=1, max_size=8)):
        octets[at // 8] ^= 1 << at % 8
    try:
        connectionless.decode(bytes(octets))
    except RemoteProtocolError:
        return


def _vectors():
    path = Path(VECTORS) / "sua.json" if VECTORS else None
    return json.loads(path.read_text())["vectors"] if path else []


@pytest.mark.skipif(not VECTORS, reason="TSVC_VECTORS is not set")
@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: vector["id"])
def test_published_octets(vector):
    octets, expected = bytes.fromhex(vector["hex"]), vector["expected"]
    whole = messages.decode(octets)
    assert whole.id == (expected["class"], expected["type"])
    assert messages.encode(whole) == octets
    if "destination" not in expected:
        # The vector lacks two mandatory parameters; tshark does not check them.
        with pytest.raises(MissingParameter):
            decode(octets)
        return
    message = decode(octets)
    assert encode(message) == octets
    source, destination = message.source, message.destination
    assert {
        "class": 7,
        "type": 1,
        "routingContext": message.routing_context,
        "protocolClass": message.protocol_class.number,
        "source": {
            "gti": source.gt.indicator,
            "digits": source.gt.digits,
            "nai": source.gt.noa,
            "np": source.gt.np,
            "ssn": source.ssn,
        },
        "destination": {"digits": destination.gt.digits, "ssn": destination.ssn},
        "sequenceControl": message.sequence_control,
        "ss7HopCount": message.hop_count,
        "data": message.data.hex(),
    } == expected
