"""An ASP's link to a minimal peer: heartbeats, and the order of messages at the end."""

import pytest
from gevent import socket
from gevent.server import StreamServer
from support.clock import FakeClock
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.by_hand import ACKS, read_messages
from unit.ss7.m3ua_nodes import connecting, is_up, link_of

from tsvc.protocols.m3ua import messages, params
from tsvc.protocols.m3ua.messages import MessageStream, encode, message

make = m3ua_nodes.make


def _serve(connection: socket.socket, seen: list[str], answers: bool) -> None:
    """Run a minimal SGP: it only acknowledges requests, and BEAT only if `answers`."""
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
    until(lambda: asp.lost)
    assert "BEAT is not acknowledged" in asp.lost[0]
    until(lambda: asp.network.counters["connects"] > 1)
    assert seen[:3] == ["ASPUP", "ASPAC", "BEAT"]


def test_beats_keep_a_link(make, by_hand):
    port, seen = by_hand(answers=True)
    clock = FakeClock()
    asp = make(1, connecting("link", port, heartbeat_s=0.05), clock=clock)
    until(is_up(asp))
    heartbeat = link_of(asp).machine._heartbeat
    for count in range(1, 7):
        clock.advance(0.05)
        until(lambda count=count: seen.count("BEAT") == count)
        until(lambda: not heartbeat._unanswered)
    assert asp.lost == []


def test_the_management_takes_an_asp_out_before_it_closes(make, by_hand):
    port, seen = by_hand(answers=True)
    asp = make(1, connecting("link", port))
    until(is_up(asp))
    asp.network.stop()
    assert seen == ["ASPUP", "ASPAC", "ASPIA", "ASPDN"]
