"""Threads beside a busy loop: how long they wait for the interpreter, how long they keep it."""

import subprocess
import sys

import pytest

from tsvc.interpreter import in_one_go


def test_waits_of_threads_are_not_stretched():
    if not sys.platform.startswith("linux"):
        pytest.skip("of Linux")
    asked = """
import ctypes, threading
from tsvc.interpreter import share_interpreter
share_interpreter()
thread = threading.Thread(target=lambda: print(ctypes.CDLL(None).prctl(30, 0, 0, 0, 0)))
thread.start()
thread.join()
"""
    assert int(subprocess.check_output([sys.executable, "-c", asked])) <= 1000


def test_a_block_of_a_thread_is_not_cut_up() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.00002)
    try:
        with in_one_go():
            assert sys.getswitchinterval() > 0.0001
        assert sys.getswitchinterval() < 0.0001
    finally:
        sys.setswitchinterval(before)


def test_where_nothing_is_shared_nothing_changes() -> None:
    before = sys.getswitchinterval()
    with in_one_go():
        assert sys.getswitchinterval() == before
