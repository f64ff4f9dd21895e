"""Work that gives way lets timers and sockets be served, turn by turn."""

import socket
from itertools import count
from time import monotonic

import gevent
import pytest

from tsvc.engine.give_way import give_way

GUARD_S = 30.0


@pytest.fixture
def workers():
    """Greenlets that work for a millisecond and give way; many are in gevent's fifty turns."""
    turns = count()

    def work():
        while True:
            next(turns)
            until = monotonic() + 0.001
            while monotonic() < until:
                pass
            give_way()

    made = [gevent.spawn(work) for _ in range(10)]
    yield lambda: next(turns)
    gevent.killall(made)


def test_a_timer_is_served_while_others_work(workers):
    with gevent.Timeout(GUARD_S):
        before = workers()
        gevent.sleep(0.001)
        gevent.sleep(0.001)
        assert workers() > before


def test_a_socket_is_served_after_a_few_turns(workers):
    ours, theirs = socket.socketpair()
    ours, theirs = gevent.socket.socket(fileno=ours.detach()), theirs
    try:
        with gevent.Timeout(GUARD_S):
            reader = gevent.spawn(ours.recv, 1)
            gevent.sleep(0)
            before = workers()
            theirs.send(b"x")
            assert reader.get() == b"x"
            # Ten have a turn each or two; with sleep(0) it would be more than a hundred.
            assert workers() - before < 60
    finally:
        ours.close()
        theirs.close()


def test_who_is_killed_while_it_gives_way_leaves_no_watcher_behind():
    loop = gevent.get_hub().loop
    with gevent.Timeout(GUARD_S):
        gevent.sleep(0.001)
        before = loop.activecnt
        for _ in range(100):
            greenlet = gevent.spawn(give_way)
            gevent.sleep(0)
            greenlet.kill()
        gevent.sleep(0.001)
        assert loop.activecnt == before
