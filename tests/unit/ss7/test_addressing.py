"""The point code in a message, the destination of an answer, and the SCCP message for it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.m3ua_nodes import connecting, is_up, listening, to

from tsvc.protocols.sccp.address import Address, GlobalTitle, Network, gti_for
from tsvc.protocols.sccp.messages import ExtendedUnitdata, Unitdata, decode
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.routes import Route
from tsvc.ss7.sccp import Sccp, Whole

make = m3ua_nodes.make
OURS = Address(ri=1, ssn=8, pc=1)


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_the_point_code_of_a_connection_is_in_the_calling_address(make, kind):
    scp = make(2, listening(kind=kind))
    port = scp.network.ports()[0]
    tester = make(1, connecting("a", port, kind=kind), connecting("b", port, kind=kind, opc=77))
    until(is_up(tester, 2))

    def send(calling: Address, tid: int) -> Address:
        seen = len(scp.got)
        route = None
        call = m3ua_nodes.Call(tid, route)
        tester.network.transmit(Outgoing(b"x", to(2), calling, route, call))
        until(lambda: len(scp.got) > seen)
        return scp.got[-1][2]

    by_a, by_b = (send(OURS, tid).pc for tid in (0, 1))
    assert sorted((by_a, by_b)) == [1, 77]
    # A point code that the run gives is not changed.
    assert {send(replace(OURS, pc=9), tid).pc for tid in (0, 1)} == {9}
    without = {send(Address(ri=1, ssn=8), tid).pc for tid in (0, 1)}
    assert without == ({1, 77} if kind == "m3ua" else {None})


TITLE = Address(ri=0, ssn=8, gt=GlobalTitle(4, "6421", 0, 1, 4))


@pytest.mark.parametrize(
    ("routes", "reached"),
    [
        ((), "first"),
        ((Route("second", gt_from="64", gt_to="64", is_prefix=True, dpc=2),), "second"),
        ((Route("first", gt_from="64", gt_to="64", is_prefix=True, dpc=2),), "first"),
        ((Route("second", gt_from="65", gt_to="65", is_prefix=True, dpc=2),), "first"),
        # This route has no destination: the point code of the sender is better.
        ((Route("second", gt_from="64", gt_to="64", is_prefix=True),), "first"),
    ],
)
def test_an_answer_to_a_global_title_goes_by_the_routes(make, routes, reached):
    nodes = {name: make(2, listening()) for name in ("first", "second")}
    links = [connecting(name, node.network.ports()[0]) for name, node in nodes.items()]
    tester = make(1, *links, routes=routes)
    until(is_up(tester, 2))
    nodes["first"].network.transmit(Outgoing(b"begin", to(1), TITLE, None, None))
    until(lambda: tester.got)
    _, called, calling, link = tester.got[0]
    assert calling.pc == (2 if reached == "first" and not _leads(routes) else None)
    tester.network.transmit(Outgoing(b"answer", calling, called, link, None))
    until(lambda: nodes[reached].got)
    assert nodes[reached].octets() == [b"answer"]


def _leads(routes: tuple[Route, ...]) -> bool:
    return any(route.is_for_gt(TITLE) and route.dpc is not None for route in routes)


@given(
    st.integers(1, 255),
    st.integers(64, 400),
    st.integers(0, 1),
    st.text("0123456789", max_size=40),
)
def test_no_message_is_longer_than_the_setting(size, most, protocol_class, digits):
    called = Address(ri=0, ssn=146, gt=GlobalTitle(2, digits, tt=0)) if digits else to(2)
    data = bytes(range(size % 256))
    sccp = Sccp(Network.ITU, wants_return=True, protocol_class=protocol_class, max_octets=most)
    sent = sccp.encode(Outgoing(data, called, OURS))
    assert max(map(len, sent)) <= most
    kinds = {type(decode(octets)) for octets in sent}
    is_long = len(Sccp(Network.ITU, wants_return=True).encode(Outgoing(data, called, OURS))[0])
    assert kinds == ({ExtendedUnitdata} if is_long > most else {Unitdata})
    assert kinds == {ExtendedUnitdata} or decode(sent[0]).protocol_class == protocol_class
    receiver = Sccp(Network.ITU, wants_return=True)
    found = [one for octets in sent for one in receiver.decode(octets, 0.0, 7)]
    assert [(one.data, one.called) for one in found if isinstance(one, Whole)] == [(data, called)]


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
def test_class_and_size_of_a_connection(make, kind):
    scp = make(2, listening(kind=kind))
    port = scp.network.ports()[0]
    more = {"kind": kind, "sccp_class": 1, "max_udt_octets": 100}
    tester = make(1, connecting("a", port, **more))
    until(is_up(tester))
    for size in (20, 255):
        tester.send(bytes(size), to(2))
    until(lambda: len(scp.got) == 2)
    assert [len(octets) for octets in scp.octets()] == [20, 255]


@pytest.mark.parametrize(
    ("members", "itu", "ansi"),
    [
        ((4, None, None), 1, None),
        ((None, None, 9), 2, 2),
        ((None, 1, 9), 3, 1),
        ((4, 1, 9), 4, None),
        ((4, 1, None), None, None),
        ((None, 1, None), None, None),
    ],
)
def test_the_formats_of_global_titles(members, itu, ansi):
    for network, indicator in ((Network.ITU, itu), (Network.ANSI, ansi)):
        if indicator is None:
            with pytest.raises(Exception, match=f"no global title format of {network.name}"):
                gti_for(*members, network)
        else:
            assert gti_for(*members, network) == indicator
