"""Calls in threads: what an error leaves behind."""

import gc
import weakref

import pytest
from support.waiting import GUARD_S, until

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
            caller.call(fail, GUARD_S)
        assert seen[0]() is not None
        del raised
        until(lambda: seen[0]() is None)  # the loop, or the thread, has done with the call
    finally:
        gc.enable()
        caller.close()
