"""Calls in threads and greenlets: errors must hold no objects; when a result is too late."""

import gc
import time
import weakref

import gevent
import pytest
from support.waiting import GUARD_S, until

from tsvc.transport.threads import InGreenlet, InOwnGreenlet, InThreads, OutOfTime


class Held:
    """An object that a call holds."""


@pytest.mark.parametrize(
    "caller",
    [InGreenlet(), InThreads(1), InOwnGreenlet(lambda *_: None)],
    ids=["greenlet", "thread", "own"],
)
def test_an_error_that_is_dropped_lets_go_of_what_the_call_held(caller):
    """Reference counts are enough, because a daemon rarely makes a full collection."""
    seen = []

    def fail():
        held = Held()
        seen.append(weakref.ref(held))
        raise ValueError("no")

    gc.disable()
    try:
        with pytest.raises(ValueError, match="no") as raised:
            caller.call(fail, GUARD_S)
        assert seen[0]() is not None
        del raised
        until(lambda: seen[0]() is None)  # the loop, or the thread, has finished the call
    finally:
        gc.enable()
        caller.close()


def stall():
    time.sleep(2.0)


@pytest.mark.parametrize(
    ("caller", "pause"),
    [(InThreads(1), time.sleep), (InOwnGreenlet(lambda *_: None), gevent.sleep)],
    ids=["thread", "own"],
)
def test_a_result_that_came_while_the_process_stood_still_is_in_time(caller, pause):
    """The peer may have answered in time, while the process could not check."""

    def work():
        pause(0.7)
        return 7

    gevent.spawn_later(0.01, stall)  # by then the call waits
    try:
        assert caller.call(work, 0.5) == 7
    finally:
        caller.close()


def test_a_call_that_holds_up_the_loop_itself_is_late():
    with pytest.raises(OutOfTime, match=r"no answer within 0.5 s"):
        InOwnGreenlet(lambda *_: None).call(stall, 0.5)
