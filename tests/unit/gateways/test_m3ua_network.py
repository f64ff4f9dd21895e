"""Networks of links over real TCP in one process: routes, failover, Application Servers."""

from collections.abc import Callable

import gevent
import pytest
from gevent import socket
from gevent.server import StreamServer

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways._base import GatewayState
from tsvc.gateways._links import LinkConfig, NodeConfig
from tsvc.gateways._network import SigtranNetwork
from tsvc.gateways._routes import Route
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.asp import Role
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.messages import decode, encode, message
from tsvc.protocols.m3ua.params import PointCode, TrafficMode, UserCause
from tsvc.protocols.m3ua.routing_keys import RoutingKey
from tsvc.protocols.m3ua.stream import MessageStream
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.tcap.endpoint import Outgoing

HANG_GUARD_S = 20.0


class Node:
    """A network and what it was given."""

    def __init__(self, opc: int, links: list[LinkConfig], **node: object) -> None:
        self.got: list[tuple[bytes, Address, Address, object]] = []
        self.returned: list[tuple[bytes, int]] = []
        self.lost: list[str] = []
        self.network = SigtranNetwork(
            NodeConfig(opc, **node),
            links,
            SYSTEM_CLOCK,
            lambda *message: self.got.append(message),
            lambda octets, cause: self.returned.append((octets, cause)),
            lambda link, reason: self.lost.append(reason),
        )

    def send(self, octets: bytes, called: Address, route: object = None, tid: int = 0) -> "Call":
        call = Call(tid, route)
        calling = Address(ri=1, ssn=8)
        self.network.transmit(Outgoing(octets, called, calling, route, call))
        return call

    def octets(self) -> list[bytes]:
        return [octets for octets, *_ in self.got]


class Call:
    """What a network sees of a dialogue."""

    def __init__(self, tid: int, route: object) -> None:
        self.otid = bytes((0, 0, 0, tid))
        self.route = route


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


def wait(condition: Callable[[], object]) -> None:
    with gevent.Timeout(HANG_GUARD_S):
        while not condition():
            gevent.sleep(0.005)


def listening(name: str = "port", port: int = 0, role: Role = Role.SGP, **more) -> LinkConfig:
    return LinkConfig(name, "listen", role, "127.0.0.1", port, **more)


def connecting(name: str, port: int, role: Role = Role.ASP, **more) -> LinkConfig:
    return LinkConfig(name, "connect", role, "127.0.0.1", port, **more)


def is_up(node: Node, links: int = 1) -> Callable[[], bool]:
    return lambda: node.network.counters["links_active"] == links


def to(pc: int) -> Address:
    return Address(ri=1, ssn=146, pc=pc)


def test_up_and_down(make):
    sgp = make(2, listening())
    (port,) = sgp.network.ports()
    asp = make(1, connecting("link", port))
    assert asp.network.state is GatewayState.CONNECTING
    wait(is_up(asp))
    assert asp.network.state is GatewayState.UP
    call = asp.send(b"hello", to(2))
    wait(lambda: sgp.got)
    octets, called, calling, link = sgp.got[0]
    assert (octets, called.pc, calling.pc) == (b"hello", 2, 1)
    sgp.send(b"back", calling, link)
    wait(lambda: asp.got)
    assert asp.got[0][3] is call.route, "the answer came by the same link"
    asp.network.stop()
    wait(lambda: sgp.lost)
    assert asp.network.state is GatewayState.DOWN


def test_failover_to_the_next_priority_and_back(make):
    main, spare = make(2, listening()), make(2, listening())
    (main_port,), (spare_port,) = main.network.ports(), spare.network.ports()
    asp = make(
        1,
        connecting("main", main_port),
        connecting("spare", spare_port),
        routes=(Route("main", pc=2, priority=1), Route("spare", pc=2, priority=2)),
    )
    wait(is_up(asp, 2))
    first = asp.send(b"1", to(2))
    wait(lambda: main.octets() == [b"1"])
    main.network.kill()
    wait(lambda: asp.lost)
    assert asp.lost[0].startswith("connection main to ")
    with pytest.raises(GatewayError, match="main is not active"):
        asp.send(b"2", to(2), first.route)
    asp.send(b"3", to(2))
    wait(lambda: spare.octets() == [b"3"])
    again = make(2, listening(port=main_port))
    wait(is_up(asp, 2))
    asp.send(b"4", to(2))
    wait(lambda: again.octets() == [b"4"])
    assert spare.octets() == [b"3"]


def test_equal_priorities_share_by_sls(make):
    nodes = [make(2, listening()) for _ in range(2)]
    links = [connecting(str(n), node.network.ports()[0]) for n, node in enumerate(nodes)]
    asp = make(1, *links, routes=(Route("0", pc=2), Route("1", pc=2)))
    wait(is_up(asp, 2))
    for tid in range(8):
        asp.send(bytes((tid,)), to(2), tid=tid)
    wait(lambda: sum(len(node.got) for node in nodes) == 8)
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
    wait(is_up(asp, 2))
    for digits in ("649", "6425"):
        title = GlobalTitle(4, digits, tt=0, np=1, noa=4)
        asp.send(digits.encode(), Address(ri=0, ssn=146, gt=title))
    wait(lambda: nodes[0].got and nodes[1].got)
    assert (nodes[0].got[0][0], nodes[0].got[0][1].ssn) == (b"649", 146)
    called = nodes[1].got[0][1]
    assert (nodes[1].got[0][0], called.ssn, called.ri) == (b"6425", 6, 1)


def machine_of(node: Node):
    ((link,),) = [connection.live for connection in node.network._connections.values()]
    return link


def say(node: Node, status: DestinationStatus, level: int | None = None, cause=None) -> None:
    user = None if cause is None else UserCause(cause, 3)
    about = DestinationInd(status, (PointCode(2),), (), None, level, None, user)
    link = machine_of(node)
    link.machine.send_destination_status(about, SYSTEM_CLOCK.now())
    link.push()


def test_a_destination_that_is_unavailable_by_one_link(make):
    nodes = [make(9, listening()) for _ in range(2)]
    links = [connecting(str(n), node.network.ports()[0]) for n, node in enumerate(nodes)]
    asp = make(1, *links, routes=(Route("0", pc=2), Route("1", pc=2, priority=2)))
    wait(is_up(asp, 2))
    counters = lambda: asp.network.counters  # noqa: E731
    say(nodes[0], DestinationStatus.UNAVAILABLE)
    wait(lambda: counters()["destinations_unavailable"] == 1)
    assert asp.network.texts() == ["0: point code 2: unavailable"]
    asp.send(b"1", to(2))
    wait(lambda: nodes[1].octets() == [b"1"])
    say(nodes[1], DestinationStatus.USER_PART_UNAVAILABLE, cause=2)
    wait(lambda: counters()["told_user_part_unavailable"] == 1)
    with pytest.raises(GatewayError, match=r"inaccessible remote user"):
        asp.send(b"2", to(2))
    say(nodes[0], DestinationStatus.AVAILABLE)
    wait(lambda: counters()["told_available"] == 1)
    asp.send(b"3", to(2))
    wait(lambda: nodes[0].octets() == [b"3"])
    say(nodes[0], DestinationStatus.CONGESTED, level=3)
    wait(lambda: counters()["congestion_level"] == 3)
    assert "congested, level 3" in asp.network.texts()[0]


def test_an_audit_brings_a_destination_back(make):
    sgp = make(2, listening())
    asp = make(1, connecting("link", sgp.network.ports()[0]), audit_s=0.1)
    wait(is_up(asp))
    say(sgp, DestinationStatus.UNAVAILABLE)
    wait(lambda: asp.network.counters["told_unavailable"] == 1)
    # The SGP is point code 2 itself: it answers DAUD with DAVA.
    wait(lambda: asp.network.counters["told_available"] == 1)
    asp.send(b"1", to(2))
    wait(lambda: sgp.octets() == [b"1"])


def test_an_audit_of_what_the_sgp_does_not_know(make):
    sgp = make(9, listening())
    asp = make(1, connecting("link", sgp.network.ports()[0]), audit_s=0.1)
    wait(is_up(asp))
    say(sgp, DestinationStatus.UNAVAILABLE)
    wait(lambda: asp.network.counters["errors_received"] > 0)
    assert asp.network.counters["told_available"] == 0


def test_messages_wait_for_an_application_server(make):
    sgp = make(2, listening(recovery_s=10.0, traffic_mode=TrafficMode.LOADSHARE))
    (port,) = sgp.network.ports()
    with pytest.raises(GatewayError):
        sgp.send(b"early", to(1))
    asp = make(1, connecting("link", port))
    wait(is_up(sgp))
    asp.network.kill()
    wait(lambda: sgp.lost)
    sgp.send(b"1", to(1))
    sgp.send(b"2", to(1))
    assert sgp.network.counters["pending"] == 2
    asp = make(1, connecting("link", port))
    wait(lambda: asp.octets() == [b"1", b"2"])
    assert sgp.network.counters["pending"] == 0


def test_messages_that_waited_in_vain_come_back(make):
    sgp = make(2, listening(recovery_s=0.2))
    asp = make(1, connecting("link", sgp.network.ports()[0]))
    wait(is_up(sgp))
    asp.network.kill()
    wait(lambda: sgp.lost)
    long = bytes(600)
    sgp.send(b"short", to(1))
    sgp.send(long, to(1))
    wait(lambda: len(sgp.returned) == 2)
    assert [octets for octets, _ in sgp.returned] == [b"short", long]
    with pytest.raises(GatewayError):
        sgp.send(b"late", to(1))


def test_override_moves_calls_to_the_asp_that_took_over(make):
    options = {"routing_contexts": (7,), "traffic_mode": TrafficMode.OVERRIDE}
    sgp = make(2, listening(**options))
    (port,) = sgp.network.ports()
    first = make(1, connecting("first", port, **options))
    wait(is_up(sgp))
    call = sgp.send(b"1", to(1))
    wait(lambda: first.octets() == [b"1"])
    second = make(1, connecting("second", port, **options))
    wait(is_up(second))
    wait(lambda: is_up(sgp)() and is_up(first, 0)())
    sgp.send(b"2", to(1), call.route)
    wait(lambda: second.octets() == [b"2"])
    second.network.kill()
    wait(is_up(first))
    wait(is_up(sgp))
    sgp.send(b"3", to(1))
    wait(lambda: first.octets() == [b"1", b"3"])


def test_broadcast_reaches_every_asp(make):
    options = {"routing_contexts": (7,), "traffic_mode": TrafficMode.BROADCAST}
    sgp = make(2, listening(**options))
    asps = [make(1, connecting("link", sgp.network.ports()[0], **options)) for _ in range(2)]
    wait(is_up(sgp, 2))
    sgp.send(b"all", to(1))
    wait(lambda: [asp.octets() for asp in asps] == [[b"all"], [b"all"]])


def test_registered_keys_choose_the_application_server(make):
    sgp = make(2, listening(may_register=True))
    (port,) = sgp.network.ports()
    asps = [
        make(pc, connecting("link", port, routing_keys=(RoutingKey(PointCode(pc), (3,)),)))
        for pc in (11, 12)
    ]
    wait(is_up(sgp, 2))
    sgp.send(b"a", to(12))
    sgp.send(b"b", to(11))
    wait(lambda: [asp.octets() for asp in asps] == [[b"b"], [b"a"]])
    with pytest.raises(GatewayError):
        sgp.send(b"c", to(13))


def test_a_connection_with_a_point_code_and_network_of_its_own(make):
    sgp = make(2, listening(opc=66000, network=Network.ANSI, network_indicator=3))
    asp = make(1, connecting("link", sgp.network.ports()[0], opc=65001, network=Network.ANSI))
    wait(is_up(asp))
    asp.send(b"there", to(66000))
    wait(lambda: sgp.got)
    _, called, calling, link = sgp.got[0]
    assert (called.pc, calling.pc) == (66000, 65001)
    sgp.send(b"back", calling, link)
    wait(lambda: asp.got)
    assert asp.got[0][2].pc == 66000


def test_several_routing_contexts_and_double_exchange(make):
    options = {"routing_contexts": (7, 8), "is_double_exchange": True}
    one = make(1, listening(role=Role.IPSP, **options))
    other = make(2, connecting("link", one.network.ports()[0], role=Role.IPSP, **options))
    wait(lambda: is_up(one)() and is_up(other)())
    other.send(b"there", to(1))
    one.send(b"back", to(2))
    wait(lambda: one.octets() == [b"there"] and other.octets() == [b"back"])


def read_messages(connection: socket.socket, stream: MessageStream) -> list[messages.Message]:
    found = []
    octets = connection.recv(65536)
    stream.feed(octets)
    while (whole := stream.next_message()) is not None:
        found.append(decode(whole))
    return found


ACKS = {
    messages.ASPUP: messages.ASPUP_ACK,
    messages.ASPAC: messages.ASPAC_ACK,
    messages.ASPIA: messages.ASPIA_ACK,
    messages.ASPDN: messages.ASPDN_ACK,
}


def _serve(connection: socket.socket, seen: list[str], answers: bool) -> None:
    """An SGP of few words: it acknowledges, BEAT only if `answers`."""
    stream = MessageStream()
    while found := read_messages(connection, stream):
        for item in found:
            seen.append(item.name)
            if item.id in ACKS:
                connection.sendall(encode(message(ACKS[item.id])))
            elif item.id == messages.BEAT and answers:
                data = params.HEARTBEAT_DATA.of(item.get(params.HEARTBEAT_DATA))
                connection.sendall(encode(message(messages.BEAT_ACK, data)))


@pytest.fixture
def by_hand():
    started: list[StreamServer] = []

    def start(*, answers: bool) -> tuple[int, list[str]]:
        seen: list[str] = []
        server = StreamServer(("127.0.0.1", 0), lambda sock, _: _serve(sock, seen, answers))
        server.start()
        started.append(server)
        return server.server_port, seen

    yield start
    for server in started:
        server.stop(0)


def test_a_peer_without_beats_is_left_and_tried_again(make, by_hand):
    port, seen = by_hand(answers=False)
    asp = make(1, connecting("link", port, heartbeat_s=0.1))
    wait(lambda: asp.lost)
    assert "BEAT is not acknowledged" in asp.lost[0]
    wait(lambda: asp.network.counters["connects"] > 1)
    assert seen[:3] == ["ASPUP", "ASPAC", "BEAT"]


def test_beats_keep_a_link(make, by_hand):
    port, seen = by_hand(answers=True)
    asp = make(1, connecting("link", port, heartbeat_s=0.05))
    wait(lambda: seen.count("BEAT") > 5)
    assert asp.lost == []


def test_the_management_takes_an_asp_out_before_it_closes(make, by_hand):
    port, seen = by_hand(answers=True)
    asp = make(1, connecting("link", port))
    wait(is_up(asp))
    asp.network.stop()
    assert seen == ["ASPUP", "ASPAC", "ASPIA", "ASPDN"]


def test_a_name_that_can_be_none_is_said_and_tried_again(make):
    node = make(1, LinkConfig("L", "connect", Role.ASP, "a..b", 2905))
    wait(lambda: "L" in node.network.problems)
    assert node.network.problems["L"].startswith("a..b:2905: ")
    assert not any(one.dead for one in node.network._greenlets)
