"""Timeouts of replayed instances on a busy tester: a queue, and given moments."""

import pytest

from tsvc.clock import Clock
from tsvc.operations.fast_path.waits import TimeoutQueue


@pytest.mark.parametrize("stood_still_s", [0.02, 3.0, 30.0])
def test_a_wait_goes_on_once_for_as_long_as_the_process_stood_still(stood_still_s: float) -> None:
    """A wait of 10 s is over at 10; the queue checks later, because the process stood still."""
    queue = TimeoutQueue(10.0, Clock())
    first, second = object(), object()
    queue.until = {first: 10.0, second: 12.0}
    looked_at = 10.0 + stood_still_s
    try:
        assert queue._goes_on(looked_at)
        left = min(stood_still_s, 10.0)
        assert queue.until[first] == pytest.approx(looked_at + left)
        assert queue.until[second] == pytest.approx(looked_at + left + 2.0)
        # Now the check is in time: the sockets are read once more, without another extension.
        assert queue._goes_on(looked_at + left)
        assert queue.until[first] == pytest.approx(looked_at + left)
        assert not queue._goes_on(looked_at + left + 0.001)
    finally:
        queue.end()
