"""Calls in the archive's thread: which time counts against a deadline."""

import gc
import time
import weakref

import gevent
import pytest
from support.waiting import GUARD_S, until

from tsvc.archive.worker import TooLate, Worker

DEADLINE_S = 0.5


@pytest.fixture
def worker():
    made = Worker(DEADLINE_S)
    yield made
    made.stop()


def stand_still():
    """Block the event loop for longer than the deadline, even if something becomes ready."""
    gevent.sleep(0.02)
    time.sleep(2 * DEADLINE_S)  # the standard library's sleep, which blocks the loop


@pytest.fixture(autouse=True)
def unpatched(monkeypatch):
    monkeypatch.setattr(time, "sleep", gevent.monkey.get_original("time", "sleep"))


def test_our_own_stall_is_not_the_calls(worker):
    stalling = gevent.spawn(stand_still)
    assert worker.perform(lambda: "there") == "there"
    in_time = gevent.monkey.get_original("threading", "Event")()
    stalling = gevent.spawn(stand_still)
    gevent.spawn_later(0.03, in_time.set)
    assert worker.perform(lambda: in_time.wait(GUARD_S)) is True
    stalling.join()


def test_nor_that_of_the_turn(worker):
    go_on = gevent.monkey.get_original("threading", "Event")()
    first = gevent.spawn(worker.perform, lambda: go_on.wait(GUARD_S), None, GUARD_S)
    gevent.sleep(0)
    second = gevent.spawn(worker.perform, lambda: "second")
    gevent.sleep(0)
    stand_still()
    go_on.set()
    assert second.get() == "second"
    assert first.get() is True


def test_a_call_that_fails_keeps_nothing(worker):
    """If the error held the frame that raised it, the rows would stay until a full collection."""

    class Rows:
        pass

    def fail(rows):
        raise OSError("the disk is full")

    def perform(rows):
        with pytest.raises(OSError, match="full"):
            worker.perform(lambda: fail(rows))

    rows = Rows()
    end = weakref.ref(rows)
    gc.collect()
    gc.disable()
    try:
        perform(rows)
        del rows
        until(lambda: end() is None)  # the thread releases the rows after it has notified the loop
    finally:
        gc.enable()


def test_a_call_that_hangs_is_too_late(worker):
    go_on = gevent.monkey.get_original("threading", "Event")()
    undone = []
    with pytest.raises(TooLate):
        worker.perform(lambda: go_on.wait(GUARD_S), undone.append)
    assert worker.is_stuck
    with pytest.raises(TooLate):
        worker.perform(lambda: None)
    go_on.set()
    until(lambda: undone == [True])
    assert worker.perform(lambda: 1) == 1
