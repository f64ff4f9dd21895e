"""The requesting side: which requests it sends, when it repeats them, when it gives up."""

from tsvc.protocols.m3ua.asp import AspRequests, AspState, Request
from tsvc.protocols.m3ua.messages import ASPAC, ASPDN, ASPIA, ASPUP

DOWN, INACTIVE, ACTIVE = AspState


def requests(wanted):
    asking = AspRequests(ack_timeout_s=2.0, ack_attempts=3)
    asking.wanted = wanted
    return asking


def test_nothing_to_ask_when_there():
    asking = requests(ACTIVE)
    assert asking.advance({1: ACTIVE}, 0.0) is None
    assert asking.deadline is None


def test_up_then_active():
    asking = requests(ACTIVE)
    assert asking.advance({1: DOWN, 2: DOWN}, 0.0) == Request(ASPUP, (1, 2))
    assert asking.advance({1: DOWN, 2: DOWN}, 0.5) is None  # open already
    assert asking.advance({1: INACTIVE, 2: INACTIVE}, 1.0) == Request(ASPAC, (1, 2))
    assert asking.deadline == 3.0
    assert asking.advance({1: ACTIVE, 2: INACTIVE}, 1.5) is None
    assert asking.repeat({1: ACTIVE, 2: INACTIVE}, 3.0) == Request(ASPAC, (2,))
    assert asking.advance({1: ACTIVE, 2: ACTIVE}, 3.5) is None
    assert asking.asked is None


def test_inactive_before_down():
    asking = requests(DOWN)
    assert asking.advance({1: INACTIVE, 2: ACTIVE}, 0.0) == Request(ASPIA, (2,))
    assert asking.advance({1: INACTIVE, 2: INACTIVE}, 0.0) == Request(ASPDN, (1, 2))
    assert asking.advance({1: DOWN, 2: DOWN}, 0.0) is None


def test_repeats_are_counted_for_each_request():
    asking = requests(ACTIVE)
    asking.advance({1: DOWN}, 0.0)
    assert asking.repeat({1: DOWN}, 2.0)
    assert asking.repeat({1: DOWN}, 4.0)
    assert asking.repeat({1: DOWN}, 6.0) is None
    assert asking.advance({1: INACTIVE}, 6.0) == Request(ASPAC, (1,))
    assert asking.repeat({1: INACTIVE}, 8.0)


def test_standing_by_asks_for_no_traffic():
    asking = requests(ACTIVE)
    asking.stand_by((2,))
    states = {1: INACTIVE, 2: INACTIVE}
    assert asking.advance(states, 0.0) == Request(ASPAC, (1,))
    assert asking.advance({1: ACTIVE, 2: INACTIVE}, 0.0) is None
    asking.resume((2,))
    assert asking.advance({1: ACTIVE, 2: INACTIVE}, 0.0) == Request(ASPAC, (2,))


def test_given_up_contexts_are_not_asked_for():
    asking = requests(ACTIVE)
    states = {1: ACTIVE, 2: INACTIVE}
    asking.advance(states, 0.0)
    assert asking.give_up(states) == (2,)
    assert asking.advance(states, 0.0) is None
