"""Application Servers with several ASPs: states, NTFY, which ASP gets a message."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.m3ua.asp import (
    ALTERNATE_ASP_ACTIVE,
    ASP_FAILURE,
    INSUFFICIENT_ASPS,
    NOTIFIED,
    AspState,
    AsState,
)
from tsvc.protocols.m3ua.params import TrafficMode
from tsvc.protocols.m3ua.servers import ApplicationServers, Transfer

D, I, A = AspState  # noqa: E741


class Peer:
    """An ASP that records the notifications of its AS, and the messages that it gets."""

    def __init__(self, identifier=None):
        self.asp_identifier = identifier
        self.told = []
        self.got = []

    def notify(self, context, status, asp_identifier=None):
        about = () if asp_identifier is None else (asp_identifier,)
        self.told.append((context, status, *about))

    def stand_by(self, context):
        self.told.append((context, "stand by"))

    def transfer(self, context, transfer, correlation_id=None):
        self.got.append((context, transfer.user_data, correlation_id))

    def take(self):
        told, self.told = self.told, []
        return told


def data(sls=0, octets=b"x"):
    return Transfer(1, 2, 3, 2, 0, sls, octets)


INACTIVE, ACTIVE, PENDING = (
    NOTIFIED[state] for state in (AsState.INACTIVE, AsState.ACTIVE, AsState.PENDING)
)


def test_one_asp_through_all_states_of_its_as():
    servers, peer = ApplicationServers(recovery_timeout_s=2.0), Peer()
    assert servers.state(7, 0.0) is AsState.DOWN
    servers.update(peer, 7, I, 0.0)
    servers.update(peer, 7, A, 1.0)
    assert peer.take() == [(7, INACTIVE), (7, ACTIVE)]
    servers.update(peer, 7, I, 2.0)
    assert peer.take() == [(7, PENDING)]
    assert servers.next_timer() == 4.0
    servers.handle_timer(3.9)
    assert servers.state(7, 3.9) is AsState.PENDING
    servers.handle_timer(4.0)
    assert peer.take() == [(7, INACTIVE)]
    assert servers.next_timer() is None
    servers.update(peer, 7, D, 5.0)
    assert servers.state(7, 5.0) is AsState.DOWN
    assert peer.take() == []


def test_active_again_before_recovery_ends():
    servers, peer = ApplicationServers(), Peer()
    servers.update(peer, 7, A, 0.0)
    servers.update(peer, 7, I, 1.0)
    servers.update(peer, 7, A, 2.0)
    assert servers.next_timer() is None
    assert [status for _, status in peer.take()] == [ACTIVE, PENDING, ACTIVE]


def test_all_down_after_recovery():
    servers, peer = ApplicationServers(recovery_timeout_s=2.0), Peer()
    servers.update(peer, None, A, 0.0)
    servers.update(peer, None, D, 1.0)
    assert servers.state(None, 2.9) is AsState.PENDING
    assert servers.state(None, 3.0) is AsState.DOWN


def test_an_asp_that_comes_up_learns_the_present_state():
    servers, first, second = ApplicationServers(), Peer(), Peer()
    servers.update(first, 7, A, 0.0)
    first.take()
    servers.update(second, 7, I, 0.0)
    assert second.take() == [(7, ACTIVE)]
    assert first.take() == []


def test_loadshare_keeps_both_and_survives_one():
    servers, first, second = ApplicationServers(TrafficMode.LOADSHARE), Peer(), Peer()
    servers.update(first, 7, A, 0.0)
    servers.update(second, 7, A, 0.0)
    servers.update(first, 7, D, 0.0)
    assert servers.state(7, 0.0) is AsState.ACTIVE
    servers.update(second, 7, I, 0.0)
    assert second.take()[-1] == (7, PENDING)


def test_override_takes_the_traffic_from_the_other():
    servers, first, second = ApplicationServers(TrafficMode.OVERRIDE), Peer(), Peer()
    servers.update(first, 7, A, 0.0)
    servers.update(second, 7, I, 0.0)
    first.take()
    servers.update(second, 7, A, 0.0)
    assert first.take() == [(7, "stand by"), (7, ALTERNATE_ASP_ACTIVE)]
    assert servers.state(7, 0.0) is AsState.ACTIVE
    servers.update(second, 7, D, 0.0)
    assert first.take() == [(7, PENDING)]


def test_contexts_do_not_touch_each_other():
    servers, peer = ApplicationServers(), Peer()
    servers.update(peer, 1, A, 0.0)
    servers.update(peer, 2, I, 0.0)
    assert servers.state(1, 0.0) is AsState.ACTIVE
    assert servers.state(2, 0.0) is AsState.INACTIVE


def test_n_of_n_plus_k():
    servers = ApplicationServers(TrafficMode.LOADSHARE, needed_asps=2)
    first, second, third = Peer(), Peer(), Peer()
    servers.update(first, 7, A, 0.0)
    assert servers.state(7, 0.0) is AsState.INACTIVE, "one is not enough to start"
    servers.update(third, 7, I, 0.0)
    third.take()
    servers.update(second, 7, A, 0.0)
    assert servers.state(7, 0.0) is AsState.ACTIVE
    assert third.take() == [(7, ACTIVE)]
    servers.update(second, 7, I, 0.0)
    assert servers.state(7, 0.0) is AsState.ACTIVE, "one is enough to go on"
    assert third.take() == [(7, INSUFFICIENT_ASPS)]
    assert second.take()[-1] == (7, INSUFFICIENT_ASPS)
    assert (7, INSUFFICIENT_ASPS) not in first.take(), "it is active already"
    servers.update(third, 7, A, 0.0)
    assert third.take() == []


def test_override_needs_one_whatever_was_configured():
    servers, peer = ApplicationServers(TrafficMode.OVERRIDE, needed_asps=3), Peer()
    servers.update(peer, 7, A, 0.0)
    assert servers.state(7, 0.0) is AsState.ACTIVE


def test_a_failed_asp_is_named_to_the_others():
    servers, first, second = ApplicationServers(TrafficMode.LOADSHARE), Peer(11), Peer(12)
    servers.update(first, 7, A, 0.0)
    servers.update(second, 7, A, 0.0)
    second.take()
    servers.update(first, 7, D, 0.0, is_failure=True)
    assert second.take() == [(7, ASP_FAILURE, 11)]


def test_the_asp_that_took_over_is_named():
    servers, first, second = ApplicationServers(TrafficMode.OVERRIDE), Peer(11), Peer(12)
    servers.update(first, 7, A, 0.0)
    servers.update(second, 7, I, 0.0)
    first.take()
    servers.update(second, 7, A, 0.0)
    assert first.take() == [(7, "stand by"), (7, ALTERNATE_ASP_ACTIVE, 12)]
    assert servers.identifiers(first) == {12}


def active(mode, count=3):
    servers = ApplicationServers(mode, recovery_timeout_s=2.0, max_pending=2)
    peers = [Peer() for _ in range(count)]
    for peer in peers:
        servers.update(peer, 7, A, 0.0)
    return servers, peers


def test_loadshare_by_sls():
    servers, peers = active(TrafficMode.LOADSHARE)
    for _ in range(2):
        for sls in range(6):
            servers.transfer(7, data(sls, b"%d" % sls), 0.0)
    got = [sorted({octets for _, octets, _ in peer.got}) for peer in peers]
    assert got == [[b"0", b"3"], [b"1", b"4"], [b"2", b"5"]]
    assert [len(peer.got) for peer in peers] == [4, 4, 4]


def test_override_sends_to_the_one_that_is_active():
    servers, peers = active(TrafficMode.OVERRIDE)
    for sls in range(4):
        servers.transfer(7, data(sls), 0.0)
    assert [len(peer.got) for peer in peers] == [0, 0, 4]


def test_broadcast_sends_to_all_under_one_correlation_id():
    servers, peers = active(TrafficMode.BROADCAST)
    servers.transfer(7, data(1, b"a"), 0.0)
    servers.transfer(7, data(2, b"b"), 0.0)
    assert [peer.got for peer in peers] == [[(7, b"a", 1), (7, b"b", 2)]] * 3


def test_what_is_sent_while_pending_goes_out_after_it():
    servers, (peer,) = active(TrafficMode.LOADSHARE, 1)
    servers.update(peer, 7, D, 1.0)
    servers.transfer(7, data(1, b"a"), 1.1)
    servers.transfer(7, data(2, b"b"), 1.2)
    assert (peer.got, servers.pending(), servers.is_pending) == ([], 2, True)
    with pytest.raises(LocalProtocolError, match="keeps 2 messages"):
        servers.transfer(7, data(), 1.3)
    other = Peer()
    servers.update(other, 7, A, 2.0)
    assert [octets for _, octets, _ in other.got] == [b"a", b"b"]
    assert (servers.pending(), servers.take_dropped()) == (0, [])


def test_what_waited_in_vain_is_given_back():
    servers, (peer,) = active(TrafficMode.LOADSHARE, 1)
    servers.update(peer, 7, D, 1.0)
    servers.transfer(7, data(1, b"a"), 1.1)
    assert servers.next_timer() == 3.0
    servers.handle_timer(3.0)
    assert [item.user_data for item in servers.take_dropped()] == [b"a"]
    assert servers.take_dropped() == []
    with pytest.raises(LocalProtocolError, match="AS-DOWN"):
        servers.transfer(7, data(), 3.1)


@pytest.mark.parametrize("state", [D, I])
def test_no_traffic_without_an_active_asp(state):
    servers, peer = ApplicationServers(), Peer()
    servers.update(peer, 7, state, 0.0)
    with pytest.raises(LocalProtocolError, match="AS-"):
        servers.transfer(7, data(), 0.0)
