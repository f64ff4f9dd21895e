"""SUA links over real TCP in one process: user data, segments, returns, Application Servers."""

import pytest
from support.clock import FakeClock
from support.waiting import GUARD_S, until

from tsvc.clock import SYSTEM_CLOCK, Clock
from tsvc.errors import GatewayError
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.params import PointCode, TrafficMode
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sua.association import SubsystemInd, transfer_of
from tsvc.protocols.sua.connectionless import DataResponse, DataTransfer
from tsvc.protocols.sua.params import ProtocolClass, SccpCause, Segmentation
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.links import LinkConfig, NodeConfig
from tsvc.ss7.network import SigtranNetwork
from tsvc.ss7.routes import Route

TITLE = GlobalTitle(4, "15550100", 0, 1, 4)
OURS = Address(ri=1, ssn=8, pc=1)
RETURN = ProtocolClass(1, return_on_error=True)


class Node:
    """A network, and the messages that it has received."""

    def __init__(
        self, opc: int, links: list[LinkConfig], clock: Clock = SYSTEM_CLOCK, **node: object
    ) -> None:
        self.got: list[tuple[bytes, Address, Address, object]] = []
        self.returned: list[tuple[bytes, int]] = []
        self.network = SigtranNetwork(
            NodeConfig(opc, **node),
            links,
            clock,
            lambda *message: self.got.append(message),
            lambda octets, cause, *_: self.returned.append((octets, cause)),
            lambda link, reason: None,
        )

    def send(self, octets: bytes, called: Address, calling: Address = OURS) -> None:
        self.network.transmit(Outgoing(octets, called, calling))

    def octets(self) -> list[bytes]:
        return [octets for octets, *_ in self.got]

    def count(self, name: str) -> int:
        return self.network.counters.get(name, 0)

    def is_active(self, links: int = 1) -> bool:
        return self.count("links_active") == links


@pytest.fixture
def make():
    made: list[Node] = []

    def make(opc: int, *links: LinkConfig, **node: object) -> Node:
        made.append(Node(opc, list(links), **node))
        made[-1].network.start()
        return made[-1]

    yield make
    for node in made:
        node.network.kill()


@pytest.fixture
def pair(make) -> tuple[Node, Node]:
    """An ASP, and the SGP at which it is active; both are networks."""
    return connect(make)


def connect(make, listen=None, **both) -> tuple[Node, Node]:
    node = {"network": both.pop("node_network", Network.ITU)}
    sgp = make(2, listening(**(listen or {}), **both), **node)
    asp = make(1, connecting("link", *sgp.network.ports(), **both), **node)
    until(lambda: asp.is_active() and sgp.is_active())
    return asp, sgp


def listening(role: Role = Role.SGP, **more) -> LinkConfig:
    return LinkConfig("port", "listen", role, "127.0.0.1", 0, kind="sua", **more)


def connecting(name: str, port: int, role: Role = Role.ASP, **more) -> LinkConfig:
    return LinkConfig(name, "connect", role, "127.0.0.1", port, kind="sua", **more)


def link_of(node: Node):
    (connection,) = node.network._connections.values()
    return connection.live[0]


def put(node: Node, *messages) -> None:
    """Send CLDT or CLDR unchanged."""
    link = link_of(node)
    for message in messages:
        link.machine.transfer(None, transfer_of(message))
    link.push()


def test_a_global_title_alone_is_enough(pair):
    asp, sgp = pair
    asp.send(b"hello", Address(ri=0, gt=TITLE), Address(ri=0, ssn=8, gt=TITLE))
    until(lambda: sgp.got)
    octets, called, calling, link = sgp.got[0]
    assert octets == b"hello"
    assert called == Address(ri=0, gt=TITLE)
    assert calling == Address(ri=0, ssn=8, gt=TITLE)
    sgp.network.transmit(Outgoing(b"back", calling, called, link))
    until(lambda: asp.got)
    assert asp.got[0][:2] == (b"back", calling)


def test_a_route_may_say_the_point_code(make):
    sgp = make(2, listening())
    route = Route("link", gt_from="1555", gt_to="1555", dpc=77)
    asp = make(1, connecting("link", *sgp.network.ports()), routes=(route,))
    until(asp.is_active)
    asp.send(b"hello", Address(ri=0, ssn=6, gt=TITLE))
    until(lambda: sgp.got)
    assert sgp.got[0][1] == Address(ri=0, ssn=6, pc=77, gt=TITLE)


def test_ansi_point_codes_and_titles(make):
    asp, sgp = connect(make, node_network=Network.ANSI)
    called = Address(ri=0, ssn=6, pc=0x010203, gt=GlobalTitle(1, "15550", tt=9, np=1))
    asp.send(b"hello", called)
    until(lambda: sgp.got)
    assert sgp.got[0][1] == called


def test_a_message_of_any_length_goes_in_one_piece(pair):
    asp, sgp = pair
    asp.send(bytes(20_000), OURS)
    until(lambda: sgp.got)
    assert sgp.octets() == [bytes(20_000)]


def segments(*pieces: bytes, protocol_class=RETURN):
    last = len(pieces) - 1
    return [
        DataTransfer(
            OURS,
            Address(ri=1, ssn=6, pc=2),
            piece,
            protocol_class,
            segmentation=Segmentation(index == 0, last - index, 99),
        )
        for index, piece in enumerate(pieces)
    ]


def test_segments_are_put_together(pair):
    asp, sgp = pair
    put(asp, *segments(b"one ", b"two ", b"three"))
    until(lambda: sgp.got)
    assert sgp.got[0][:3] == (b"one two three", Address(ri=1, ssn=6, pc=2), OURS)


def test_segments_that_make_no_message_come_back_if_that_was_asked_for(pair):
    asp, sgp = pair
    put(asp, *segments(b"a", b"b", protocol_class=ProtocolClass(1))[1:])
    put(asp, *segments(b"one", b"two", b"three")[::2])
    until(lambda: asp.returned)
    assert asp.returned == [(b"one", 14)]
    assert sgp.got == []


def test_what_comes_back_is_told_with_its_cause(pair):
    asp, sgp = pair
    here = Address(ri=1, ssn=8, pc=1)
    put(sgp, DataResponse(here, here, SccpCause(1, 4), b"ours"))
    until(lambda: asp.returned)
    assert asp.returned == [(b"ours", 4)]
    put(sgp, DataResponse(here, here, SccpCause(1, 4)), DataResponse(here, here, SccpCause(2, 4)))
    until(lambda: asp.count("unreadable") == 2)
    # Without data the receiver may find the dialogue by the addresses; here it has no dialogue.
    assert asp.returned[1:] == [(b"", 4), (b"", 7)]


def say(node: Node, status: DestinationStatus, **subsystem) -> None:
    kind = SubsystemInd if subsystem else DestinationInd
    said = kind(status, (PointCode(2),), (), None, None, None, None, **subsystem)
    link = link_of(node)
    link.machine.send_destination_status(said, 0.0)
    link.push()


def test_a_destination_out_of_reach_is_one_here_too(pair):
    asp, sgp = pair
    say(sgp, DestinationStatus.UNAVAILABLE)
    until(lambda: asp.count("told_unavailable"))
    with pytest.raises(GatewayError, match="point code 2: unavailable"):
        asp.send(b"x", Address(ri=1, ssn=6, pc=2))
    asp.send(b"y", Address(ri=1, ssn=6, pc=3))
    say(sgp, DestinationStatus.AVAILABLE)
    until(lambda: asp.count("told_available"))
    asp.send(b"z", Address(ri=1, ssn=6, pc=2))
    until(lambda: sgp.octets() == [b"y", b"z"])


def test_a_subsystem_out_of_service_leaves_its_node_in_reach(pair):
    asp, sgp = pair
    say(sgp, DestinationStatus.UNAVAILABLE, ssn=146, smi=0)
    until(lambda: asp.count("told_subsystem"))
    asp.send(b"x", Address(ri=1, ssn=6, pc=2))
    until(lambda: sgp.got)


def test_all_of_the_application_server_get_what_is_broadcast(make):
    mode = {"traffic_mode": TrafficMode.BROADCAST, "routing_contexts": (7,)}
    sgp = make(2, listening(**mode))
    asps = [make(1, connecting("link", *sgp.network.ports(), **mode)) for _ in range(2)]
    until(lambda: sgp.is_active(2))
    sgp.send(b"for all", OURS)
    until(lambda: all(asp.octets() == [b"for all"] for asp in asps))


def test_what_is_kept_for_an_application_server_arrives_when_it_recovers(make):
    sgp = make(2, listening(routing_contexts=(7,), recovery_s=GUARD_S))
    first = make(1, connecting("link", *sgp.network.ports(), routing_contexts=(7,)))
    until(first.is_active)
    until(sgp.is_active)
    first.network.stop()
    until(lambda: sgp.is_active(0))
    sgp.send(b"kept", OURS)
    assert sgp.count("pending") == 1
    second = make(1, connecting("link", *sgp.network.ports(), routing_contexts=(7,)))
    until(lambda: second.octets() == [b"kept"])


def test_what_is_kept_in_vain_comes_back(make):
    clock = FakeClock()
    sgp = make(2, listening(routing_contexts=(7,), recovery_s=0.2), clock=clock)
    asp = make(1, connecting("link", *sgp.network.ports(), routing_contexts=(7,)))
    until(lambda: asp.is_active() and sgp.is_active())
    asp.network.stop()
    until(lambda: sgp.is_active(0))
    sgp.send(b"kept", OURS)
    assert sgp.returned == []
    clock.advance(0.2)
    until(lambda: sgp.returned)
    assert sgp.returned == [(b"kept", 5)]


def test_an_asp_may_register_its_routing_key(make):
    sgp = make(2, listening(may_register=True))
    key = RoutingKey(PointCode(1))
    asp = make(1, connecting("link", *sgp.network.ports(), routing_keys=(key,)))
    until(lambda: asp.is_active() and sgp.is_active())
    asp.send(b"to", OURS)
    until(lambda: sgp.octets() == [b"to"])
    sgp.send(b"fro", OURS)
    until(lambda: asp.octets() == [b"fro"])
