"""Parameters: each declared type by hand-annotated octets, and refused octets."""

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.m3ua import params
from tsvc.protocols.m3ua.params import (
    PARAMETER_TYPES,
    Parameter,
    PointCode,
    ProtocolData,
    Status,
    UserCause,
    decode_parameters,
    encode_parameters,
)

# name -> (tag, value, its octets), from the figures of RFC 4666 chapter 3
CASES = {
    "info_string": (0x0004, "ab", "6162"),
    "routing_context": (0x0006, (1, 258), "00000001 00000102"),
    "diagnostic_information": (0x0007, b"\x01\x02\x03", "010203"),
    "heartbeat_data": (0x0009, b"\xff", "ff"),
    "traffic_mode_type": (0x000B, 2, "00000002"),
    "error_code": (0x000C, 0x19, "00000019"),
    "status": (0x000D, Status(1, 3), "0001 0003"),
    "asp_identifier": (0x0011, 3, "00000003"),
    "affected_point_code": (
        0x0012,
        (PointCode(0x1234), PointCode(0x5600, 8)),
        "00 001234 08 005600",
    ),
    "correlation_id": (0x0013, 9, "00000009"),
    "network_appearance": (0x0200, 7, "00000007"),
    "user_cause": (0x0204, UserCause(1, 3), "0001 0003"),
    "congestion_indications": (0x0205, 2, "000000 02"),
    "concerned_destination": (0x0206, PointCode(5), "00 000005"),
    "routing_key": (
        0x0207,
        (Parameter(0x020A, b"\0\0\0\x01"), Parameter(0x020B, b"\0\0\0\x02")),
        "020a 0008 00000001  020b 0008 00000002",
    ),
    "registration_result": (0x0208, (Parameter(0x0212, bytes(4)),), "0212 0008 00000000"),
    "deregistration_result": (0x0209, (Parameter(0x0213, bytes(4)),), "0213 0008 00000000"),
    "local_routing_key_identifier": (0x020A, 4, "00000004"),
    "destination_point_code": (0x020B, PointCode(6045), "00 00179d"),
    "service_indicators": (0x020C, (3, 5), "03 05"),
    "originating_point_code_list": (0x020E, (PointCode(1), PointCode(2)), "00000001 00000002"),
    "protocol_data": (
        0x0210,
        ProtocolData(opc=1, dpc=2, si=3, ni=2, mp=0, sls=5, user_data=b"\x09"),
        "00000001 00000002 03 02 00 05 09",
    ),
    "registration_status": (0x0212, 0, "00000000"),
    "deregistration_status": (0x0213, 1, "00000001"),
}


def test_every_declared_parameter_has_a_case():
    assert {declared.name for declared in PARAMETER_TYPES.values()} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_value_and_octets(name):
    tag, value, octets_hex = CASES[name]
    declared = PARAMETER_TYPES[tag]
    assert declared.name == name
    assert declared.of(value) == Parameter(tag, bytes.fromhex(octets_hex))
    assert declared.value_of(Parameter(tag, bytes.fromhex(octets_hex))) == value


def test_text_that_is_no_utf8_is_not_lost():
    text = params.INFO_STRING.value_of(Parameter(4, b"\xff\xfe"))
    assert params.INFO_STRING.of(text).octets == b"\xff\xfe"


@pytest.mark.parametrize(
    ("declared", "octets_hex"),
    [
        (params.ROUTING_CONTEXT, ""),
        (params.ROUTING_CONTEXT, "0000000100"),
        (params.STATUS, "000100"),
        (params.ERROR_CODE, "0000000000"),
        (params.PROTOCOL_DATA, "00" * 11),
        (params.ROUTING_KEY, "020a00"),
        (params.CONGESTION_INDICATIONS, "01"),
    ],
)
def test_octets_that_make_no_value(declared, octets_hex):
    with pytest.raises(RemoteProtocolError, match=declared.name):
        declared.value_of(Parameter(declared.tag, bytes.fromhex(octets_hex)))


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        (params.ROUTING_CONTEXT, ()),
        (params.ROUTING_CONTEXT, (1 << 32,)),
        (params.ASP_IDENTIFIER, -1),
        (params.CONCERNED_DESTINATION, PointCode(1 << 24)),
        (params.CONGESTION_INDICATIONS, 256),
        (params.DIAGNOSTIC_INFORMATION, bytes(0x10000)),
    ],
)
def test_values_that_have_no_octets(declared, value):
    with pytest.raises(LocalProtocolError, match=declared.name):
        declared.of(value)


@pytest.mark.parametrize("size", range(5))
def test_padding(size):
    parameters = (Parameter(0x9999, b"x" * size), Parameter(0x0011, bytes(4)))
    octets = encode_parameters(parameters)
    assert len(octets) % 4 == 0
    assert octets[2:4] == (4 + size).to_bytes(2)  # the length does not count the padding
    assert decode_parameters(octets) == parameters


def test_padding_of_the_last_parameter_may_be_absent():
    assert decode_parameters(bytes.fromhex("0004 0005 61")) == (Parameter(4, b"a"),)


@pytest.mark.parametrize(
    ("octets_hex", "offset"),
    [
        ("0004 0003", 0),
        ("0004 0009 61", 0),
        ("0011 0008 00000001 0004", 8),
        ("0011 0008 00000001 0004 0000", 8),
    ],
)
def test_impossible_lengths(octets_hex, offset):
    with pytest.raises(RemoteProtocolError) as caught:
        decode_parameters(bytes.fromhex(octets_hex))
    assert caught.value.offset == offset
