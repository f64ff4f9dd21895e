"""Calls in threads: what an error leaves behind."""

import gc
import weakref

import gevent
import pytest

from tsvc.transport.threads import InGreenlet, InOwnGreenlet, InThreads


class Held:
    """What a call has in its hands."""


@pytest.mark.parametrize(
    "caller",
    [InGreenlet(), InThreads(1), InOwnGreenlet(lambda *_: None)],
    ids=["greenlet", "thread", "own"],
)
def test_an_error_that_is_dropped_lets_go_of_what_the_call_held(caller):
    """By reference counts alone: a daemon makes a full collection seldom."""
    seen = []

    def fail():
        held = Held()
        seen.append(weakref.ref(held))
        raise ValueError("no")

    gc.disable()
    try:
        with pytest.raises(ValueError, match="no") as raised:
            caller.call(fail, 5.0)
        assert seen[0]() is not None
        del raised
        gevent.sleep(0)  # the loop lets go of the finished call
        assert seen[0]() is None
    finally:
        gc.enable()
        caller.close()
