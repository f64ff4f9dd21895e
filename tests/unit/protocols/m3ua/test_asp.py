"""Tables of states, cell by cell."""

import itertools

import pytest

from tsvc.protocols.m3ua.asp import (
    ACKNOWLEDGEMENT,
    AFTER_RECOVERY,
    AS_TRANSITIONS,
    MOVES,
    NEXT_REQUEST,
    TRANSITIONS,
    Action,
    AspState,
    AsState,
    Role,
    Side,
    Strength,
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


# State of the AS with no ASP up, none active, fewer active than needed, enough of them.
DOWN, INACTIVE, ACTIVE, PENDING = AsState
AS_TABLE = {
    DOWN: [DOWN, INACTIVE, INACTIVE, ACTIVE],
    INACTIVE: [DOWN, INACTIVE, INACTIVE, ACTIVE],
    ACTIVE: [PENDING, PENDING, ACTIVE, ACTIVE],
    PENDING: [PENDING, PENDING, ACTIVE, ACTIVE],
}


@pytest.mark.parametrize("state", AsState)
def test_as_table(state):
    assert [AS_TRANSITIONS[state, strength] for strength in Strength] == AS_TABLE[state]


def test_after_recovery():
    assert AFTER_RECOVERY == {Strength.DOWN: DOWN, Strength.INACTIVE: INACTIVE}


def test_requests_are_about_the_peer_and_answers_about_us():
    assert {message for message, side in MOVES.items() if side is Side.PEER} == set(SGP_SIDE)
    assert {message for message, side in MOVES.items() if side is Side.OWN} == set(ASP_SIDE)
