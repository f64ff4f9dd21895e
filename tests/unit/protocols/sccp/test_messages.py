"""Messages by hand-annotated octets and published octets, limits and garbage."""

import ast
import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sccp.messages import (
    MTP_MAX_OCTETS,
    RETURN_ON_ERROR,
    ExtendedUnitdata,
    ExtendedUnitdataService,
    MessageType,
    OptionalPart,
    ReturnCause,
    Segmentation,
    Unitdata,
    UnitdataService,
    decode,
    encode,
    encode_udt,
    type_of,
    udt_data_limit,
)

VECTORS = os.environ.get("TSVC_VECTORS")

CALLED = Address(1, 8)  # 42 08
CALLING = Address(1, 6, 1)  # 43 0100 06
OPTIONS = OptionalPart(Segmentation(True, True, 1, 5), 3)  # 10 04 c1 050000 12 01 03 00

# Every message: type, fixed octets, pointers, parts.
CASES = {
    "UDT": (
        Unitdata(CALLED, CALLING, b"abc", 1, RETURN_ON_ERROR),
        "09 81 03 05 09  02 4208  04 43010006  03 616263",
    ),
    "UDTS": (
        UnitdataService(CALLED, CALLING, b"abc", ReturnCause.UNEQUIPPED_USER),
        "0a 04 03 05 09  02 4208  04 43010006  03 616263",
    ),
    "XUDT": (
        ExtendedUnitdata(CALLED, CALLING, b"abc", 0, 0, 15),
        "11 00 0f 04 06 0a 00  02 4208  04 43010006  03 616263",
    ),
    "XUDT with options": (
        ExtendedUnitdata(CALLED, CALLING, b"abc", 1, RETURN_ON_ERROR, 3, OPTIONS),
        "11 81 03 04 06 0a 0d  02 4208  04 43010006  03 616263  10 04 c1050000 12 01 03 00",
    ),
    "XUDTS": (
        ExtendedUnitdataService(CALLED, CALLING, b"abc", 12, 0),
        "12 0c 00 04 06 0a 00  02 4208  04 43010006  03 616263",
    ),
    # Two octets for a pointer and for the length of the data, low octet first.
    "LUDT": (
        ExtendedUnitdata(CALLED, CALLING, b"abc", 1, 0, 10, is_long=True),
        "13 01 0a 0700 0800 0b00 0000  02 4208  04 43010006  0300 616263",
    ),
    "LUDT with options": (
        ExtendedUnitdata(CALLED, CALLING, b"abc", 1, 0, 10, OPTIONS, is_long=True),
        "13 01 0a 0700 0800 0b00 0e00  02 4208  04 43010006  0300 616263"
        " 10 04 c1050000 12 01 03 00",
    ),
    "LUDTS": (
        ExtendedUnitdataService(CALLED, CALLING, b"", 5, 10, is_long=True),
        "14 05 0a 0700 0800 0b00 0000  02 4208  04 43010006  0000",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_both_directions(name):
    message, octets_hex = CASES[name]
    octets = bytes.fromhex(octets_hex)
    assert type_of(message) == MessageType[name.split()[0]]
    assert encode(message) == octets
    assert decode(octets) == message


@pytest.mark.parametrize("name", CASES)
def test_every_cut_is_reported(name):
    octets = bytes.fromhex(CASES[name][1])
    for cut in range(len(octets)):
        with pytest.raises(RemoteProtocolError):
            decode(octets[:cut])


def test_udt_by_the_short_way_is_the_same():
    gt = GlobalTitle(4, "31641600986", 0, 1, 4)
    called, calling = Address(0, 146, gt=gt), Address(1, 146, 77)
    message = Unitdata(called, calling, b"x" * 99, 1, RETURN_ON_ERROR)
    assert encode_udt(called, calling, b"x" * 99, 1, return_on_error=True) == encode(message)


def test_ansi():
    message = Unitdata(Address(1, 8, 0x010203), Address(1, 6), b"abc")
    octets = bytes.fromhex("09 00 03 08 0a  05 c308030201  02 c106  03 616263")
    assert encode(message, Network.ANSI) == octets
    called, calling = message.called_party_address, message.calling_party_address
    assert encode_udt(called, calling, b"abc", network=Network.ANSI) == octets
    assert decode(octets, Network.ANSI) == message


@pytest.mark.parametrize(("max_octets", "limit"), [(MTP_MAX_OCTETS, 254), (1000, 255)])
def test_udt_limit(max_octets, limit):
    assert udt_data_limit(2, 4, max_octets) == limit
    for write in (
        lambda data: encode_udt(CALLED, CALLING, data, max_octets=max_octets),
        lambda data: encode(Unitdata(CALLED, CALLING, data), max_octets=max_octets),
    ):
        assert decode(write(bytes(limit))).data == bytes(limit)
        assert len(write(bytes(limit))) <= max_octets
        with pytest.raises(LocalProtocolError, match=f"{limit + 1}"):
            write(bytes(limit + 1))


@pytest.mark.parametrize(
    "message",
    [
        Unitdata(CALLED, CALLING, b"", 16),
        Unitdata(CALLED, CALLING, b"", 0, -1),
        UnitdataService(CALLED, CALLING, b"", 256),
        ExtendedUnitdata(CALLED, CALLING, b"", hop_counter=256),
        ExtendedUnitdata(CALLED, CALLING, bytes(250), options=OPTIONS),
        ExtendedUnitdata(CALLED, CALLING, bytes(3953), is_long=True),
        Unitdata(Address(1, 256), CALLING, b""),
    ],
)
def test_what_can_not_be_sent(message):
    with pytest.raises(LocalProtocolError):
        encode(message)


def test_the_longest_ludt():
    message = ExtendedUnitdata(CALLED, CALLING, bytes(3952), options=OPTIONS, is_long=True)
    assert decode(encode(message)) == message


def test_protocol_class_that_does_not_fit():
    with pytest.raises(LocalProtocolError):
        encode_udt(CALLED, CALLING, b"", 16)


@pytest.mark.parametrize(
    ("octets_hex", "offset", "path"),
    [
        ("", 0, "SCCP"),
        ("01 00", 0, "SCCP"),
        ("09 00 00 05 09  02 4208  04 43010006  00", 2, "UDT"),
        ("09 00 03 05 09  01 42 00 04 43010006  00", 7, "UDT.calledPartyAddress"),
        ("09 00 03 05 06  02 4208  00 00 00", 9, "UDT.callingPartyAddress"),
        ("13 01 0a 0000 0800 0b00 0000  02 4208  04 43010006  0000", 3, "LUDT"),
    ],
)
def test_where_it_is_wrong(octets_hex, offset, path):
    with pytest.raises(RemoteProtocolError) as caught:
        decode(bytes.fromhex(octets_hex))
    assert (caught.value.offset, caught.value.path) == (offset, path)


def changed(octets, at, value):
    at %= len(octets)
    return octets[:at] + bytes((value,)) + octets[at + 1 :]


CHANGED = st.builds(
    changed,
    st.sampled_from([bytes.fromhex(octets_hex) for _, octets_hex in CASES.values()]),
    st.integers(0, 40),
    st.integers(0, 255),
)
RANDOM = st.builds(
    lambda message_type, rest: bytes((message_type,)) + rest,
    st.sampled_from(MessageType),
    st.binary(max_size=60),
)


@example(octets=b"\x11\x00\x0f\xff")
@given(octets=st.one_of(CHANGED, RANDOM))
def test_no_octets_crash_it_and_values_survive(octets):
    for network in Network:
        try:
            message = decode(octets, network)
        except RemoteProtocolError:
            continue
        assert decode(encode(message, network, max_octets=0xFFFF), network) == message


def _vectors():
    path = Path(VECTORS) / "sccp.json" if VECTORS else None
    return json.loads(path.read_text())["vectors"] if path else []


def address_of(expected):
    """Return the Address of a vector; its GT is the text of [tt, np, es, spare, noa, octets]."""
    value = expected["Value"]
    indicator = value["AddrInd"]
    gt = None
    if indicator["GTInd"]:
        assert indicator["GTInd"] == 4
        tt, np, es, _, noa, octets = ast.literal_eval(value["GT"])
        digits = "".join(f"{octet & 15:x}{octet >> 4:x}" for octet in octets)
        filler = int(digits[-1], 16) if es == 1 else 0
        gt = GlobalTitle(4, digits[: len(digits) - (es == 1)], tt, np, noa, None, filler)
    national = True if indicator["res"] else None
    return Address(indicator["RoutingInd"], value.get("SSN"), value.get("PC"), gt, national)


def data_of(expected):
    part = expected.get("Data") or expected["LongData"]
    if "Value" in part:
        return bytes.fromhex(part["Value"])
    # SCCP management, whose data the source shows as fields
    (fields,) = (value for name, value in part.items() if name != "Len")
    affected = fields["AffectedPC"].to_bytes(2, "little")
    multiplicity = fields["SubsysMultInd"]["Value"]
    return bytes((fields["Type"], fields["AffectedSSN"], *affected, multiplicity))


def options_of(expected):
    part = expected.get("Opt", {})
    segmentation = importance = None
    if "Segmentation" in part:
        fields = part["Segmentation"]["Segmentation"]
        # The source reads the reference as a big-endian number; we read the low octet first.
        reference = int.from_bytes(fields["SegmentLocalRef"].to_bytes(3, "big"), "little")
        segmentation = Segmentation(
            bool(fields["F"]), bool(fields["C"]), fields["RemainingSeg"], reference
        )
    if "Importance" in part:
        importance = part["Importance"]["Importance"]["Value"]
    return OptionalPart(segmentation, importance)


@pytest.mark.skipif(not VECTORS, reason="TSVC_VECTORS is not set")
@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: vector["id"])
def test_published_octets(vector):
    octets = bytes.fromhex(vector["hex"])
    expected = vector["expected"]
    decoded = decode(octets)
    assert type_of(decoded) == expected["Type"]
    assert decoded.called_party_address == address_of(expected["CalledPartyAddr"])
    assert decoded.calling_party_address == address_of(expected["CallingPartyAddr"])
    assert decoded.data == data_of(expected)
    if "ProtocolClass" in expected:
        protocol_class = expected["ProtocolClass"]
        assert decoded.protocol_class == protocol_class["Class"]
        assert decoded.handling == protocol_class["Handling"]
    else:
        assert decoded.return_cause == expected["RetCause"]
    if "HopCounter" in expected:
        assert decoded.hop_counter == expected["HopCounter"]
        assert decoded.options == options_of(expected)
    if vector["reencode_identical"]:
        assert encode(decoded) == octets
    else:  # its parts are in another order
        assert decode(encode(decoded)) == decoded
