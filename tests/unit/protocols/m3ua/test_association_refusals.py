"""Messages that an association refuses with ERR, and what follows; some end the stream."""

import pytest
from support.playbook import asked, indicated, playbook, received, sent
from unit.protocols.m3ua.associations import M3UA, active_sgp, err

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    CloseInd,
    DataInd,
    ErrorInd,
    InactiveInd,
    ProtocolErrorInd,
)
from tsvc.protocols.m3ua.messages import message
from tsvc.protocols.m3ua.params import ErrorCode, TrafficMode

VERSION_2 = bytes.fromhex("02000301 00000008")
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
    assert (
        playbook(sgp, M3UA, now=1.0)
        >> received(octets)
        << sent(err(code, octets))
        << indicated(ProtocolErrorInd)
        >> received(encode_data(1, 2, 3, 2, 0, 5, b"", routing_context=7))
        << indicated(DataInd(1, 2, 3, 2, 0, 5, b"", 7))
    )
    assert sgp.is_active


@pytest.mark.parametrize("request_id", [messages.ASPAC, messages.ASPIA])
def test_traffic_maintenance_needs_aspup(request_id):
    sgp = Association(Role.SGP)
    assert (
        playbook(sgp, M3UA)
        >> received(message(request_id))
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE))
        << indicated(ProtocolErrorInd)
    )
    assert sgp.state is AspState.DOWN


def test_aspup_while_active_is_answered_refused_and_costs_the_traffic():
    sgp = active_sgp()
    assert (
        playbook(sgp, M3UA)
        >> received(message(messages.ASPUP))
        << sent("ASPUP_ACK")
        << sent("ERR")
        << sent("NTFY")
        << indicated(ProtocolErrorInd)
        << indicated(InactiveInd((7,), "ASPUP"))
    )
    assert sgp.state is AspState.INACTIVE


def test_data_before_active_is_refused():
    assert (
        playbook(Association(Role.SGP), M3UA)
        >> received(encode_data(1, 2, 3, 2, 0, 5, b""))
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE))
        << indicated(ProtocolErrorInd)
    )


def test_err_is_never_answered():
    assert (
        playbook(Association(Role.SGP), M3UA)
        >> received(bytes.fromhex("01 00 00 00 00000008"))
        << indicated(ProtocolErrorInd)
        >> received(bytes.fromhex("01 00 00 00 0000000c 000c 0044"))
        << indicated(ProtocolErrorInd)
        >> received(message(messages.ERR, params.ERROR_CODE.of(0x63)))
        << indicated(ErrorInd(0x63, "code 99", (), b""))
    )


def test_another_version_on_a_stream_ends_it():
    assert (
        playbook(Association(Role.SGP), M3UA)
        >> received(VERSION_2)
        << sent(err(ErrorCode.INVALID_VERSION))
        << indicated(ProtocolErrorInd)
        << indicated(CloseInd)
        >> received(message(messages.ASPUP))
    )


def test_another_version_in_a_whole_message_does_not():
    assert (
        playbook(Association(Role.SGP), M3UA)
        >> asked("a message of its own", lambda sgp, now: sgp.receive_message(VERSION_2, now))
        << sent(err(ErrorCode.INVALID_VERSION))
        << indicated(ProtocolErrorInd)
        >> received(message(messages.ASPUP))
        << sent("ASPUP_ACK")
        << sent("NTFY")
        << indicated(InactiveInd((None,), "ASPUP"))
    )
