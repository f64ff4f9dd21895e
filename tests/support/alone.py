"""Tests that run apart though pytest has several workers: those that are marked `alone` beside
none, those that are marked `quiet` beside each other.

Three locks of the machine. An ordinary test holds `ordinary` while it runs, with its fixtures:
shared. One that runs apart has its fixtures so as well: they would disturb others. For its call it
holds `wanted`, shared, so that no ordinary one begins any more, and waits until those that have
begun are over; then it holds `quiet`, shared or exclusively. Those that follow each other in a
file wait once; those that have their fixtures at the same time begin together.
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
        self._files = [
            (folder / f"tsvc-tests-{run}.{name}").open("w")
            for name in ("ordinary", "wanted", "quiet")
        ]
        self._ordinary, self._wanted, self._quiet = self._files
        self.is_apart = False  # whether it holds `wanted`

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Iterator[None]:
        if not self.is_apart:
            # Who is to be apart need not wait for one that waits, but for one that runs.
            gate = self._quiet if _lock_of(item) else self._wanted
            fcntl.flock(gate, fcntl.LOCK_EX)
            fcntl.flock(self._ordinary, fcntl.LOCK_SH)
            fcntl.flock(gate, fcntl.LOCK_UN)
        try:
            return (yield)
        finally:
            follows = nextitem is not None and nextitem.path == item.path
            if not (self.is_apart and follows and _lock_of(nextitem)):
                for file in self._files:
                    fcntl.flock(file, fcntl.LOCK_UN)
                self.is_apart = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        lock = _lock_of(item)
        if lock is None:
            return (yield)
        if not self.is_apart:
            fcntl.flock(self._ordinary, fcntl.LOCK_UN)  # who waits would wait for us
            fcntl.flock(self._wanted, fcntl.LOCK_SH)
            self.is_apart = True
            fcntl.flock(self._ordinary, fcntl.LOCK_EX)
            fcntl.flock(self._ordinary, fcntl.LOCK_UN)
        fcntl.flock(self._quiet, lock)
        gevent.get_hub().loop.update_now()  # it has stood still meanwhile
        return (yield)

    def pytest_unconfigure(self) -> None:
        for file in self._files:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file.name)
            file.close()


def _lock_of(item: pytest.Item) -> int | None:
    """Return how it holds `quiet`, None for an ordinary test."""
    if item.get_closest_marker("alone"):
        return fcntl.LOCK_EX
    return fcntl.LOCK_SH if item.get_closest_marker("quiet") else None


def order(item: pytest.Item) -> int:
    """Return a rank for sorting: quiet ones, those that run alone, ordinary ones."""
    return {fcntl.LOCK_SH: 0, fcntl.LOCK_EX: 1, None: 2}[_lock_of(item)]
