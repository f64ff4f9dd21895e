"""AVPs and messages: octets by hand, any tree encoded and decoded, hostile octets."""

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.diameter.dictionary import avp_definition, standard
from tsvc.protocols.diameter.message import (
    Header,
    MessageStream,
    decode_header,
    encode_message,
    read_avps,
    whole_header,
)
from tsvc.protocols.diameter.tree import (
    MAX_NESTING,
    by_name,
    decode_avps,
    encode_avp,
    encode_avps,
    message_tree,
)
from tsvc.protocols.diameter.types import TYPES, iso_time

DICTIONARY = standard()


def encode(*avps):
    return encode_avps(list(avps), DICTIONARY, "avps")


def decode(octets):
    return decode_avps(octets, 0, len(octets), DICTIONARY)


def avp(name, value, **more):
    return {"name": name, "value": value, **more}


# -- octets by hand ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "octets"),
    [
        (avp("Origin-Host", "ocs"), "00000108 4000000b 6f637300"),
        (avp("Result-Code", 2001), "0000010c 4000000c 000007d1"),
        (avp("Result-Code", "DIAMETER_SUCCESS"), "0000010c 4000000c 000007d1"),
        (avp("CC-Request-Type", "UPDATE_REQUEST"), "000001a0 4000000c 00000002"),
        (avp("CC-Request-Type", "3"), "000001a0 4000000c 00000003"),
        (avp("CC-Total-Octets", 2**40), "000001a5 40000010 0000010000000000"),
        (avp("Exponent", -2), "000001ad 4000000c fffffffe"),
        (avp("User-Name", 5.0), "00000001 40000009 35000000"),
        (avp("User-Name", 0.1 + 0.2), "00000001 4000000b 302e3300"),
        (avp("Value-Digits", -1), "000001bf 40000010 ffffffffffffffff"),
        (avp("Host-IP-Address", "10.0.0.1"), "00000101 4000000e 0001 0a000001 0000"),
        (
            avp("Host-IP-Address", "2001:db8::1"),
            "00000101 4000001a 0002 20010db8000000000000000000000001 0000",
        ),
        (avp("SMSC-Address", "6421"), "000007e1 c0000012 000028af 0008 36343231 0000"),
        (avp("Event-Timestamp", "1970-01-01T00:00:00Z"), "00000037 4000000c 83aa7e80"),
        (avp("Event-Timestamp", 0), "00000037 4000000c 83aa7e80"),
        # after the rollover of 2036-02-07 06:28:16
        (avp("Event-Timestamp", 2085978496), "00000037 4000000c 00000000"),
        (avp("User-Name", "é"), "00000001 4000000a c3a90000"),
        (avp("Class", "ab", mandatory=0), "00000019 0000000a 61620000"),
        (avp("Class", "ab", protected=True), "00000019 6000000a 61620000"),
        ({"name": "Class", "value_hex": "00 FF"}, "00000019 4000000a 00ff0000"),
        ({"code": 99999, "value_hex": "01"}, "0001869f 00000009 01000000"),
        ({"code": 1, "vendor_id": 10415, "value": "53"}, "00000001 c000000e 000028af 35330000"),
        (avp("3GPP-IMSI", "53", vendor_specific=0), "00000001 4000000a 35330000"),
        (
            avp("Subscription-Id", [avp("Subscription-Id-Type", 1)]),
            "000001bb 40000014 000001c2 4000000c 00000001",
        ),
        (avp("Requested-Service-Unit", []), "000001b5 40000008"),
        (avp("Class", None), ""),
    ],
)
def test_octets(given, octets):
    assert encode(given) == bytes.fromhex(octets)


def test_decoded_forms():
    octets = encode(
        avp("CC-Request-Type", 1),
        avp("Event-Timestamp", 1_700_000_000),
        avp("Class", "abc"),
        {"name": "Class", "value_hex": "00ff"},
        {"name": "User-Name", "value_hex": "ff"},
        {"code": 4711, "vendor_id": 9, "value_hex": "0102"},
        avp("Multiple-Services-Credit-Control", [avp("Rating-Group", 7)]),
    )
    assert decode(octets) == [
        {
            "name": "CC-Request-Type",
            "code": 416,
            "mandatory": True,
            "value": 1,
            "value_name": "INITIAL_REQUEST",
        },
        {
            "name": "Event-Timestamp",
            "code": 55,
            "mandatory": True,
            "value": 1_700_000_000,
            "value_time": "2023-11-14T22:13:20Z",
        },
        {"name": "Class", "code": 25, "mandatory": True, "value": "abc", "value_hex": "616263"},
        {"name": "Class", "code": 25, "mandatory": True, "value_hex": "00ff"},
        {"name": "User-Name", "code": 1, "mandatory": True, "value_hex": "ff"},
        {
            "name": "AVP 4711",
            "code": 4711,
            "mandatory": False,
            "vendor_id": 9,
            "value_hex": "0102",
        },
        {
            "name": "Multiple-Services-Credit-Control",
            "code": 456,
            "mandatory": True,
            "value": [{"name": "Rating-Group", "code": 432, "mandatory": True, "value": 7}],
        },
    ]


@pytest.mark.parametrize(
    ("type_name", "text", "is_one"),
    [
        ("DiameterIdentity", "ocs_1.example.net", True),
        ("DiameterIdentity", "", False),
        ("DiameterIdentity", "a\n", True),
        ("DiameterURI", "aaa://host.example.net:3868;transport=sctp", True),
        ("DiameterURI", "AAAS://h", True),
        ("DiameterURI", "", False),
        ("DiameterURI", "aaa://", False),
        ("DiameterURI", "http://h", False),
        ("IPFilterRule", "permit in ip from any to any", True),
    ],
)
def test_names_of_hosts_and_uris(type_name, text, is_one):
    assert TYPES[type_name].decode(text.encode("ascii")) == (text if is_one else None)


def test_values_by_name():
    inner = [avp("Rating-Group", 7), avp("Rating-Group", 8)]
    found = by_name(decode(encode(avp("Multiple-Services-Credit-Control", inner))))
    assert found == {"Multiple-Services-Credit-Control": {"Rating-Group": 7}}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (avp("Rating-Group", "x"), "avps[0]: Rating-Group: 'x' is no integer"),
        (avp("Rating-Group", -1), "avps[0]: Rating-Group: -1 is not in 0…4294967295"),
        (avp("Rating-Group", 2**32), "is not in 0…4294967295"),
        (avp("Exponent", 2**31), "is not in -2147483648…2147483647"),
        (avp("Rating-Group", True + 0.5), "is no integer"),
        (avp("CC-Request-Type", "NEXT"), "'NEXT' is none of INITIAL_REQUEST, UPDATE_REQUEST"),
        (avp("Host-IP-Address", "ten"), "'ten' is neither an IP address nor digits"),
        (avp("Event-Timestamp", "2200-01-01T00:00:00Z"), "is not between 1968 and 2104"),
        (avp("Event-Timestamp", "a-b"), "is no moment"),
        (avp("Origin-Host", "é"), "not ASCII"),
        (avp("Origin-Host", [1]), "[1] is no text"),
        (avp("Subscription-Id", 1), "Subscription-Id: its value is a list of AVPs"),
        (avp("Subscription-Id", [1]), "avps[0].value[0]: an AVP is an object"),
        (avp("Subscription-Id", [avp("Nobody", 1)]), "avps[0].value[0]: no AVP is named 'Nobody'"),
        ({"value": 1}, "an AVP needs a name or a code"),
        ({"code": "x", "value": 1}, "'x' is no integer"),
        ({"code": 2**32, "value": 1}, "over 32 bits"),
        ({"name": "Class", "value_hex": "0"}, "'0' is no hex"),
    ],
)
def test_what_can_not_be_sent(given, text):
    with pytest.raises(LocalProtocolError) as raised:
        encode(given)
    assert text in str(raised.value)


def test_a_single_avp_says_where_it_stands():
    with pytest.raises(LocalProtocolError, match=r"^arguments.avps\[3\]: no AVP is named"):
        encode_avp(avp("Nobody", 1), DICTIONARY, "arguments.avps[3]")


def nested(depth):
    found = avp("Rating-Group", 1)
    for _ in range(depth):
        found = avp("Failed-AVP", [found])
    return found


def test_nesting_is_bounded():
    octets = encode(nested(MAX_NESTING - 1))
    assert len(decode(octets)) == 1
    with pytest.raises(LocalProtocolError, match="more than 16"):
        encode(nested(MAX_NESTING))
    deeper = struct.pack(">II", 279, 0x40 << 24 | len(octets) + 8) + octets
    with pytest.raises(RemoteProtocolError, match="more than 16"):
        decode(deeper)


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        ("00000108 40", "at octet 0: 5 octets where an AVP begins"),
        ("00000108 40000007", "AVP 264 says 7 octets"),
        ("00000108 4000000c 6f6373", "AVP 264 says 12 octets, 11 are there"),
        # the padding is missing
        ("00000108 4000000b 6f6373", "AVP 264 says 11 octets, 11 are there"),
        ("00000108 c000000b 6f637300", "AVP 264 says 11 octets"),
        ("0000010c 4000000a 07d10000", "Result-Code at octet 8: 2 octets, where Unsigned32"),
        ("00000101 4000000c 00010a00", "where this Address has 6"),
        ("000001bb 40000010 000001c2 4000000c", "AVP 450 says 12 octets"),
    ],
)
def test_malformed_avps(octets, text):
    with pytest.raises(RemoteProtocolError) as raised:
        decode(bytes.fromhex(octets))
    assert text in str(raised.value)


def test_header_and_message():
    octets = encode_message(Header(272, 0xC0, 4, 0x11223344, 0x55667788), b"\0" * 8)
    assert octets.hex(" ", 4) == "0100001c c0000110 00000004 11223344 55667788 00000000 00000000"
    header = decode_header(octets)
    assert header == Header(272, 0xC0, 4, 0x11223344, 0x55667788, 28)
    assert header.is_request
    assert not header.is_error
    with pytest.raises(RemoteProtocolError):
        whole_header(octets + b"\0" * 4)
    with pytest.raises(RemoteProtocolError, match="version 2"):
        decode_header(b"\2" + octets[1:])
    with pytest.raises(LocalProtocolError):
        encode_message(header, bytes(1 << 24))


def test_message_tree():
    octets = encode_message(Header(272, 0x40, 4, 1, 2), encode(avp("Result-Code", 2001)))
    tree = message_tree(octets, DICTIONARY)
    assert tree["name"] == "Credit-Control-Answer"
    assert (tree["code"], tree["application_id"], tree["is_request"]) == (272, 4, False)
    assert tree["avp"] == {"Result-Code": 2001}


# -- encoded and decoded -----------------------------------------------------------------------

VALUES = {
    "Integer32": st.integers(-(2**31), 2**31 - 1),
    "Integer64": st.integers(-(2**63), 2**63 - 1),
    "Unsigned32": st.integers(0, 2**32 - 1),
    "Unsigned64": st.integers(0, 2**64 - 1),
    "Float32": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "Float64": st.floats(allow_nan=False, allow_infinity=False),
    "Address": st.ip_addresses().map(str) | st.from_regex(r"\A[0-9]{1,15}\Z"),
    "Time": st.integers(-61_505_152, 4_233_462_143),
    "UTF8String": st.text(st.characters(exclude_categories=["Cs"])),
    "OctetString": st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1),
    "Enumerated": st.integers(-(2**31), 2**31 - 1),
    "DiameterIdentity": st.from_regex(r"\A[!-~]{1,40}\Z"),
    "DiameterURI": st.from_regex(r"\Aaaas?://[!-~]{1,40}\Z"),
}
TEXT = st.text(st.characters(max_codepoint=127))
BY_TYPE = {}
for _definition in DICTIONARY.avps.values():
    BY_TYPE.setdefault(_definition.type.name, []).append(_definition.name)


@pytest.mark.parametrize("type_name", sorted(TYPES))
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_a_value_there_and_back(type_name, data):
    if type_name == "Grouped":
        return
    value = data.draw(VALUES.get(type_name, TEXT))
    definition = avp_definition("X", 1, type_name)
    octets = definition.type.encode(value)
    assert definition.type.decode(octets) == value
    if type_name == "Time":
        iso = definition.type.encode(iso_time(value))
        assert iso == octets


def raw_avps(depth=3):
    """Return the octets of any AVP, known or unknown, whose data fit its type."""

    def made(code, vendor, flags, data):
        has_vendor = vendor is not None
        flags = (flags & 0x7F) | (0x80 if has_vendor else 0)
        length = 8 + 4 * has_vendor + len(data)
        head = struct.pack(">II", code, flags << 24 | length)
        if has_vendor:
            head += struct.pack(">I", vendor)
        return head + data + bytes(-len(data) % 4)

    sizes = {
        "Integer32": 4,
        "Unsigned32": 4,
        "Enumerated": 4,
        "Time": 4,
        "Integer64": 8,
        "Unsigned64": 8,
        "Float32": 4,
        "Float64": 8,
    }

    def contents(definition):
        type_name = definition.type.name
        if type_name == "Grouped":
            return (
                st.lists(raw_avps(depth - 1), max_size=3).map(b"".join) if depth else st.just(b"")
            )
        if type_name == "Address":
            v4 = st.binary(min_size=4, max_size=4).map(lambda octets: b"\0\1" + octets)
            v6 = st.binary(min_size=16, max_size=16).map(lambda octets: b"\0\2" + octets)
            other = st.binary(max_size=20).map(lambda octets: b"\0\x08" + octets)
            return v4 | v6 | other
        size = sizes.get(type_name)
        return st.binary(max_size=30) if size is None else st.binary(min_size=size, max_size=size)

    def of(definition):
        vendor = st.just(definition.vendor_id or None)
        return st.builds(
            made, st.just(definition.code), vendor, st.integers(0, 255), contents(definition)
        )

    known = st.sampled_from(list(DICTIONARY.avps.values())).flatmap(of)
    unknown = st.builds(
        made,
        st.integers(1_000_000, 2**32 - 1),
        st.none() | st.integers(0, 2**32 - 1),
        st.integers(0, 255),
        st.binary(max_size=30),
    )
    return known | unknown


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(raw_avps(), max_size=6).map(b"".join))
def test_any_octets_of_a_right_shape_come_back_the_same(octets):
    trees = decode(octets)
    assert encode(*trees) == octets


@settings(max_examples=examples(500), deadline=None)
@given(st.binary(max_size=200))
def test_garbage_is_refused_in_one_way(octets):
    try:
        decode(octets)
    except RemoteProtocolError:
        return
    assert len(octets) % 4 == 0


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(raw_avps(), min_size=1, max_size=4).map(b"".join), st.data())
def test_a_changed_octet_is_refused_in_one_way(octets, data):
    position = data.draw(st.integers(0, len(octets) - 1))
    value = data.draw(st.integers(0, 255))
    changed = octets[:position] + bytes([value]) + octets[position + 1 :]
    try:
        trees = decode(changed)
    except RemoteProtocolError:
        return
    assert len(encode(*trees)) == len(changed)


# -- the stream --------------------------------------------------------------------------------


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=5), st.integers(1, 30))
def test_a_stream_is_cut_into_its_messages(bodies, piece):
    bodies = [body + bytes(-len(body) % 4) for body in bodies]
    messages = [encode_message(Header(272, 0, 4, n, n), body) for n, body in enumerate(bodies)]
    whole = b"".join(messages)
    stream, found = MessageStream(), []
    for at in range(0, len(whole), piece):
        stream.feed(whole[at : at + piece])
        found += iter(stream.next_message, None)
    assert found == messages


@pytest.mark.parametrize(
    "octets",
    [b"GET / HTTP/1.1\r\n", bytes.fromhex("01000010"), bytes.fromhex("01000015"), b"\1\1\0\4"],
)
def test_a_stream_that_is_not_diameter(octets):
    stream = MessageStream()
    stream.feed(octets)
    with pytest.raises(RemoteProtocolError):
        stream.next_message()


def test_read_avps_keeps_offsets():
    octets = bytes(20) + encode(avp("Origin-Host", "ocs"), avp("3GPP-IMSI", "53"))
    assert read_avps(octets, 20, len(octets)) == [
        (264, None, 0x40, 28, 31),
        (1, 10415, 0xC0, 44, 46),
    ]
