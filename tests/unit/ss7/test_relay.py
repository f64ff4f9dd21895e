"""Nodes that share one association through a relay, over real sockets in one process."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from marshmallow import ValidationError
from support.ports import free_port
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.by_hand import Refusing
from unit.ss7.m3ua_nodes import Node, connecting, is_up, listening, to

from tsvc.clock import SYSTEM_CLOCK
from tsvc.kinds.sigtran.gateway import SigtranConfig
from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.data import encode_data
from tsvc.protocols.m3ua.indications import DestinationInd, DestinationStatus
from tsvc.protocols.m3ua.params import ErrorCode, PointCode, UserCause
from tsvc.protocols.sccp.messages import ReturnCause, encode_udt
from tsvc.protocols.tcap.ids import IdRange
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.ss7.relay import Relay, leg_of_process
from tsvc.ss7.sccp import Subsystems

make = m3ua_nodes.make
KINDS = ("m3ua", "sua")


class Shared:
    """A node with a relay, and processes that use it."""

    def __init__(self, make: Callable[..., Node], *, port: int = 0, **link: Any) -> None:
        self._make = make
        self.config = connecting("link", port, **link)
        self.own = make(1, self.config, ids=IdRange.of_process(0))
        self.relay = Relay(self.own.network, [self.config], SYSTEM_CLOCK)
        self.relay.start()

    def process(self, number: int, *, is_early: bool = False) -> Node:
        """Make a process. An early process may be refused, and tries again two seconds later."""
        if not is_early:
            until(is_up(self.own))
        leg = leg_of_process(self.config, self.relay.folder, 0, number)
        return self._make(1, leg, ids=IdRange.of_process(number))


Share = Callable[..., Shared]


@pytest.fixture
def share(make) -> Iterator[Share]:
    made: list[Shared] = []

    def share(*args: Any, **more: Any) -> Shared:
        made.append(Shared(make, *args, **more))
        return made[-1]

    yield share
    for one in made:
        one.relay.stop()
        assert not one.relay.folder.exists()


def tid_of(number: int) -> bytes:
    return IdRange.of_process(number).nth(5).to_bytes(4)


def begin(number: int, more: bytes = b"") -> bytes:
    return encode(MessageType.BEGIN, otid=tid_of(number), components=[more] if more else None)


def answer(number: int, kind: MessageType = MessageType.END, more: bytes = b"") -> bytes:
    otid = b"peer" if kind is MessageType.CONTINUE else None
    return encode(kind, otid=otid, dtid=tid_of(number), components=[more] if more else None)


@pytest.mark.parametrize("kind", KINDS)
def test_each_has_the_answers_to_what_it_has_begun(make, share: Share, kind: str) -> None:
    peer = make(2, listening(kind=kind))
    shared = share(port=peer.network.ports()[0], kind=kind)
    nodes = [shared.own, shared.process(1, is_early=True), shared.process(7)]
    until(lambda: all(is_up(node)() for node in nodes))
    until(lambda: shared.relay.counters["relay_processes"] == 2)
    for number, node in zip((0, 1, 7), nodes, strict=True):
        node.send(begin(number), to(2))
    until(lambda: len(peer.got) == 3)
    assert len({calling for _, _, calling, _ in peer.got}) == 1, "all have one address"
    assert len({id(link) for *_, link in peer.got}) == 1, "and one association"
    kinds = (MessageType.CONTINUE, MessageType.ABORT, MessageType.END)
    for octets, _, calling, link in peer.got:
        number = int.from_bytes(octets[4:8]) >> 21
        for each in kinds:
            peer.send(answer(number, each), calling, link)
    for number, node in zip((0, 1, 7), nodes, strict=True):
        until(lambda node=node: len(node.got) == 3)  # type: ignore[misc]
        assert node.octets() == [answer(number, each) for each in kinds]
    assert shared.relay.counters == {"relayed": 8, "relay_lost": 0, "relay_processes": 2}


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_for_nobody_is_the_nodes_own(make, share: Share, kind: str) -> None:
    peer = make(2, listening(kind=kind))
    shared = share(port=peer.network.ports()[0], kind=kind)
    process = shared.process(1)
    until(is_up(process))
    until(lambda: shared.relay.counters["relay_processes"] == 1)
    told = [encode(MessageType.BEGIN, otid=tid_of(1)), answer(3), b"no TCAP"]
    for octets in told:
        peer.send(octets, to(1))
    until(lambda: len(shared.own.got) == 3)
    assert shared.own.octets() == told
    assert process.got == []


@pytest.mark.parametrize("si", [3, 5])
@pytest.mark.parametrize("more", [{}, {"routing_context": 7}, {"network_appearance": 8}])
def test_data_of_another_user_are_no_transactions(make, share: Share, si: int, more) -> None:
    peer = make(2, listening())
    shared = share(port=peer.network.ports()[0])
    shared.process(1)
    until(lambda: shared.relay.counters["relay_processes"] == 1)
    udt = encode_udt(to(2), to(1), answer(1), 0, True)
    (link,) = shared.own.network.live("link")
    link.machine.receive_message(encode_data(2, 1, si, 2, 0, 5, udt, **more), 0.0)
    assert shared.relay.counters["relayed"] == (si == 3)


@pytest.mark.parametrize("most", [None, 100], ids=["short", "in segments"])
def test_segments_go_where_the_first_one_goes(make, share: Share, most: int | None) -> None:
    long = bytes(range(256)) * 3
    peer = make(2, listening(max_udt_octets=most))
    shared = share(port=peer.network.ports()[0], max_udt_octets=most)
    nodes = [shared.process(number) for number in (1, 2, 3)]
    until(lambda: all(is_up(node)() for node in nodes))
    until(lambda: shared.relay.counters["relay_processes"] == 3)
    for number, node in enumerate(nodes, 1):
        node.send(begin(number, long), to(2))
    until(lambda: len(peer.got) == 3)
    assert sorted(peer.octets()) == sorted(begin(number, long) for number in (1, 2, 3))
    for number in (1, 2, 3):
        peer.send(answer(number, more=long), to(1))
    for number, node in enumerate(nodes, 1):
        until(lambda node=node: bool(node.got))  # type: ignore[misc]
        assert node.octets() == [answer(number, more=long)]
    assert shared.own.got == []
    # A segment has at most 255 octets of data, or what fits into messages of 100 octets.
    assert shared.relay.counters["relayed"] >= 6 * (4 if most is None else 8)


@pytest.mark.parametrize("kind", KINDS)
def test_what_comes_back_is_told_to_its_sender(make, share: Share, kind: str) -> None:
    nothing = Subsystems(lambda: (), lambda: None)
    peer = make(2, listening(kind=kind), subsystems=nothing)
    shared = share(port=peer.network.ports()[0], kind=kind)
    process = shared.process(4)
    until(is_up(process))
    until(lambda: shared.relay.counters["relay_processes"] == 1)
    process.send(begin(4), to(2))
    until(lambda: process.returned)
    assert process.returned == [(begin(4), ReturnCause.UNEQUIPPED_USER)]
    assert shared.own.returned == []


def test_an_error_is_told_to_whose_message_it_quotes(share: Share) -> None:
    def refuse(octets: bytes) -> bytes:
        about = params.DIAGNOSTIC_INFORMATION.of(octets)
        code = params.ERROR_CODE.of(ErrorCode.INVALID_ROUTING_CONTEXT)
        return messages.encode(messages.message(messages.ERR, code, about))

    peer = Refusing(messages.DATA, to_data=refuse)
    try:
        shared = share(port=peer.port)
        process = shared.process(4)
        until(is_up(process))
        until(lambda: shared.relay.counters["relay_processes"] == 1)
        process.send(begin(4), to(2))
        until(lambda: process.returned)
        assert process.returned[0][0] == begin(4)
        assert shared.own.returned == []
    finally:
        peer.stop()


def _notice(status: DestinationStatus, **more: Any) -> DestinationInd:
    base = {"congestion_level": None, "concerned_destination": None, "user_cause": None, **more}
    return DestinationInd(status, (PointCode(9),), (), None, **base)


def test_all_know_what_the_peer_says_of_destinations(make, share: Share) -> None:
    peer = make(2, listening())
    shared = share(port=peer.network.ports()[0])
    first = shared.process(1)
    until(is_up(first))
    until(lambda: shared.relay.counters["relay_processes"] == 1)
    notices = [
        _notice(DestinationStatus.UNAVAILABLE),
        _notice(DestinationStatus.CONGESTED, congestion_level=2),
        _notice(DestinationStatus.USER_PART_UNAVAILABLE, user_cause=UserCause(1, 3)),
    ]
    for notice in notices:
        peer.network.live("port")[0].machine.send_destination_status(notice, 0.0)
        peer.network.flush()

    def known(node: Node) -> Any:
        found = node.network.destinations.of("link", 9)
        return found.can_take, found.congestion_level, found.user_cause

    until(lambda: known(first) == known(shared.own) == (False, 2, 1))
    late = shared.process(2)
    until(lambda: known(late) == (False, 2, 1))


def test_who_shares_a_lost_association_loses_it_too(make, share: Share) -> None:
    port = free_port()
    peer = make(2, listening(port=port))
    shared = share(port=port, ack_s=0.2)  # the process is refused five times before it gives up
    process = shared.process(1)
    until(is_up(process))
    peer.network.kill()
    until(lambda: process.lost)
    assert process.lost[0].startswith("connection link to ")
    until(lambda: "ASPUP is refused" in str(process.network.texts()), what=process.network.texts)
    again = make(2, listening(port=port))
    until(is_up(process))
    process.send(begin(1), to(2))
    until(lambda: again.octets() == [begin(1)])


def test_nobody_else_may_look_into_its_folder(make, share: Share) -> None:
    shared = share(port=1)
    assert shared.relay.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"mode": "listen"}, "connections that the daemon opens"),
        ({"role": "sgp"}, "connections that the daemon opens"),
        ({"routing_keys": [{"dpc": 1}]}, "no routing_keys"),
        ({"traffic_mode": "broadcast"}, "no traffic mode broadcast"),
        ({"type": "loopback"}, "a loopback is in each worker anyway"),
    ],
)
def test_what_can_not_be_shared_is_refused(more: dict[str, Any], why: str) -> None:
    connection = {"name": "link", "type": "m3ua", **more}
    with pytest.raises(ValidationError) as caught:
        SigtranConfig.load({"relay": True, "connections": [connection]})
    assert why in str(caught.value.messages["relay"])
    assert SigtranConfig.load({"relay": False, "connections": [connection]})
