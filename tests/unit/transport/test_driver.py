"""Bounds of the driver: the send queue for a peer that does not read, and fair reading."""

import contextlib
from collections.abc import Sequence
from typing import Any

import gevent
import pytest
from gevent import socket
from support.waiting import GUARD_S

from tsvc.clock import SYSTEM_CLOCK
from tsvc.transport import driver
from tsvc.transport.driver import StreamDriver


class Echo:
    """Answers received octets with `times` as many; counts the received octets."""

    def __init__(self, times: int) -> None:
        self.received = 0
        self._times = times
        self._outgoing: list[bytes] = []

    def data_to_send(self) -> list[bytes]:
        outgoing, self._outgoing = self._outgoing, []
        return outgoing

    def next_timer(self) -> float | None:
        return None

    def handle_timer(self, now: float) -> Sequence[Any]:
        return ()

    def receive(self, octets: bytes, now: float) -> Sequence[Any]:
        self.received += len(octets)
        self._outgoing += [octets] * self._times
        return ()


def drive(machine: Echo) -> tuple[Any, Any]:
    """Start a driver; return its greenlet, and the socket of its peer."""
    ours, theirs = socket.socketpair()
    driver = StreamDriver(machine, ours, SYSTEM_CLOCK, print)
    return gevent.spawn(driver.run), theirs


@pytest.mark.parametrize(("bound", "value"), [("MAX_QUEUED", 50), ("MAX_QUEUED_OCTETS", 1 << 20)])
def test_a_peer_that_does_not_read(
    monkeypatch: pytest.MonkeyPatch, bound: str, value: int
) -> None:
    monkeypatch.setattr(driver, bound, value)
    running, theirs = drive(Echo(times=40))
    with gevent.Timeout(GUARD_S), contextlib.suppress(OSError):
        while not running.ready():
            theirs.sendall(b"x" * 16384)
    assert running.get(timeout=GUARD_S) == "the peer does not read: send queue is full"


def test_a_peer_that_reads_gets_all() -> None:
    """The queue becomes shorter as it is written: octets already written do not count."""
    running, theirs = drive(Echo(times=1))
    taken = 0
    with gevent.Timeout(GUARD_S):
        for _ in range(100):
            theirs.sendall(b"x" * 16384)
            while taken < 16384:
                taken += len(theirs.recv(65536))
            taken = 0
    theirs.close()
    assert running.get(timeout=GUARD_S) == "closed by peer"


@pytest.mark.parametrize("is_joining", [True, False])
def test_messages_stay_apart_where_the_transport_keeps_them(is_joining: bool) -> None:
    """Two Diameter messages in one SCTP message are one broken message for the peer."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    driver = StreamDriver(Echo(times=3), ours, SYSTEM_CLOCK, print, is_joining=is_joining)
    running = gevent.spawn(driver.run)
    theirs.send(b"12345")
    sizes = [len(theirs.recv(65536)) for _ in range(1 if is_joining else 3)]
    assert sizes == ([15] if is_joining else [5, 5, 5])
    theirs.close()
    assert running.get(timeout=GUARD_S) == "closed by peer"


def test_others_have_their_turn() -> None:
    """A peer that sends all the time does not keep timers from running."""
    machine = Echo(times=0)
    running, theirs = drive(machine)
    is_over = False

    def flood() -> None:
        while not is_over:
            theirs.sendall(b"x" * 65536)

    flooding = gevent.spawn(flood)
    with gevent.Timeout(GUARD_S):
        for _ in range(20):
            gevent.sleep(0.01)
    is_over = True
    flooding.join(GUARD_S)
    theirs.close()
    running.join(GUARD_S)
    assert machine.received > 0
