"""The only way in which tests wait: for a condition, never for a time to pass."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

import gevent

GUARD_S = 60.0  # a hang guard, never a measurement
_FIRST_S, _LONGEST_S = 0.001, 0.02
_PATIENT_S, _SHARE = 0.1, 0.1

T = TypeVar("T")


def until(
    condition: Callable[[], T], guard_s: float = GUARD_S, *, what: Callable[[], Any] | None = None
) -> T:
    """Wait until a condition is true and return its value; other greenlets run meanwhile.

    The condition is checked at once, after a millisecond, and then at growing intervals. So the
    checks do not slow down a process that takes seconds to start. After `guard_s` the test fails
    with the value of what().
    """
    began = time.monotonic()
    pause_s = _FIRST_S
    while not (found := condition()):
        waited_s = time.monotonic() - began
        if waited_s > guard_s:
            raise AssertionError(f"hangs: {what() if what else condition}")
        gevent.sleep(pause_s)
        longest_s = min(max(_SHARE * waited_s, _LONGEST_S), _PATIENT_S)
        pause_s = min(1.5 * pause_s, longest_s)
    return found


def stays(
    condition: Callable[[], object], seconds: float, *, what: Callable[[], Any] | None = None
) -> None:
    """Check that a condition stays true for `seconds`: a silence that has to last."""
    deadline = time.monotonic() + seconds
    while True:
        if not condition():
            raise AssertionError(f"did not stay: {what() if what else condition}")
        if (left_s := deadline - time.monotonic()) <= 0:
            return
        gevent.sleep(min(_LONGEST_S, left_s))


def idle() -> None:
    """Wait until every greenlet of this process waits for an event that has not come yet.

    This does not wait for other processes and threads: their events come later.
    """
    for _ in range(3):  # a greenlet that a timer or socket has just woken may wake another
        gevent.idle()


def hang() -> None:
    """Sleep longer than any test waits, as a silent peer."""
    gevent.sleep(GUARD_S)


def settles(condition: Callable[[], object], guard_s: float = GUARD_S) -> bool:
    """Return True if a condition becomes true: for callers with an assertion of their own."""
    try:
        until(condition, guard_s)
    except AssertionError:
        return False
    return True
