"""Associations back to back over an in-memory link, and associations with unusual peers."""

import pytest
from support.playbook import after, asked, connected, indicated, playbook, received
from support.playbook import sent as sends
from unit.protocols.m3ua.associations import M3UA, active_sgp, exchange, names, pair

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import AspState, Role
from tsvc.protocols.m3ua.association import Association
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    CloseInd,
    DataInd,
    DestinationInd,
    DestinationStatus,
    DownInd,
    ErrorInd,
    InactiveInd,
    NotifyInd,
    ProtocolErrorInd,
)
from tsvc.protocols.m3ua.messages import encode, message
from tsvc.protocols.m3ua.params import PointCode, TrafficMode, UserCause
from tsvc.protocols.m3ua.servers import ApplicationServers, Transfer


@pytest.mark.parametrize("piece", [1, 7, 10_000])
@pytest.mark.parametrize("contexts", [(), (7,), (1, 2, 3)])
def test_asp_and_sgp_up_active_data_and_down(contexts, piece):
    asp, sgp = pair(routing_contexts=contexts, traffic_mode=TrafficMode.LOADSHARE)
    named = contexts or (None,)
    at_asp, at_sgp = exchange(asp, sgp, piece=piece)
    assert at_sgp == [InactiveInd(named, "ASPUP"), ActiveInd(named)]
    states = [item for item in at_asp if not isinstance(item, NotifyInd)]
    assert states == [InactiveInd(named, "ASPUP_ACK"), ActiveInd(named)]
    told = [item.text for item in at_asp if isinstance(item, NotifyInd)]
    assert told == ["AS-INACTIVE"] * len(named) + ["AS-ACTIVE"] * len(named)
    assert asp.is_active
    assert sgp.is_active

    asp.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b"up"))
    sgp.send_transfer(Transfer(2, 1, 3, 2, 0, 6, b"down"), named[-1])
    at_asp, at_sgp = exchange(asp, sgp, piece=piece)
    assert at_sgp == [DataInd(1, 2, 3, 2, 0, 5, b"up", named[0])]
    assert at_asp == [DataInd(2, 1, 3, 2, 0, 6, b"down", named[-1])]

    assert asp.shut_down(1.0) == []
    at_asp, at_sgp = exchange(asp, sgp, 1.0, piece)
    assert at_sgp == [InactiveInd(named, "ASPIA"), DownInd("ASPDN")]
    assert at_asp[-2:] == [DownInd("ASPDN_ACK"), CloseInd("shut down")]
    assert asp.next_timer() is None


def test_ipsp_single_exchange_makes_both_active():
    asking, answering = pair(Role.IPSP, asp_identifier=3)
    exchange(asking, answering)
    assert asking.is_active
    assert answering.is_active
    answering.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b"x"))
    assert exchange(asking, answering)[0] == [DataInd(1, 2, 3, 2, 0, 5, b"x", 7)]


def test_two_ipsps_that_both_ask():
    first = Association(Role.IPSP)
    second = Association(Role.IPSP)
    first.connected(0.0)
    second.connected(0.0)
    exchange(first, second)
    assert first.is_active
    assert second.is_active
    assert first.next_timer() is None


def test_the_messages_of_the_asp():
    asp = Association(
        Role.ASP, routing_contexts=(7,), asp_identifier=3, traffic_mode=TrafficMode.OVERRIDE
    )
    aspac = message(
        messages.ASPAC, params.TRAFFIC_MODE_TYPE.of(1), params.ROUTING_CONTEXT.of((7,))
    )
    assert (
        playbook(asp, M3UA)
        >> connected()
        << sends(message(messages.ASPUP, params.ASP_IDENTIFIER.of(3)))
        >> received(message(messages.ASPUP_ACK))
        << indicated(InactiveInd((7,), "ASPUP_ACK"))
        << sends(aspac)
    )


def test_unanswered_aspup_is_repeated_and_then_the_transport_closed():
    asp = Association(Role.ASP, ack_timeout_s=2.0, ack_attempts=3)
    assert (
        playbook(asp, M3UA)
        >> connected()
        << sends("ASPUP")
        >> after(1.9)
        >> after(0.1)
        << sends("ASPUP")
        >> after(2.0)
        << sends("ASPUP")
        >> after(2.0)
        << indicated(CloseInd("ASPUP is not acknowledged"))
        >> received(message(messages.ASPUP_ACK))
    )
    assert asp.next_timer() is None


def test_a_context_that_the_sgp_does_not_know_does_not_stop_the_other():
    asp = Association(Role.ASP, routing_contexts=(7, 8), ack_attempts=2)
    sgp = Association(Role.SGP, routing_contexts=(7,))
    asp.connected(0.0)
    at_asp, at_sgp = exchange(asp, sgp)
    errors = [item for item in at_asp if isinstance(item, ErrorInd)]
    assert [(item.code, item.routing_contexts) for item in errors] == [(0x19, (8,))]
    assert ProtocolErrorInd("routing context 8 is not configured") in at_sgp
    assert asp.state_in(7) is AspState.ACTIVE
    assert asp.state_in(8) is AspState.INACTIVE
    asp.handle_timer(2.0)
    exchange(asp, sgp, 2.0)
    (given_up,) = asp.handle_timer(4.0)
    assert isinstance(given_up, ProtocolErrorInd)
    assert asp.next_timer() is None
    assert asp.is_active


@pytest.mark.parametrize(
    ("ack", "then"),
    [
        (messages.ASPUP_ACK, "ERR ASPAC"),
        (messages.ASPDN_ACK, "ASPUP"),
        (messages.ASPIA_ACK, "ASPAC"),
    ],
)
def test_an_asp_that_is_put_back_returns_by_itself(ack, then):
    asp, sgp = pair()
    exchange(asp, sgp)
    asp.receive(encode(message(ack)), 1.0)
    assert not asp.is_active
    assert " ".join(names(asp)) == then


def test_a_shut_down_sgp_says_so():
    shut_down = asked("shut down", lambda sgp, now: sgp.shut_down(now))
    assert (
        playbook(active_sgp(), M3UA)
        >> shut_down
        << sends("ASPDN_ACK")
        << indicated(DownInd("shut down"))
        << indicated(CloseInd("shut down"))
        >> after(1.0)
        >> shut_down
    )


def test_an_unanswered_shut_down_ends():
    asp, sgp = pair()
    exchange(asp, sgp)
    assert (
        playbook(asp, M3UA, now=10.0)
        >> asked("shut down", lambda asp, now: asp.shut_down(now))
        << sends("ASPIA")
        >> after(2.0)
        << indicated(DownInd("ASPIA is not acknowledged"))
        << indicated(CloseInd("ASPIA is not acknowledged"))
    )


def test_shut_down_before_up_closes_at_once():
    asp = Association(Role.ASP)
    asp.connected(0.0)
    assert asp.shut_down(0.5) == [CloseInd("shut down")]


def test_lost_connection():
    sgp = active_sgp()
    assert sgp.disconnected(1.0) == [DownInd("connection lost")]
    assert sgp.disconnected(1.0) == []
    with pytest.raises(LocalProtocolError):
        sgp.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b""))


def test_heartbeat_is_answered_with_the_same_data():
    data = params.HEARTBEAT_DATA.of(b"\x01\x02\x03")
    assert (
        playbook(Association(Role.SGP), M3UA)
        >> received(message(messages.BEAT, data))
        << sends(message(messages.BEAT_ACK, data))
    )


def test_heartbeat_keeps_up_and_detects_loss():
    asp, sgp = pair(heartbeat_s=10.0)
    exchange(asp, sgp)
    assert asp.next_timer() == 10.0
    asp.handle_timer(10.0)
    exchange(asp, sgp, 10.0)
    for now in (20.0, 30.0):
        assert asp.handle_timer(now) == []
        assert names(asp) == ["BEAT"]
    assert asp.handle_timer(40.0)[-1] == CloseInd("BEAT is not acknowledged")


def test_data_may_overtake_the_aspac_ack():
    asp = Association(Role.ASP, routing_contexts=(7,))
    asp.connected(0.0)
    asp.receive_message(encode(message(messages.ASPUP_ACK)), 0.0)
    data = encode_data(1, 2, 3, 2, 0, 5, b"", routing_context=7)
    assert asp.receive_message(data, 0.0) == [DataInd(1, 2, 3, 2, 0, 5, b"", 7)]


def test_override_moves_the_traffic_and_gives_it_back():
    servers = ApplicationServers(TrafficMode.OVERRIDE)
    woken = []
    ends = []
    for name in ("first", "second"):
        asp = Association(Role.ASP, routing_contexts=(7,))
        sgp = Association(
            Role.SGP,
            routing_contexts=(7,),
            servers=servers,
            wake=lambda name=name: woken.append(name),
        )
        ends.append((asp, sgp))
    (first, first_sgp), (second, second_sgp) = ends
    first.connected(0.0)
    exchange(first, first_sgp)
    second.connected(0.0)
    woken.clear()
    exchange(second, second_sgp)
    assert "first" in woken
    assert first_sgp.next_timer() == 0.0
    assert first_sgp.handle_timer(0.0) == [InactiveInd((7,), "alternate ASP active")]
    at_first, _ = exchange(first, first_sgp)
    assert InactiveInd((7,), "alternate ASP active") in at_first
    assert not first.is_active  # it does not try to take the traffic back
    assert second.is_active

    second_sgp.disconnected(1.0)
    exchange(first, first_sgp, 1.0)  # NTFY AS-PENDING makes it take over
    assert first.is_active
    assert first_sgp.is_active


def test_recovery_ends_by_the_timer_of_an_association():
    def is_pending_over(told):
        return told.get(params.STATUS) == params.Status(1, 2)

    assert (
        playbook(active_sgp(servers=ApplicationServers(recovery_timeout_s=2.0)), M3UA, now=5.0)
        >> received(message(messages.ASPIA))
        << sends("ASPIA_ACK")
        << sends("NTFY")
        << indicated(InactiveInd((7,), "ASPIA"))
        >> after(1.9)
        >> after(0.1)
        << sends(is_pending_over)
    )


DESTINATIONS = [
    DestinationInd(DestinationStatus.UNAVAILABLE, (PointCode(1, 2),), (7,), 1, None, None, None),
    DestinationInd(DestinationStatus.AVAILABLE, (PointCode(1),), (), None, None, None, None),
    DestinationInd(DestinationStatus.RESTRICTED, (PointCode(1),), (), None, None, None, None),
    DestinationInd(DestinationStatus.CONGESTED, (PointCode(1),), (7,), None, 2, 5, None),
    DestinationInd(
        DestinationStatus.USER_PART_UNAVAILABLE,
        (PointCode(1),),
        (7,),
        None,
        None,
        None,
        UserCause(1, 3),
    ),
]


@pytest.mark.parametrize("said", DESTINATIONS, ids=lambda said: said.status.value)
def test_destinations(said):
    asp, sgp = pair()
    exchange(asp, sgp)
    sgp.send_destination_status(said, 0.0)
    assert exchange(asp, sgp)[0] == [said]


def test_audit():
    asp, sgp = pair()
    exchange(asp, sgp)
    said = DestinationInd(DestinationStatus.AUDIT, (PointCode(1),), (), None, None, None, None)
    asp.send_destination_status(said, 0.0)
    assert exchange(asp, sgp)[1] == [said]


def test_sending_needs_an_active_context():
    asp, sgp = pair()
    with pytest.raises(LocalProtocolError, match="DOWN"):
        asp.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b""))
    exchange(asp, sgp)
    with pytest.raises(LocalProtocolError, match="context 8"):
        asp.send_transfer(Transfer(1, 2, 3, 2, 0, 5, b""), 8)
