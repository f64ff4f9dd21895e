"""Long work that gives way: timers and sockets are served in between."""

import socket
from itertools import count
from time import monotonic

import gevent
import pytest
from support.waiting import GUARD_S, until

from tsvc.engine.give_way import Burst, give_way


@pytest.fixture
def workers():
    """Ten greenlets that work for 1 ms and give way; gevent checks sockets after fifty yields."""
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
            # Each of the ten runs a few times; with sleep(0) it would be more than a hundred runs.
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
        assert loop.activecnt < before + 10, "others may come and go"


@pytest.fixture
def turns():
    """The moments at which another greenlet has run."""
    had = []

    def take():
        while True:
            had.append(monotonic())
            gevent.sleep(0)

    taker = gevent.spawn(take)
    gevent.sleep(0)
    yield had
    taker.kill()


def test_bits_let_others_run_after_some_of_them(turns):
    burst = Burst(5)
    before = len(turns)
    bits = 0
    while len(turns) == before:
        burst.bit()
        bits += 1
    assert bits <= 6  # fewer on a slow machine


def test_long_bits_let_others_run_sooner(turns):
    burst = Burst(1_000_000_000)
    before = len(turns)

    def others_ran():
        burst.bit()
        return len(turns) > before

    until(others_ran)


def test_who_has_just_waited_goes_on_at_once(turns, monkeypatch):
    monkeypatch.setattr("tsvc.engine.give_way._BURST_S", 600.0)
    burst = Burst(1_000_000_000)
    burst.end()
    burst.begin()
    before = len(turns)
    burst.bit()
    assert len(turns) == before


def test_others_can_be_let_run_before_the_next_bit(turns):
    burst = Burst(1_000_000_000)
    burst.end()
    before = len(turns)
    burst.bit()
    assert len(turns) > before
