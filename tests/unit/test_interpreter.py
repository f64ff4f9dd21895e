"""Threads beside a busy loop: the time for which they wait for the interpreter."""

import subprocess
import sys

import pytest

from tsvc.interpreter import _shortest_wait_s


def said(program: str) -> list[str]:
    return subprocess.check_output([sys.executable, "-c", program], text=True).split()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux")
def test_waits_of_threads_are_not_stretched() -> None:
    (slack,) = said("""
import ctypes, threading
from tsvc import interpreter
interpreter._shortest_wait_s = lambda seconds: seconds
interpreter.share_interpreter()
thread = threading.Thread(target=lambda: print(ctypes.CDLL(None).prctl(30, 0, 0, 0, 0)))
thread.start()
thread.join()
""")
    assert int(slack) <= 1000


@pytest.mark.parametrize(("takes_s", "interval_s"), [(0.00007, 0.00002), (0.00012, 0.0001)])
def test_threads_wait_longer_where_waits_are_dear(takes_s: float, interval_s: float) -> None:
    """In a virtual machine a wait of 20 µs takes over 100 µs, and mostly processor time."""
    interval, is_usual = said(f"""
import ctypes, sys
from tsvc import interpreter
interpreter._shortest_wait_s = lambda seconds: {takes_s}
usual = ctypes.CDLL(None).prctl(30, 0, 0, 0, 0)
interpreter.share_interpreter()
print(sys.getswitchinterval(), ctypes.CDLL(None).prctl(30, 0, 0, 0, 0) == usual)
""")
    assert float(interval) == pytest.approx(interval_s)
    assert (is_usual == "True") is (interval_s > 0.00002) or not sys.platform.startswith("linux")


def test_waits_are_measured_as_they_are() -> None:
    assert 0.002 <= _shortest_wait_s(0.002) < 1
