"""Routes: the route of a called address, the changed address, failover and sharing."""

import pytest
from unit.ss7.route_table import ROUTES, by_gt, by_pc, prefix

from tsvc.protocols.sccp.address import GlobalTitle
from tsvc.ss7.destinations import USUAL, Destination, Reach
from tsvc.ss7.routes import Hop, Route, Routes, choose


@pytest.mark.parametrize(
    ("called", "connection"),
    [
        (by_pc(2), "exact"),
        (by_pc(7), "range"),
        (by_pc(8), "whole net"),
        (by_gt("1555"), "all numbers"),
        (by_gt("649"), "country"),
        (by_gt("64219"), "city"),
        (by_gt("642155"), "block"),
        (by_gt("642160"), "city"),
        (by_gt("6421"), "city"),
        (by_gt("64"), "country"),
        (by_gt("1555", pc=2), "all numbers"),
        (by_pc(2, gt=GlobalTitle(4, "6421", tt=0, np=1, noa=4)), "exact"),
    ],
)
def test_the_most_specific_route(called, connection):
    hops = Routes(ROUTES, ["other"]).hops(called)
    assert hops[0].connection == connection


def test_a_title_without_a_route_goes_by_its_point_code():
    hops = Routes([Route("a", pc=2)], ["a", "b"]).hops(by_gt("64", pc=2))
    assert [hop.connection for hop in hops] == ["a"]


def test_what_no_route_matches_may_go_anywhere():
    hops = Routes([Route("a", pc=2)], ["a", "b"]).hops(by_pc(3))
    assert [(hop.connection, hop.dpc) for hop in hops] == [("a", 3), ("b", 3)]


def test_translation_type_is_asked_for():
    routes = Routes([prefix("tt 9", "64", tt=9)], ["other"])
    assert routes.hops(by_gt("64", tt=9))[0].connection == "tt 9"
    assert routes.hops(by_gt("64", tt=0))[0].connection == "other"


def test_a_prefix_is_replaced():
    route = prefix("a", "6421", dpc=5, ssn=8, gt_digits="1", is_on_ssn=True)
    (hop,) = Routes([route], []).hops(by_gt("64219876"))
    assert hop.dpc == 5
    assert (hop.called.gt.digits, hop.called.ssn, hop.called.ri) == ("19876", 8, 1)
    assert hop.called.pc is None, "an address without a point code gets none"


def test_a_range_becomes_one_number():
    route = Route("a", gt_from="642150", gt_to="642159", gt_digits="15550000")
    (hop,) = Routes([route], []).hops(by_gt("6421551234"))
    assert hop.called.gt.digits == "15550000"


def test_the_point_code_in_the_address_is_the_new_one():
    (hop,) = Routes([Route("a", pc=2, dpc=9)], []).hops(by_pc(2))
    assert (hop.dpc, hop.called.pc) == (9, 9)


A1, B1, C2 = (
    Hop("a", 2, by_pc(2), priority=1),
    Hop("b", 2, by_pc(2), priority=1),
    Hop("c", 2, by_pc(2), priority=2),
)
RESTRICTED = Destination(Reach.RESTRICTED)
UNAVAILABLE = Destination(Reach.UNAVAILABLE)
NO_SCCP = Destination(user_cause=1)


@pytest.mark.parametrize(
    ("states", "chosen"),
    [
        ({"a": USUAL, "b": USUAL, "c": USUAL}, ["a", "b", "a", "b"]),
        ({"a": None, "b": USUAL, "c": USUAL}, ["b", "b", "b", "b"]),
        ({"a": None, "b": None, "c": USUAL}, ["c", "c", "c", "c"]),
        ({"a": UNAVAILABLE, "b": USUAL, "c": USUAL}, ["b", "b", "b", "b"]),
        ({"a": NO_SCCP, "b": UNAVAILABLE, "c": USUAL}, ["c", "c", "c", "c"]),
        ({"a": RESTRICTED, "b": USUAL, "c": USUAL}, ["b", "b", "b", "b"]),
        ({"a": RESTRICTED, "b": RESTRICTED, "c": USUAL}, ["c", "c", "c", "c"]),
        ({"a": RESTRICTED, "b": RESTRICTED, "c": None}, ["a", "b", "a", "b"]),
        ({"a": Destination(congestion_level=3), "b": USUAL, "c": USUAL}, ["a", "b", "a", "b"]),
    ],
)
def test_choice(states, chosen):
    found = [choose((A1, B1, C2), sls, lambda hop: states[hop.connection]) for sls in range(4)]
    assert [hop.connection for hop in found] == chosen


def test_no_choice():
    assert choose((A1, B1), 0, lambda hop: None) is None
    assert choose((), 0, lambda hop: USUAL) is None
