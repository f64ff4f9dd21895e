"""SUA associations back to back over an in-memory link, and with unusual peers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.playbook import Language, after, asked, indicated, playbook, received, sent
from unit.protocols.m3ua.associations import err, exchange, names

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    CloseInd,
    DestinationInd,
    DestinationStatus,
    DownInd,
    ProtocolErrorInd,
)
from tsvc.protocols.m3ua.messages import decode, encode, message
from tsvc.protocols.m3ua.params import ErrorCode, Parameter, PointCode, UserCause
from tsvc.protocols.m3ua.servers import Transfer
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.sua import connectionless
from tsvc.protocols.sua import params as sua
from tsvc.protocols.sua.association import (
    Association,
    SubsystemInd,
    UnitdataInd,
    from_m3ua,
    to_m3ua,
    transfer_of,
)
from tsvc.protocols.sua.connectionless import DataResponse, DataTransfer, returned

SUA = Language(encode, decode, name=lambda message: message.name)
A, B = Address(1, 146, 1), Address(1, 6, 2)
MESSAGE = DataTransfer(A, B, b"hello", sequence_control=3)


def association(role, contexts=(7,), **options):
    return Association(role, routing_contexts=contexts, **options)


def send(side, message, context=None):
    said = transfer_of(message)
    label = (said.opc, said.dpc, said.si, said.ni, said.mp, said.sls)
    side.send_transfer(Transfer(*label, said.user_data), context)


def in_context_7(message):
    return connectionless.completed(connectionless.encode(message), 7, None)


def active_pair(contexts=(7,), **options):
    asp, sgp = association(Role.ASP, contexts), association(Role.SGP, contexts, **options)
    asp.connected(0.0)
    sgp.connected(0.0)
    exchange(asp, sgp)
    return asp, sgp


def whole(octets, stream=0):
    """Return a message as SCTP delivers it: whole, and with the number of its stream."""
    text = f"on stream {stream} {octets.hex(' ')}"
    return asked(text, lambda side, now: side.receive_message(octets, now, stream))


@pytest.mark.parametrize("piece", [1, 7, 10_000])
@pytest.mark.parametrize("contexts", [(), (7,), (1, 2, 3)])
def test_up_active_data_both_ways_and_down(contexts, piece):
    asp, sgp = association(Role.ASP, contexts), association(Role.SGP, contexts)
    asp.connected(0.0)
    sgp.connected(0.0)
    of_asp, of_sgp = exchange(asp, sgp, piece=piece)
    assert ActiveInd(contexts or (None,)) in of_asp
    assert asp.is_active
    assert sgp.is_active
    send(asp, MESSAGE)
    send(sgp, MESSAGE)
    of_asp, of_sgp = exchange(asp, sgp, piece=piece)
    for (arrived,) in (of_asp, of_sgp):
        assert isinstance(arrived, UnitdataInd)
        assert arrived.message.data == b"hello"
        assert arrived.message.routing_context == (contexts or (0,))[0]
    asp.shut_down(1.0)
    of_asp, of_sgp = exchange(asp, sgp, now=1.0, piece=piece)
    assert isinstance(of_asp[-1], CloseInd)
    assert sgp.state is AspState.DOWN


def test_a_returned_message_is_a_notice():
    asp, sgp = active_pair()
    send(asp, MESSAGE)
    _, (arrived,) = exchange(asp, sgp)
    send(sgp, returned(arrived.message, 3))
    (notice,), _ = exchange(asp, sgp)
    assert isinstance(notice.message, DataResponse)
    assert notice.message.cause.value == 3
    assert (notice.message.source, notice.message.destination) == (B, A)


def test_user_data_do_not_overtake_the_management():
    asp, sgp = association(Role.ASP), association(Role.SGP)
    asp.connected(0.0)
    exchange(asp, sgp)
    send(asp, MESSAGE)
    asp.shut_down(0.0)
    assert names(asp) == ["message 7/1", "ASPIA"]


def test_nothing_can_be_sent_before_the_asp_is_active():
    asp = association(Role.ASP)
    asp.connected(0.0)
    with pytest.raises(LocalProtocolError, match="DOWN, not ACTIVE"):
        send(asp, MESSAGE)
    asp, _ = active_pair((1, 2))
    with pytest.raises(LocalProtocolError, match="for routing context 3"):
        send(asp, MESSAGE, 3)


def test_a_message_in_the_second_context():
    asp, sgp = active_pair((1, 2))
    send(asp, MESSAGE, 2)
    _, (arrived,) = exchange(asp, sgp)
    assert arrived.message.routing_context == 2


def test_data_before_the_asp_is_active_are_refused_and_quoted():
    octets = in_context_7(MESSAGE)
    assert (
        playbook(association(Role.SGP), SUA)
        >> whole(octets)
        << sent(err(ErrorCode.UNEXPECTED_MESSAGE, octets))
        << indicated(ProtocolErrorInd)
    )


def assert_refused(octets, code):
    """Assert that an active SGP in context 7 answers with this code, and stays active."""
    _, sgp = active_pair()
    assert (
        playbook(sgp, SUA)
        >> whole(octets)
        << sent(err(code, octets))
        << indicated(ProtocolErrorInd)
    )
    assert sgp.is_active


def test_what_is_wrong_with_a_message_is_answered_with_its_code():
    good = in_context_7(MESSAGE)
    without_source = message(
        connectionless.CLDT, *(p for p in decode(good).parameters if p.tag != 0x0102)
    )
    broken = good.replace(bytes.fromhex("0002 0003 8002"), bytes.fromhex("0009 0003 8002"), 1)
    in_context_8 = connectionless.completed(connectionless.encode(MESSAGE), 8, None)
    assert_refused(encode(without_source), ErrorCode.MISSING_PARAMETER)
    assert_refused(broken, ErrorCode.PARAMETER_FIELD_ERROR)
    assert_refused(in_context_8, ErrorCode.INVALID_ROUTING_CONTEXT)
    assert_refused(good[:3] + b"\x09" + good[4:], ErrorCode.UNSUPPORTED_MESSAGE_TYPE)
    assert_refused(b"\x02" + good[1:], ErrorCode.INVALID_VERSION)
    assert_refused(good[:7] + b"\x00" + good[8:], ErrorCode.PROTOCOL_ERROR)


@pytest.mark.parametrize("octets", [encode_data(1, 2, 3, 2, 0, 0, b"x"), encode(message((8, 1)))])
def test_data_of_m3ua_and_connections_are_no_class_of_ours(octets):
    assert_refused(octets, ErrorCode.UNSUPPORTED_MESSAGE_CLASS)


def test_management_belongs_on_stream_0_and_data_on_any():
    asp, sgp = active_pair()
    send(asp, MESSAGE)
    (octets,) = asp.data_to_send()
    assert (
        playbook(sgp, SUA)
        >> whole(octets, stream=5)
        << indicated(UnitdataInd)
        >> whole(encode(message(messages.ASPDN)), stream=5)
        << sent(err(ErrorCode.INVALID_STREAM_IDENTIFIER))
        << indicated(ProtocolErrorInd)
    )


def test_octets_that_are_no_messages_end_the_association():
    _, sgp = active_pair()
    assert (
        playbook(sgp, SUA)
        >> received(b"GET / HTTP/1.1\r\n\r\n")
        << sent(err(ErrorCode.INVALID_VERSION))
        << indicated(ProtocolErrorInd)
        << indicated(DownInd)
        << indicated(CloseInd)
        >> whole(b"\x01\x00\x05\x01\x00\x00\x00\x08")
    )


def test_the_state_of_a_destination_has_the_tags_of_sua():
    asp, sgp = active_pair()
    said = DestinationInd(
        DestinationStatus.USER_PART_UNAVAILABLE,
        (PointCode(5),),
        (7,),
        None,
        None,
        None,
        UserCause(1, 3),
    )
    sgp.send_destination_status(said, 0.0)
    octets = sgp.data_to_send()
    assert bytes.fromhex("010c 0008 0001 0003") in octets[0]
    assert asp.receive(octets[0], 0.0) == [said]


def test_congestion_and_network_appearance_have_the_tags_of_sua():
    asp, sgp = active_pair()
    said = DestinationInd(DestinationStatus.CONGESTED, (PointCode(5),), (), 9, 2, None, None)
    sgp.send_destination_status(said, 0.0)
    octets = sgp.data_to_send()[0]
    assert bytes.fromhex("010d 0008 00000009") in octets
    assert bytes.fromhex("0118 0008 00000002") in octets
    assert asp.receive(octets, 0.0) == [said]


def test_a_subsystem_is_not_its_node():
    asp, sgp = active_pair()
    said = SubsystemInd(
        DestinationStatus.UNAVAILABLE, (PointCode(5),), (), None, None, None, None, ssn=146, smi=1
    )
    sgp.send_destination_status(said, 0.0)
    octets = sgp.data_to_send()[0]
    assert bytes.fromhex("8003 0008 00000092 0112 0008 00000001") in octets
    assert asp.receive(octets, 0.0) == [said]


def test_an_unexpected_message_is_quoted_as_it_came():
    """M3UA's state machine reads other tags, but the peer gets its own octets back."""
    asp, _ = active_pair()
    audit = message(
        messages.DAUD, params.AFFECTED_POINT_CODE.of((PointCode(5),)), sua.USER_CAUSE.of(
            UserCause(1, 3)
        )
    )  # fmt: skip
    assert (
        playbook(asp, SUA)
        >> whole(encode(audit))
        << sent(err(ErrorCode.UNEXPECTED_PARAMETER, encode(audit)))
        << indicated(ProtocolErrorInd)
    )


def test_a_routing_key_names_its_destination_by_an_address():
    key = params.ROUTING_KEY.of(
        (
            params.LOCAL_ROUTING_KEY_IDENTIFIER.of(4),
            params.DESTINATION_POINT_CODE.of(PointCode(6045)),
        )
    )
    request = message(messages.REG_REQ, key)
    octets = encode(from_m3ua(request))
    assert octets == bytes.fromhex(
        "0100 0901 00000024  010e 001c  0018 0008 000000040103 0010 0002 0002 8002 0008 0000179d"
    )
    assert to_m3ua(decode(octets)) == request


def test_a_lost_connection_ends_one_side_only():
    asp, sgp = active_pair()
    assert (
        playbook(asp, SUA, now=1.0)
        >> asked("connection lost", lambda asp, now: asp.disconnected(now))
        << indicated(DownInd("connection lost"))
    )
    with pytest.raises(LocalProtocolError):
        send(asp, MESSAGE)
    assert sgp.is_active


def test_beat_is_answered_and_its_absence_closes():
    asp, sgp = active_pair(heartbeat_s=1.0)
    sgp.handle_timer(1.0)
    exchange(asp, sgp, now=1.0)
    assert sgp.is_active
    assert (
        playbook(sgp, SUA, now=1.0)
        >> after(1.0)
        << sent("BEAT")
        >> after(1.0)
        << sent("BEAT")
        >> after(1.0)
        << indicated(DownInd)
        << indicated(CloseInd)
    )


@given(st.binary(max_size=80), st.sampled_from([*range(10)]), st.integers(0, 6))
def test_any_message_is_an_indication_or_refused(body, message_class, message_type):
    _, sgp = active_pair()
    body += bytes(-len(body) % 4)
    head = bytes((1, 0, message_class, message_type)) + (8 + len(body)).to_bytes(4)
    sgp.receive_message(head + body, 0.0)
    for octets in sgp.data_to_send():
        decode(octets)


@given(st.binary(max_size=100))
def test_any_octets_raise_nothing(octets):
    _, sgp = active_pair()
    sgp.receive(octets, 0.0)
    sgp.data_to_send()


def test_an_unknown_parameter_of_a_management_message_is_ignored():
    _, sgp = active_pair()
    beat = message(messages.BEAT, Parameter(0x0208, b"1234"), params.HEARTBEAT_DATA.of(b"x"))
    assert (
        playbook(sgp, SUA)
        >> whole(encode(beat))
        << sent(encode(message(messages.BEAT_ACK, *beat.parameters)))  # as it came
    )
