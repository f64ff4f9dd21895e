"""Networks of links over real TCP in one process: routes, failover, destinations."""

import pytest
from support.ports import free_port
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.m3ua_nodes import Node, connecting, is_up, link_of, listening, to

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GatewayState
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.params import PointCode, UserCause
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.ss7.links import LinkConfig
from tsvc.ss7.routes import Route

make = m3ua_nodes.make


def test_up_and_down(make):
    sgp = make(2, listening())
    (port,) = sgp.network.ports()
    asp = make(1, connecting("link", port))
    assert asp.network.state is GatewayState.CONNECTING
    until(is_up(asp))
    assert asp.network.state is GatewayState.UP
    call = asp.send(b"hello", to(2))
    until(lambda: sgp.got)
    octets, called, calling, link = sgp.got[0]
    assert (octets, called.pc, calling.pc) == (b"hello", 2, 1)
    sgp.send(b"back", calling, link)
    until(lambda: asp.got)
    assert asp.got[0][3] is call.route, "the answer came by the same link"
    asp.network.stop()
    until(lambda: sgp.lost)
    assert asp.network.state is GatewayState.DOWN


def test_failover_to_the_next_priority_and_back(make):
    main, spare = make(2, listening(port=free_port())), make(2, listening())
    (main_port,), (spare_port,) = main.network.ports(), spare.network.ports()
    asp = make(
        1,
        connecting("main", main_port),
        connecting("spare", spare_port),
        routes=(Route("main", pc=2, priority=1), Route("spare", pc=2, priority=2)),
    )
    until(is_up(asp, 2))
    first = asp.send(b"1", to(2))
    until(lambda: main.octets() == [b"1"])
    main.network.kill()
    until(lambda: asp.lost)
    assert asp.lost[0].startswith("connection main to ")
    with pytest.raises(GatewayError, match="main is not active"):
        asp.send(b"2", to(2), first.route)
    asp.send(b"3", to(2))
    until(lambda: spare.octets() == [b"3"])
    again = make(2, listening(port=main_port))
    until(is_up(asp, 2))
    asp.send(b"4", to(2))
    until(lambda: again.octets() == [b"4"])
    assert spare.octets() == [b"3"]


def test_equal_priorities_share_by_sls(make):
    nodes = [make(2, listening()) for _ in range(2)]
    links = [connecting(str(n), node.network.ports()[0]) for n, node in enumerate(nodes)]
    asp = make(1, *links, routes=(Route("0", pc=2), Route("1", pc=2)))
    until(is_up(asp, 2))
    for tid in range(8):
        asp.send(bytes((tid,)), to(2), tid=tid)
    until(lambda: sum(len(node.got) for node in nodes) == 8)
    assert [node.octets() for node in nodes] == [
        [b"\0", b"\2", b"\4", b"\6"],
        [b"\1", b"\3", b"\5", b"\7"],
    ]


def test_global_title_translation(make):
    nodes = [make(2, listening()), make(3, listening())]
    links = [connecting(str(n), node.network.ports()[0]) for n, node in enumerate(nodes)]
    routes = (
        Route("0", gt_from="64", gt_to="64", is_prefix=True, dpc=2),
        Route("1", gt_from="6421", gt_to="6429", dpc=3, ssn=6, is_on_ssn=True),
    )
    asp = make(1, *links, routes=routes)
    until(is_up(asp, 2))
    for digits in ("649", "6425"):
        title = GlobalTitle(4, digits, tt=0, np=1, noa=4)
        asp.send(digits.encode(), Address(ri=0, ssn=146, gt=title))
    until(lambda: nodes[0].got and nodes[1].got)
    assert (nodes[0].got[0][0], nodes[0].got[0][1].ssn) == (b"649", 146)
    called = nodes[1].got[0][1]
    assert (nodes[1].got[0][0], called.ssn, called.ri) == (b"6425", 6, 1)


def say(node: Node, status: DestinationStatus, level: int | None = None, cause=None) -> None:
    user = None if cause is None else UserCause(cause, 3)
    about = DestinationInd(status, (PointCode(2),), (), None, level, None, user)
    link = link_of(node)
    link.machine.send_destination_status(about, SYSTEM_CLOCK.now())
    link.push()


def test_a_destination_that_is_unavailable_by_one_link(make):
    nodes = [make(9, listening()) for _ in range(2)]
    links = [connecting(str(n), node.network.ports()[0]) for n, node in enumerate(nodes)]
    asp = make(1, *links, routes=(Route("0", pc=2), Route("1", pc=2, priority=2)))
    until(is_up(asp, 2))
    counters = lambda: asp.network.counters  # noqa: E731
    say(nodes[0], DestinationStatus.UNAVAILABLE)
    until(lambda: counters()["destinations_unavailable"] == 1)
    assert asp.network.texts() == ["0: point code 2: unavailable"]
    asp.send(b"1", to(2))
    until(lambda: nodes[1].octets() == [b"1"])
    say(nodes[1], DestinationStatus.USER_PART_UNAVAILABLE, cause=2)
    until(lambda: counters()["told_user_part_unavailable"] == 1)
    with pytest.raises(GatewayError, match=r"inaccessible remote user"):
        asp.send(b"2", to(2))
    say(nodes[0], DestinationStatus.AVAILABLE)
    until(lambda: counters()["told_available"] == 1)
    asp.send(b"3", to(2))
    until(lambda: nodes[0].octets() == [b"3"])
    say(nodes[0], DestinationStatus.CONGESTED, level=3)
    until(lambda: counters()["congestion_level"] == 3)
    assert "congested, level 3" in asp.network.texts()[0]


def test_an_audit_brings_a_destination_back(make):
    sgp = make(2, listening())
    asp = make(1, connecting("link", sgp.network.ports()[0]), audit_s=0.1)
    until(is_up(asp))
    say(sgp, DestinationStatus.UNAVAILABLE)
    until(lambda: asp.network.counters["told_unavailable"] == 1)
    # The SGP is point code 2 itself: it answers DAUD with DAVA.
    until(lambda: asp.network.counters["told_available"] == 1)
    asp.send(b"1", to(2))
    until(lambda: sgp.octets() == [b"1"])


def test_an_audit_of_what_the_sgp_does_not_know(make):
    sgp = make(9, listening())
    asp = make(1, connecting("link", sgp.network.ports()[0]), audit_s=0.1)
    until(is_up(asp))
    say(sgp, DestinationStatus.UNAVAILABLE)
    until(lambda: asp.network.counters["errors_received"] > 0)
    assert asp.network.counters["told_available"] == 0


def test_a_connection_with_a_point_code_and_network_of_its_own(make):
    sgp = make(2, listening(opc=66000, network=Network.ANSI, network_indicator=3))
    asp = make(1, connecting("link", sgp.network.ports()[0], opc=65001, network=Network.ANSI))
    until(is_up(asp))
    asp.send(b"there", to(66000))
    until(lambda: sgp.got)
    _, called, calling, link = sgp.got[0]
    assert (called.pc, calling.pc) == (66000, 65001)
    sgp.send(b"back", calling, link)
    until(lambda: asp.got)
    assert asp.got[0][2].pc == 66000


def test_several_routing_contexts_and_double_exchange(make):
    options = {"routing_contexts": (7, 8), "is_double_exchange": True}
    one = make(1, listening(role=Role.IPSP, **options))
    other = make(2, connecting("link", one.network.ports()[0], role=Role.IPSP, **options))
    until(lambda: is_up(one)() and is_up(other)())
    other.send(b"there", to(1))
    one.send(b"back", to(2))
    until(lambda: one.octets() == [b"there"] and other.octets() == [b"back"])


def test_a_name_that_can_be_none_is_said_and_tried_again(make):
    node = make(1, LinkConfig("L", "connect", Role.ASP, "a..b", 2905))
    until(node.network.texts)
    assert node.network.texts()[0].startswith("L: a..b:2905: ")
    assert not any(one.dead for one in node.network._greenlets)
