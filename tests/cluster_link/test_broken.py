"""A connection that breaks and is restored in time: the worker stays the same."""

from collections.abc import Iterator

import gevent
import pytest
from gevent import socket
from gevent.server import StreamServer
from support.waiting import until

HALVES = {"both": (0, 1), "worker": (0,), "coordinator": (1,)}


class Way:
    """A relay between workers and a coordinator; its connections can be cut."""

    def __init__(self, coordinator: str) -> None:
        host, _, port = coordinator.rpartition(":")
        self._target = (host, int(port))
        self._server = StreamServer(("127.0.0.1", 0), self._carry)
        self._server.start()
        self.endpoint = f"127.0.0.1:{self._server.server_port}"
        self.connections: list[tuple[socket.socket, socket.socket]] = []

    def _carry(self, worker: socket.socket, _address: object) -> None:
        coordinator = socket.create_connection(self._target)
        self.connections.append((worker, coordinator))
        pumps = [
            gevent.spawn(_pump, worker, coordinator),
            gevent.spawn(_pump, coordinator, worker),
        ]
        gevent.joinall(pumps)

    def cut(self, sides: tuple[int, ...]) -> None:
        """End a connection at one side, or at both; the other side's stays open and silent."""
        pair = self.connections[-1]
        for side in sides:
            pair[side].shutdown(socket.SHUT_RDWR)

    def stop(self) -> None:
        self._server.stop()
        for pair in self.connections:
            for one in pair:
                one.close()


def _pump(source: socket.socket, target: socket.socket) -> None:
    try:
        while octets := source.recv(65536):
            target.sendall(octets)
    except OSError:
        pass  # it is cut


@pytest.fixture
def way(hub) -> Iterator[Way]:
    made = Way(hub.endpoint)
    yield made
    made.stop()


@pytest.mark.parametrize("sides", HALVES.values(), ids=HALVES)
def test_it_is_there_again(hub, join, way, sides: tuple[int, ...]) -> None:
    spoke = join(way.endpoint)
    spoke.send("n", 1)
    assert hub.wait_for("w1", "n") == 1
    way.cut(sides)
    if sides == (1,):  # a side that has sent nothing since does not know it yet
        spoke.send("gone", 0)
        way.cut((0,))
    until(lambda: len(way.connections) == 2)
    until(lambda: spoke.send("n", 2) and 2 in hub.of("w1", "n"), what=lambda: hub.seen)
    until(lambda: hub.send("w1", "m", 3) and 3 in spoke.of("m"), what=lambda: spoke.seen)
    assert hub.of("w1", "lost") == spoke.of("lost") == []
    assert hub.of("w1", "joined") == [{}]
