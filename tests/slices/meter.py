"""Slices: the CPU time of the thread from one switch of greenlets to the next.

It is CPU time and not wall time, so that other load on the machine makes no difference.
"""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import thread_time_ns
from types import CodeType, FrameType
from typing import Any

import gevent
import greenlet

BOUND_MS = 20.0
_REFERENCE_MS = 20.8  # the best of 750 calibrations of the machine on which the bound was set
_SAMPLE_S = 0.004  # CPU time between two samples of the stack
_LATE_NS = 8_000_000  # … which are kept from here on
_FRAMES = 12


@dataclass(frozen=True, slots=True)
class Slice:
    """The longest slice: its length, and the stack when it was already long."""

    ms: float
    stack: str = ""

    def __str__(self) -> str:
        return f"{self.ms:.1f} ms\n{self.stack}"


class Meter:
    """Measures the time between the switches of this thread's greenlets."""

    def __init__(self) -> None:
        self._began = 0
        self._longest = 0
        self._stack: list[tuple[CodeType, int]] = []
        self._longest_stack: list[tuple[CodeType, int]] = []

    def _switched(self, event: str, args: Any) -> None:
        now = thread_time_ns()
        if now - self._began > self._longest:
            self._longest = now - self._began
            self._longest_stack = self._stack
        if self._stack:
            self._stack = []
        self._began = thread_time_ns()

    def _sampled(self, number: int, frame: FrameType | None) -> None:
        if thread_time_ns() - self._began > _LATE_NS:
            stack = self._stack = []
            while frame is not None and len(stack) < _FRAMES:
                stack.append((frame.f_code, frame.f_lineno))
                frame = frame.f_back

    @contextmanager
    def running(self) -> Iterator["Meter"]:
        """Measure the code in the block."""
        before = signal.signal(signal.SIGPROF, self._sampled)
        signal.setitimer(signal.ITIMER_PROF, _SAMPLE_S, _SAMPLE_S)
        traced = greenlet.settrace(self._switched)
        self._began = thread_time_ns()
        try:
            yield self
        finally:
            self._switched("end", ())
            greenlet.settrace(traced)
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    @property
    def slice(self) -> Slice:
        """The longest one so far."""
        lines = [
            f"  {'/'.join(code.co_filename.split('/')[-3:])}:{line} {code.co_name}"
            for code, line in reversed(self._longest_stack)
        ]
        return Slice(self._longest / 1e6, "\n".join(lines))


def longest(work: Callable[[], object]) -> Slice:
    """Return the longest slice of some work in a greenlet of its own, with all that it does."""
    gevent.sleep(0)
    with Meter().running() as meter:
        gevent.spawn(work).join()
    return meter.slice


def scale() -> float:
    """Return how much slower than the machine of the bound this machine is now; at least 1.

    It takes the fastest of a few rounds: of loops of the interpreter, of reading and of copying
    memory.
    """
    return max(min(_calibration_ms() for _ in range(5)) / _REFERENCE_MS, 1.0)


def _calibration_ms() -> float:
    began = thread_time_ns()
    found: dict[str, int] = {}
    for number in range(40_000):
        found[f"n{number % 1000}"] = found.get("x", 0) + number
    made = [[number] for number in range(20_000)]
    text = "x" * 4_000_000
    assert len(made) + len(text.upper()) + sys.getsizeof(found) > 0
    return (thread_time_ns() - began) / 1e6
