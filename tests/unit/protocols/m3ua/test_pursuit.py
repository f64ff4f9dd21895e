"""The asking side: what it asks for, when it repeats, when it gives up."""

from tsvc.protocols.m3ua.asp import AspState
from tsvc.protocols.m3ua.messages import ASPAC, ASPDN, ASPIA, ASPUP
from tsvc.protocols.m3ua.pursuit import Pursuit, Request

DOWN, INACTIVE, ACTIVE = AspState


def pursuit(wanted):
    made = Pursuit(ack_timeout_s=2.0, ack_attempts=3)
    made.wanted = wanted
    return made


def test_nothing_to_ask_when_there():
    made = pursuit(ACTIVE)
    assert made.advance({1: ACTIVE}, 0.0) is None
    assert made.deadline is None


def test_up_then_active():
    made = pursuit(ACTIVE)
    assert made.advance({1: DOWN, 2: DOWN}, 0.0) == Request(ASPUP, (1, 2))
    assert made.advance({1: DOWN, 2: DOWN}, 0.5) is None  # open already
    assert made.advance({1: INACTIVE, 2: INACTIVE}, 1.0) == Request(ASPAC, (1, 2))
    assert made.deadline == 3.0
    assert made.advance({1: ACTIVE, 2: INACTIVE}, 1.5) is None
    assert made.repeat({1: ACTIVE, 2: INACTIVE}, 3.0) == Request(ASPAC, (2,))
    assert made.advance({1: ACTIVE, 2: ACTIVE}, 3.5) is None
    assert made.asked is None


def test_inactive_before_down():
    made = pursuit(DOWN)
    assert made.advance({1: INACTIVE, 2: ACTIVE}, 0.0) == Request(ASPIA, (2,))
    assert made.advance({1: INACTIVE, 2: INACTIVE}, 0.0) == Request(ASPDN, (1, 2))
    assert made.advance({1: DOWN, 2: DOWN}, 0.0) is None


def test_repeats_are_counted_for_each_request():
    made = pursuit(ACTIVE)
    made.advance({1: DOWN}, 0.0)
    assert made.repeat({1: DOWN}, 2.0)
    assert made.repeat({1: DOWN}, 4.0)
    assert made.repeat({1: DOWN}, 6.0) is None
    assert made.advance({1: INACTIVE}, 6.0) == Request(ASPAC, (1,))
    assert made.repeat({1: INACTIVE}, 8.0)


def test_standing_by_asks_for_no_traffic():
    made = pursuit(ACTIVE)
    made.stand_by((2,))
    states = {1: INACTIVE, 2: INACTIVE}
    assert made.advance(states, 0.0) == Request(ASPAC, (1,))
    assert made.advance({1: ACTIVE, 2: INACTIVE}, 0.0) is None
    made.resume((2,))
    assert made.advance({1: ACTIVE, 2: INACTIVE}, 0.0) == Request(ASPAC, (2,))


def test_given_up_contexts_are_not_asked_for():
    made = pursuit(ACTIVE)
    states = {1: ACTIVE, 2: INACTIVE}
    made.advance(states, 0.0)
    assert made.give_up(states) == (2,)
    assert made.advance(states, 0.0) is None
