"""Races that a test over TCP can't force; the other tests are in tests/e2e."""

import json
from dataclasses import replace

import gevent
import pytest
from gevent import socket
from support.waiting import GUARD_S, hang
from unit.server.ping import METHODS, REQUEST

from tsvc.config.tables import Rpc
from tsvc.server.admission import Admission, Counters
from tsvc.server.connection import Connection
from tsvc.server.dispatch import Dispatcher


class Rig:
    """One connection over a socket pair, served by its own greenlet."""

    def __init__(self, **keys):
        self.client, served = socket.socketpair()
        self.client.settimeout(GUARD_S)
        self.admission = Admission(1)
        self.counters = Counters()
        self.config = replace(Rpc(), **keys)
        self.greenlet = gevent.spawn(self._serve, served)
        gevent.sleep(0)  # the connection waits for its request now

    def _serve(self, sock):
        self.connection = Connection(
            sock,
            "peer",
            client="peer",
            dispatcher=Dispatcher(None, self.config, METHODS),
            admission=self.admission,
            counters=self.counters,
        )
        self.connection.serve()

    def answer(self):
        octets = b""
        while portion := self.client.recv(4096):
            octets += portion
        self.client.close()
        self.greenlet.join(GUARD_S)
        assert self.greenlet.successful()
        assert len(self.admission) == 0
        return json.loads(octets[4:])


def evict_as_the_table_does(rig):
    """Give the only place to a newcomer, which evicts the connection."""

    class Newcomer:
        def evict(self):
            raise AssertionError("not this one")

    newcomer = Newcomer()
    assert rig.admission.enter(newcomer, "another") is None
    rig.admission.leave(newcomer)


def test_eviction_while_waiting():
    rig = Rig()
    evict_as_the_table_does(rig)
    assert rig.answer()["error"]["data"]["kind"] == "connections.evicted"
    assert rig.counters.evicted == 1


@pytest.mark.parametrize("octets", [REQUEST, REQUEST[:10], b"\0\0\0\0"])
def test_octets_that_arrive_between_eviction_and_its_exception(octets):
    """Sockets get readable in one round of the loop: a neighbour evicts, then our handler runs."""
    rig = Rig()
    evicted = []

    def neighbour(sock):
        sock.recv(1)
        if not evicted and len(rig.admission):
            evicted.append(rig.connection._decoder.state)
            evict_as_the_table_does(rig)

    pairs = [socket.socketpair() for _ in range(8)]
    neighbours = [gevent.spawn(neighbour, pair[1]) for pair in pairs]
    gevent.sleep(0)
    for pair in pairs:
        pair[0].send(b"x")
    rig.client.send(octets)
    gevent.joinall(neighbours, GUARD_S)
    assert evicted, "the neighbours came first"
    assert rig.answer()["error"]["data"]["kind"] == "connections.evicted"
    for pair in pairs:
        for sock in pair:
            sock.close()


def test_eviction_in_the_same_turn_as_the_timeout():
    rig = Rig(request_timeout_s=0.01)
    timeout = gevent.Timeout(0.01)
    try:
        with timeout:
            hang()
    except gevent.Timeout:
        if len(rig.admission):
            evict_as_the_table_does(rig)
    kind = rig.answer()["error"]["data"]["kind"]
    assert kind in ("connections.evicted", "request.timeout")
    assert rig.counters.evicted + (kind == "request.timeout") == 1


def test_no_second_frame_is_served():
    rig = Rig()
    rig.client.send(REQUEST * 3)
    assert rig.answer()["result"] == "pong"
    assert rig.counters.surplus_octets == 2 * len(REQUEST)
    assert rig.counters.answered == 1


def test_a_client_that_is_gone_before_the_answer():
    rig = Rig()
    rig.client.send(REQUEST)
    rig.client.close()
    rig.greenlet.join(GUARD_S)
    assert rig.greenlet.successful()
    assert len(rig.admission) == 0
