"""Tables of states, cell by cell, and Application Servers with several ASPs."""

import itertools

import pytest

from tsvc.protocols.m3ua.asp import (
    ACKNOWLEDGEMENT,
    AFTER_RECOVERY,
    ALTERNATE_ASP_ACTIVE,
    AS_TRANSITIONS,
    NEXT_REQUEST,
    NOTIFIED,
    TRANSITIONS,
    Action,
    ApplicationServers,
    AspState,
    AsState,
    Role,
)
from tsvc.protocols.m3ua.messages import (
    ASPAC,
    ASPAC_ACK,
    ASPDN,
    ASPDN_ACK,
    ASPIA,
    ASPIA_ACK,
    ASPUP,
    ASPUP_ACK,
)
from tsvc.protocols.m3ua.params import TrafficMode

D, I, A = AspState  # noqa: E741
ACK, REFUSE = Action.ACKNOWLEDGE, Action.REFUSE

# (message): new state and actions in DOWN, INACTIVE, ACTIVE; written from RFC 4666 section 4.3.4
SGP_SIDE = {
    ASPUP: [(I, (ACK,)), (I, (ACK,)), (I, (ACK, REFUSE))],
    ASPDN: [(D, (ACK,)), (D, (ACK,)), (D, (ACK,))],
    ASPAC: [(D, (REFUSE,)), (A, (ACK,)), (A, (ACK,))],
    ASPIA: [(D, (REFUSE,)), (I, (ACK,)), (I, (ACK,))],
}
ASP_SIDE = {
    ASPUP_ACK: [(I, ()), (I, ()), (I, (REFUSE,))],
    ASPDN_ACK: [(D, ()), (D, ()), (D, ())],
    ASPAC_ACK: [(D, (REFUSE,)), (A, ()), (A, ())],
    ASPIA_ACK: [(D, (REFUSE,)), (I, ()), (I, ())],
}
EXPECTED = {
    Role.SGP: SGP_SIDE,
    Role.ASP: ASP_SIDE,
    Role.IPSP: SGP_SIDE | ASP_SIDE,
}


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("state", AspState)
@pytest.mark.parametrize("message", list(SGP_SIDE) + list(ASP_SIDE))
def test_every_cell(role, state, message):
    row = EXPECTED[role].get(message)
    expected = row[state] if row else None
    assert TRANSITIONS[role].get((state, message)) == expected


def test_every_request_has_its_acknowledgement():
    assert dict(zip(SGP_SIDE, ASP_SIDE, strict=True)) == ACKNOWLEDGEMENT


@pytest.mark.parametrize(("state", "wanted"), list(itertools.permutations(AspState, 2)))
def test_requests_lead_to_the_wanted_state(state, wanted):
    for _ in range(2):
        if state is wanted:
            break
        request = NEXT_REQUEST[state, wanted]
        state, _actions = ASP_SIDE[ACKNOWLEDGEMENT[request]][state]
    assert state is wanted


@pytest.mark.parametrize("state", AspState)
def test_no_request_when_there(state):
    assert (state, state) not in NEXT_REQUEST


@pytest.mark.parametrize("state", AsState)
def test_as_table(state):
    row = [AS_TRANSITIONS[state, best] for best in AspState]
    assert (
        row
        == {
            AsState.DOWN: [AsState.DOWN, AsState.INACTIVE, AsState.ACTIVE],
            AsState.INACTIVE: [AsState.DOWN, AsState.INACTIVE, AsState.ACTIVE],
            AsState.ACTIVE: [AsState.PENDING, AsState.PENDING, AsState.ACTIVE],
            AsState.PENDING: [AsState.PENDING, AsState.PENDING, AsState.ACTIVE],
        }[state]
    )


def test_after_recovery():
    assert AFTER_RECOVERY == {D: AsState.DOWN, I: AsState.INACTIVE}


class Peer:
    """An ASP that writes down what its AS tells it."""

    def __init__(self):
        self.told = []

    def notify(self, context, status):
        self.told.append((context, status))

    def stand_by(self, context):
        self.told.append((context, "stand by"))

    def take(self):
        told, self.told = self.told, []
        return told


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
