"""Threads beside a busy loop: how long they wait for the interpreter."""

import subprocess
import sys

import pytest


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
