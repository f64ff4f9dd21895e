"""Tests that run alone though pytest has several workers: those that are marked `alone`.

Every test holds a lock of the machine while it runs, with its fixtures: shared. One that is alone
holds it exclusively for its call, and has its fixtures beside others, who would wait for them. A
turnstile before it keeps ordinary tests from going on for ever past one that waits.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gevent
import pytest


class Alone:
    """A plugin of pytest for one worker."""

    def __init__(self, run: str) -> None:
        """`run` names the test run; its workers have it in common."""
        folder = Path(tempfile.gettempdir())
        self._turnstile = (folder / f"tsvc-tests-{run}.turnstile").open("w")
        self._hall = (folder / f"tsvc-tests-{run}.hall").open("w")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        self._enter(fcntl.LOCK_SH)
        try:
            return (yield)
        finally:
            fcntl.flock(self._hall, fcntl.LOCK_UN)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        if item.get_closest_marker("alone") is None:
            return (yield)
        fcntl.flock(self._hall, fcntl.LOCK_UN)  # else two that wait would wait for each other
        self._enter(fcntl.LOCK_EX)
        gevent.get_hub().loop.update_now()  # it has stood still meanwhile
        try:
            return (yield)
        finally:
            fcntl.flock(self._hall, fcntl.LOCK_SH)

    def _enter(self, how: int) -> None:
        """Go into the hall by the turnstile. Blocks: until nobody is there who keeps us out."""
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._hall, how)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)

    def pytest_unconfigure(self) -> None:
        for file in (self._turnstile, self._hall):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file.name)
            file.close()
