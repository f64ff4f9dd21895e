"""Reports of peers about destinations: which hold, replace others, or are requested again."""

from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.params import PointCode, UserCause
from tsvc.ss7.destinations import USUAL, Destinations, Reach

AVAILABLE, UNAVAILABLE, AUDIT, CONGESTED, USER_PART, RESTRICTED = (
    DestinationStatus.AVAILABLE,
    DestinationStatus.UNAVAILABLE,
    DestinationStatus.AUDIT,
    DestinationStatus.CONGESTED,
    DestinationStatus.USER_PART_UNAVAILABLE,
    DestinationStatus.RESTRICTED,
)


def said(status, *codes, level=None, cause=None, user=3):
    point_codes = tuple(code if isinstance(code, PointCode) else PointCode(code) for code in codes)
    user_cause = None if cause is None else UserCause(cause, user)
    return DestinationInd(status, point_codes, (), None, level, None, user_cause)


def test_nothing_said():
    assert Destinations(30.0).of("a", 2) is USUAL


def test_each_connection_for_itself():
    destinations = Destinations(30.0)
    destinations.note("a", said(UNAVAILABLE, 2), 0.0)
    assert not destinations.of("a", 2).can_take
    assert destinations.of("b", 2) is USUAL
    assert destinations.of("a", 3) is USUAL
    destinations.note("a", said(AVAILABLE, 2), 1.0)
    assert destinations.of("a", 2) is USUAL
    assert destinations.counters["unavailable"] == 1
    assert destinations.counters["available"] == 1


def test_a_range_and_a_part_of_it():
    destinations = Destinations(30.0)
    destinations.note("a", said(UNAVAILABLE, PointCode(8, 3)), 0.0)
    assert [destinations.of("a", pc).reach for pc in (7, 8, 15, 16)] == [
        Reach.AVAILABLE,
        Reach.UNAVAILABLE,
        Reach.UNAVAILABLE,
        Reach.AVAILABLE,
    ]
    destinations.note("a", said(AVAILABLE, 9), 1.0)
    assert destinations.of("a", 9).can_take
    assert not destinations.of("a", 8).can_take
    destinations.note("a", said(RESTRICTED, PointCode(8, 3)), 2.0)
    assert destinations.of("a", 9).reach is Reach.RESTRICTED, "the later word holds"
    destinations.note("a", said(AVAILABLE, PointCode(8, 3)), 3.0)
    assert destinations.of("a", 9) is USUAL
    assert destinations.texts() == []


def test_congestion_is_shown_and_ends():
    destinations = Destinations(30.0)
    destinations.note("a", said(CONGESTED, 2, level=2), 0.0)
    assert destinations.of("a", 2).can_take
    assert destinations.gauges()["congestion_level"] == 2
    assert destinations.texts() == ["a: point code 2: congested, level 2"]
    destinations.note("a", said(CONGESTED, 2, level=0), 1.0)
    assert destinations.gauges()["congestion_level"] == 0
    destinations.note("a", said(CONGESTED, 2), 1.0)
    assert destinations.of("a", 2).congestion_level == 1, "a network without levels"
    destinations.note("a", said(UNAVAILABLE, 2), 2.0)
    assert destinations.of("a", 2).congestion_level == 1
    assert destinations.gauges() == {
        "destinations_unavailable": 1,
        "destinations_restricted": 0,
        "congestion_level": 1,
    }


def test_sccp_is_unavailable_until_heard_from():
    destinations = Destinations(30.0)
    destinations.note("a", said(USER_PART, 2, cause=1, user=5), 0.0)
    assert destinations.of("a", 2).can_take, "ISUP is none of ours"
    destinations.note("a", said(USER_PART, 2, cause=1), 0.0)
    assert not destinations.of("a", 2).can_take
    assert "unequipped" in destinations.of("a", 2).text(2)
    destinations.heard_from("a", 3)
    assert not destinations.of("a", 2).can_take
    destinations.heard_from("a", 2)
    assert destinations.of("a", 2) is USUAL


def test_an_audit_is_due_again_and_again():
    destinations = Destinations(30.0)
    assert destinations.next_audit() is None
    destinations.note("a", said(UNAVAILABLE, 2), 0.0)
    destinations.note("a", said(RESTRICTED, 3), 1.0)
    destinations.note("b", said(CONGESTED, 2, level=1), 5.0)
    assert destinations.next_audit() == 30.0
    assert destinations.take_audits(29.9) == {}
    assert destinations.take_audits(31.0) == {"a": (PointCode(2), PointCode(3))}
    assert destinations.next_audit() == 35.0
    assert destinations.take_audits(61.0) == {
        "a": (PointCode(2), PointCode(3)),
        "b": (PointCode(2),),
    }
    assert not destinations.of("a", 2).can_take, "a question changes nothing"


def test_a_user_part_is_tried_again_instead():
    destinations = Destinations(30.0)
    destinations.note("a", said(USER_PART, 2, cause=1), 0.0)
    assert destinations.take_audits(30.0) == {}
    assert destinations.of("a", 2) is USUAL


def test_what_a_lost_peer_said_is_forgotten():
    destinations = Destinations(30.0)
    destinations.note("a", said(UNAVAILABLE, 2), 0.0)
    destinations.forget("a")
    assert destinations.of("a", 2) is USUAL


def test_what_others_may_be_told():
    destinations = Destinations(30.0)
    assert destinations.best(2, except_by="a") is None
    destinations.note("b", said(UNAVAILABLE, 2), 0.0)
    destinations.note("c", said(RESTRICTED, 2), 0.0)
    assert destinations.best(2, except_by="a").reach is Reach.RESTRICTED, "by the better way"
    assert destinations.best(2, except_by="c").reach is Reach.UNAVAILABLE
    assert destinations.best(3, except_by="a") is None


def test_a_question_changes_nothing():
    destinations = Destinations(30.0)
    destinations.note("a", said(AUDIT, 2), 0.0)
    assert destinations.of("a", 2) is USUAL
    assert sum(destinations.counters.values()) == 0
