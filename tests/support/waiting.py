"""The one way in which tests wait: for the thing itself, never for a time to pass."""

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
    """Wait until a condition is true and return what it is; greenlets go on meanwhile.

    It is asked at once, then after a millisecond, then ever more rarely: what takes seconds to
    come, such as a process, is not kept from it by questions. After `guard_s` the test fails with
    what() as it is then.
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
    """See that a condition is true for as long as that: a silence that has to last."""
    deadline = time.monotonic() + seconds
    while True:
        if not condition():
            raise AssertionError(f"did not stay: {what() if what else condition}")
        if (left_s := deadline - time.monotonic()) <= 0:
            return
        gevent.sleep(min(_LONGEST_S, left_s))


def idle() -> None:
    """Wait until every greenlet of this process waits for something that is not there yet.

    Not for what other processes and threads are about to do: what they bring comes later.
    """
    for _ in range(3):  # what a timer or socket has just woken may wake another
        gevent.idle()


def hang() -> None:
    """Do nothing for longer than anybody waits: what peers do that say nothing."""
    gevent.sleep(GUARD_S)


def settles(condition: Callable[[], object], guard_s: float = GUARD_S) -> bool:
    """Return whether a condition becomes true: until() for who asserts it in words of his own."""
    try:
        until(condition, guard_s)
    except AssertionError:
        return False
    return True
