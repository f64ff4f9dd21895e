"""What an association refuses with ERR, and what it does after; some of it ends the stream."""

import pytest
from unit.protocols.m3ua.associations import active_sgp, names, sent

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import CloseInd, ErrorInd, ProtocolErrorInd
from tsvc.protocols.m3ua.messages import encode, message
from tsvc.protocols.m3ua.params import ErrorCode, TrafficMode


def error_of(association):
    (error,) = sent(association)
    assert error.id == messages.ERR
    return error.get(params.ERROR_CODE)


REFUSED = {
    "unknown class": ("01 00 05 01 00000008", ErrorCode.UNSUPPORTED_MESSAGE_CLASS),
    "unknown type": ("01 00 03 07 00000008", ErrorCode.UNSUPPORTED_MESSAGE_TYPE),
    "routing key": (
        "01 00 09 01 00000010 0207 0008 00000000",
        ErrorCode.UNSUPPORTED_MESSAGE_CLASS,
    ),
    "missing parameter": ("01 00 02 03 00000008", ErrorCode.MISSING_PARAMETER),
    "acknowledgement at an SGP": ("01 00 03 04 00000008", ErrorCode.UNEXPECTED_MESSAGE),
    "NTFY at an SGP": (
        "01 00 00 01 00000010 000d 0008 00010003",
        ErrorCode.UNEXPECTED_MESSAGE,
    ),
    "DUNA at an SGP": (
        "01 00 02 01 00000010 0012 0008 00000001",
        ErrorCode.UNEXPECTED_MESSAGE,
    ),
    "parameter length": ("01 00 03 01 0000000c 0004 0044", ErrorCode.PARAMETER_FIELD_ERROR),
    "parameter value": (
        "01 00 04 01 0000000c 0006 0004",
        ErrorCode.PARAMETER_FIELD_ERROR,
    ),
    "routing context": (
        "01 00 04 01 00000010 0006 0008 00000008",
        ErrorCode.INVALID_ROUTING_CONTEXT,
    ),
    "traffic mode": (
        "01 00 04 01 00000010 000b 0008 00000009",
        ErrorCode.UNSUPPORTED_TRAFFIC_MODE_TYPE,
    ),
    "other traffic mode": (
        "01 00 04 01 00000010 000b 0008 00000003",
        ErrorCode.UNSUPPORTED_TRAFFIC_MODE_TYPE,
    ),
    "DATA without Protocol Data": (
        "01 00 01 01 00000010 0006 0008 00000007",
        ErrorCode.MISSING_PARAMETER,
    ),
    "DATA, other routing context": (
        encode_data(1, 2, 3, 2, 0, 5, b"", routing_context=8).hex(),
        ErrorCode.INVALID_ROUTING_CONTEXT,
    ),
    "DATA, other network appearance": (
        encode_data(1, 2, 3, 2, 0, 5, b"", network_appearance=8).hex(),
        ErrorCode.INVALID_NETWORK_APPEARANCE,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_answered_with_err(case):
    octets_hex, code = REFUSED[case]
    octets = bytes.fromhex(octets_hex)
    sgp = active_sgp(traffic_mode=TrafficMode.LOADSHARE, network_appearance=1)
    (indication,) = sgp.receive(octets, 1.0)
    assert isinstance(indication, ProtocolErrorInd)
    (error,) = sent(sgp)
    assert error.get(params.ERROR_CODE) == code
    assert error.get(params.DIAGNOSTIC_INFORMATION) == octets[:40]
    assert sgp.is_active  # and it goes on
    assert len(sgp.receive(encode_data(1, 2, 3, 2, 0, 5, b"", routing_context=7), 1.0)) == 1


@pytest.mark.parametrize("request_id", [messages.ASPAC, messages.ASPIA])
def test_traffic_maintenance_needs_aspup(request_id):
    sgp = Association(Role.SGP)
    sgp.receive(encode(message(request_id)), 0.0)
    assert error_of(sgp) == ErrorCode.UNEXPECTED_MESSAGE
    assert sgp.state is AspState.DOWN


def test_aspup_while_active_is_answered_refused_and_costs_the_traffic():
    sgp = active_sgp()
    sgp.receive(encode(message(messages.ASPUP)), 0.0)
    assert names(sgp) == ["ASPUP_ACK", "ERR", "NTFY"]
    assert sgp.state is AspState.INACTIVE


def test_data_before_active_is_refused():
    sgp = Association(Role.SGP)
    sgp.receive(encode_data(1, 2, 3, 2, 0, 5, b""), 0.0)
    assert error_of(sgp) == ErrorCode.UNEXPECTED_MESSAGE


def test_err_is_never_answered():
    sgp = Association(Role.SGP)
    for octets_hex in ("01 00 00 00 00000008", "01 00 00 00 0000000c 000c 0044"):
        (indication,) = sgp.receive(bytes.fromhex(octets_hex), 0.0)
        assert isinstance(indication, ProtocolErrorInd)
    err = message(messages.ERR, params.ERROR_CODE.of(0x63))
    assert sgp.receive(encode(err), 0.0) == [ErrorInd(0x63, "code 99", (), b"")]
    assert sgp.data_to_send() == []


def test_another_version_on_a_stream_ends_it():
    sgp = Association(Role.SGP)
    indications = sgp.receive(bytes.fromhex("02000301 00000008"), 0.0)
    assert isinstance(indications[-1], CloseInd)
    assert error_of(sgp) == ErrorCode.INVALID_VERSION
    assert sgp.receive(encode(message(messages.ASPUP)), 0.0) == []


def test_another_version_in_a_whole_message_does_not():
    sgp = Association(Role.SGP)
    sgp.receive_message(bytes.fromhex("02000301 00000008"), 0.0)
    assert error_of(sgp) == ErrorCode.INVALID_VERSION
    sgp.receive_message(encode(message(messages.ASPUP)), 0.0)
    assert sgp.state is AspState.INACTIVE
