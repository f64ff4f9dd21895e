"""Every error code: a message that gets it, from an SGP that is active or blocked."""

import pytest
from support.playbook import asked, indicated, playbook, received, sent
from unit.protocols.m3ua.associations import M3UA, conversation, err

from tsvc.protocols.m3ua import answers, messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    DestinationInd,
    DestinationStatus,
    InactiveInd,
    ProtocolErrorInd,
)
from tsvc.protocols.m3ua.messages import decode, encode, message
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKeys
from tsvc.protocols.m3ua.servers import ApplicationServers

ASPUP = encode(message(messages.ASPUP))
ASPAC = encode(message(messages.ASPAC))
BEAT = encode(message(messages.BEAT))
CONGESTED = message(
    messages.SCON,
    params.AFFECTED_POINT_CODE.of((PointCode(1),)),
    params.CONGESTION_INDICATIONS.of(4),
)


def sgp(**options):
    options = {
        "routing_contexts": (7,),
        "network_appearance": 1,
        "traffic_mode": TrafficMode.LOADSHARE,
    } | options
    return Association(Role.SGP, **options)


def active(**options):
    made = sgp(**options)
    made.receive(ASPUP, 0.0)
    made.receive(ASPAC, 0.0)
    made.data_to_send()
    assert made.is_active
    return made


def blocked():
    servers = ApplicationServers()
    servers.is_blocked = True
    return sgp(servers=servers)


def with_identifiers():
    """An SGP for ASPs 1 and 2, of which 2 is up."""
    servers = ApplicationServers()
    second = sgp(servers=servers, asp_identifiers=frozenset({1, 2}))
    second.receive(encode(message(messages.ASPUP, params.ASP_IDENTIFIER.of(2))), 0.0)
    return sgp(servers=servers, asp_identifiers=frozenset({1, 2}))


def dynamic():
    made = sgp(routing_contexts=(), routing_keys=RoutingKeys(may_add=True))
    made.receive(ASPUP, 0.0)
    made.data_to_send()
    return made


def identified(number):
    return encode(message(messages.ASPUP, params.ASP_IDENTIFIER.of(number)))


C = ErrorCode
CASES = [
    (C.INVALID_VERSION, active, bytes.fromhex("02000301 00000008")),
    (C.UNSUPPORTED_MESSAGE_CLASS, active, bytes.fromhex("01000501 00000008")),
    (C.UNSUPPORTED_MESSAGE_TYPE, active, bytes.fromhex("01000307 00000008")),
    (
        C.UNSUPPORTED_TRAFFIC_MODE_TYPE,
        active,
        encode(message(messages.ASPAC, params.TRAFFIC_MODE_TYPE.of(3))),
    ),
    (C.UNEXPECTED_MESSAGE, sgp, ASPAC),
    (C.PROTOCOL_ERROR, active, bytes.fromhex("01000301 00000007")),
    (C.REFUSED_MANAGEMENT_BLOCKING, blocked, ASPUP),
    (C.ASP_IDENTIFIER_REQUIRED, with_identifiers, ASPUP),
    (C.INVALID_ASP_IDENTIFIER, with_identifiers, identified(3)),
    (C.INVALID_ASP_IDENTIFIER, with_identifiers, identified(2)),
    (C.INVALID_PARAMETER_VALUE, active, encode(CONGESTED)),
    (C.PARAMETER_FIELD_ERROR, active, bytes.fromhex("01000301 0000000c 0011 0003")),
    (
        C.UNEXPECTED_PARAMETER,
        active,
        encode(message(messages.ASPIA, params.STATUS.of(params.Status(1, 2)))),
    ),
    (
        C.INVALID_NETWORK_APPEARANCE,
        active,
        encode_data(1, 2, 3, 2, 0, 5, b"", network_appearance=9),
    ),
    (C.MISSING_PARAMETER, active, encode(message(messages.DAUD))),
    (
        C.INVALID_ROUTING_CONTEXT,
        active,
        encode(message(messages.ASPIA, params.ROUTING_CONTEXT.of((8,)))),
    ),
    (C.NO_CONFIGURED_AS_FOR_ASP, dynamic, ASPAC),
]


@pytest.mark.parametrize(
    ("code", "make", "octets"), CASES, ids=lambda item: getattr(item, "name", "")
)
def test_the_code_and_the_offending_octets(code, make, octets):
    association = make()
    state = association.state
    assert (
        playbook(association, M3UA, now=1.0)
        >> asked("a message", lambda association, now: association.receive_message(octets, now))
        << sent(err(code, octets))
        << indicated(ProtocolErrorInd)
    )
    assert association.state is state, "what is refused changes nothing"


def test_every_code_has_a_case():
    elsewhere = {C.INVALID_STREAM_IDENTIFIER, C.DESTINATION_STATUS_UNKNOWN}
    assert {code for code, _, _ in CASES} | elsewhere == set(ErrorCode)


@pytest.mark.parametrize(
    ("octets", "stream", "is_refused"),
    [(ASPUP, 0, False), (ASPUP, 1, True), (BEAT, 1, False), (ASPAC, 1, False)],
)
def test_management_belongs_on_stream_0(octets, stream, is_refused):
    association = active()
    association.receive_message(octets, 1.0, stream)
    codes = [decode(sent).get(params.ERROR_CODE) for sent in association.data_to_send()]
    assert (ErrorCode.INVALID_STREAM_IDENTIFIER in codes) is is_refused
    assert association.receive_message(b"\1\0\3", 1.0, 1), "cut off, and no exception"


def test_a_parameter_of_another_protocol_is_ignored():
    assert (
        playbook(sgp(), M3UA)
        >> received(message(messages.ASPUP, Parameter(0x7777, b"abc")))
        << sent("ASPUP_ACK")
        << sent("NTFY")
        << indicated(InactiveInd((7,), "ASPUP"))
    )


def test_an_identifier_may_be_used_again_by_who_has_it():
    assert (
        playbook(with_identifiers(), M3UA)
        >> received(identified(1))
        << sent("ASPUP_ACK")
        << sent("NTFY")
        << indicated(InactiveInd((7,), "ASPUP"))
        >> received(identified(1))
        << sent("ASPUP_ACK")
    )


def test_an_unblocked_sgp_takes_the_repeated_aspup():
    servers = ApplicationServers()
    servers.is_blocked = True
    one = Association(Role.ASP)
    other = Association(Role.SGP, servers=servers)
    one.connected(0.0)
    assert conversation(one, other)[2] == ["> ASPUP", "< ERR"]
    assert one.state is AspState.DOWN
    servers.is_blocked = False
    one.handle_timer(2.0)
    _, _, said = conversation(one, other, 2.0)
    assert [one for one in said if one != "< NTFY"] == [
        "> ASPUP",
        "< ASPUP_ACK",
        "> ASPAC",
        "< ASPAC_ACK",
    ]


AUDIT = DestinationInd(
    DestinationStatus.AUDIT,
    (PointCode(1), PointCode(2), PointCode(3), PointCode(4)),
    (7,),
    None,
    None,
    None,
    None,
)


def test_an_audit_is_answered_as_far_as_known():
    known = {
        1: (DestinationStatus.AVAILABLE, 0),
        2: (DestinationStatus.UNAVAILABLE, 0),
        3: (DestinationStatus.RESTRICTED, 2),
    }
    found = answers.audit_answers(AUDIT, lambda code: known.get(code.pc))
    said = [(item.status.value, item.point_codes[0].pc, item.congestion_level) for item in found]
    assert said == [
        ("DAVA", 1, None),
        ("DUNA", 2, None),
        ("SCON", 3, 2),
        ("DRST", 3, None),
    ]
    assert {item.routing_contexts for item in found} == {(7,)}


def test_an_audit_of_unknown_destinations():
    with pytest.raises(answers.Refused) as refused:
        answers.audit_answers(AUDIT, lambda code: None)
    assert refused.value.code is ErrorCode.DESTINATION_STATUS_UNKNOWN
    (at_fault,) = refused.value.parameters
    assert params.AFFECTED_POINT_CODE.value_of(at_fault) == AUDIT.point_codes
