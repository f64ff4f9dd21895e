"""SUA associations back to back over an in-memory link, and single ones with odd peers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

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

A, B = Address(1, 146, 1), Address(1, 6, 2)
MESSAGE = DataTransfer(A, B, b"hello", sequence_control=3)


def association(role, contexts=(7,), **options):
    return Association(role, routing_contexts=contexts, **options)


def send(side, message, context=None):
    said = transfer_of(message)
    label = (said.opc, said.dpc, said.si, said.ni, said.mp, said.sls)
    side.send_data(*label, said.user_data, 0.0, routing_context=context)


def in_context_7(message):
    return connectionless.completed(connectionless.encode(message), 7, None)


def sent(side):
    return [decode(octets) for octets in side.data_to_send()]


def exchange(first, second, now=0.0, piece=1):
    """Carry everything to and fro in pieces; return the indications of each side."""
    found = {first: [], second: []}
    for _ in range(50):
        carried = False
        for source, target in ((first, second), (second, first)):
            stream = b"".join(source.data_to_send())
            for at in range(0, len(stream), piece):
                found[target] += target.receive(stream[at : at + piece], now)
                carried = True
        if not carried:
            return found[first], found[second]
    raise AssertionError("the two never stop talking")


def active_pair(contexts=(7,), **options):
    asp, sgp = association(Role.ASP, contexts), association(Role.SGP, contexts, **options)
    asp.connected(0.0)
    sgp.connected(0.0)
    exchange(asp, sgp)
    return asp, sgp


def error_of(side):
    (error,) = sent(side)
    assert error.id == messages.ERR
    return error


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
    assert [item.name for item in sent(asp)] == ["message 7/1", "ASPIA"]


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
    sgp = association(Role.SGP)
    octets = in_context_7(MESSAGE)
    (told,) = sgp.receive_message(octets, 0.0)
    assert isinstance(told, ProtocolErrorInd)
    error = error_of(sgp)
    assert error.get(params.ERROR_CODE) == ErrorCode.UNEXPECTED_MESSAGE
    assert error.get(params.DIAGNOSTIC_INFORMATION) == octets[:40]


def refused(octets):
    """What an active SGP in context 7 answers to octets."""
    _, sgp = active_pair()
    told = sgp.receive_message(octets, 0.0)
    assert [type(item) for item in told] == [ProtocolErrorInd]
    assert sgp.is_active
    error = error_of(sgp)
    assert error.get(params.DIAGNOSTIC_INFORMATION) == octets[:40]
    return error.get(params.ERROR_CODE)


def test_what_is_wrong_with_a_message_is_answered_with_its_code():
    good = in_context_7(MESSAGE)
    without_source = message(
        connectionless.CLDT, *(p for p in decode(good).parameters if p.tag != 0x0102)
    )
    broken = good.replace(bytes.fromhex("0002 0003 8002"), bytes.fromhex("0009 0003 8002"), 1)
    assert refused(encode(without_source)) == ErrorCode.MISSING_PARAMETER
    assert refused(broken) == ErrorCode.PARAMETER_FIELD_ERROR
    assert refused(connectionless.completed(connectionless.encode(MESSAGE), 8, None)) == (
        ErrorCode.INVALID_ROUTING_CONTEXT
    )
    assert refused(good[:3] + b"\x09" + good[4:]) == ErrorCode.UNSUPPORTED_MESSAGE_TYPE
    assert refused(b"\x02" + good[1:]) == ErrorCode.INVALID_VERSION
    assert refused(good[:7] + b"\x00" + good[8:]) == ErrorCode.PROTOCOL_ERROR


@pytest.mark.parametrize("octets", [encode_data(1, 2, 3, 2, 0, 0, b"x"), encode(message((8, 1)))])
def test_data_of_m3ua_and_connections_are_no_class_of_ours(octets):
    assert refused(octets) == ErrorCode.UNSUPPORTED_MESSAGE_CLASS


def test_management_belongs_on_stream_0_and_data_on_any():
    asp, sgp = active_pair()
    send(asp, MESSAGE)
    (octets,) = asp.data_to_send()
    assert [type(item) for item in sgp.receive_message(octets, 0.0, 5)] == [UnitdataInd]
    sgp.receive_message(encode(message(messages.ASPDN)), 0.0, 5)
    assert error_of(sgp).get(params.ERROR_CODE) == ErrorCode.INVALID_STREAM_IDENTIFIER


def test_octets_that_are_no_messages_end_the_association():
    _, sgp = active_pair()
    told = sgp.receive(b"GET / HTTP/1.1\r\n\r\n", 0.0)
    assert isinstance(told[-1], CloseInd)
    assert error_of(sgp).get(params.ERROR_CODE) == ErrorCode.INVALID_VERSION
    assert sgp.receive_message(b"\x01\x00\x05\x01\x00\x00\x00\x08", 0.0) == []
    assert sgp.data_to_send() == []


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
    """M3UA's machine sees other tags; its peer gets its own octets back."""
    asp, _ = active_pair()
    audit = message(
        messages.DAUD, params.AFFECTED_POINT_CODE.of((PointCode(5),)), sua.USER_CAUSE.of(
            UserCause(1, 3)
        )
    )  # fmt: skip
    asp.receive_message(encode(audit), 0.0)
    assert error_of(asp).get(params.DIAGNOSTIC_INFORMATION) == encode(audit)[:40]


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
    assert asp.disconnected(1.0) == [DownInd("connection lost")]
    with pytest.raises(LocalProtocolError):
        send(asp, MESSAGE)
    assert sgp.is_active


def test_beat_is_answered_and_its_absence_closes():
    asp, sgp = active_pair(heartbeat_s=1.0)
    sgp.handle_timer(1.0)
    exchange(asp, sgp, now=1.0)
    assert sgp.is_active
    sgp.handle_timer(2.0)
    sgp.handle_timer(3.0)
    assert isinstance(sgp.handle_timer(4.0)[-1], CloseInd)


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
    assert sgp.receive_message(encode(beat), 0.0) == []
    (answer,) = sgp.data_to_send()
    assert answer[8:] == encode(beat)[8:], "given back as it came"
