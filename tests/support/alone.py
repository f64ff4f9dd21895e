"""Tests that run alone though pytest has several workers: those that are marked `alone`.

Every test holds a lock of the machine while it runs, with its fixtures: shared, or for one that
is alone exclusive. A turnstile before it keeps ordinary tests from going on for ever past one
that waits.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest


class Alone:
    """A plugin of pytest for one worker."""

    def __init__(self, run: str) -> None:
        """`run` names the test run; its workers have it in common."""
        folder = Path(tempfile.gettempdir())
        self._turnstile = (folder / f"tsvc-tests-{run}.turnstile").open("w")
        self._hall = (folder / f"tsvc-tests-{run}.hall").open("w")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        is_alone = item.get_closest_marker("alone") is not None
        with contextlib.ExitStack() as stack:
            with _held(self._turnstile, fcntl.LOCK_EX):
                stack.enter_context(
                    _held(self._hall, fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
                )
            return (yield)

    def pytest_unconfigure(self) -> None:
        for file in (self._turnstile, self._hall):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file.name)
            file.close()


@contextlib.contextmanager
def _held(file: IO[str], how: int) -> Iterator[None]:
    fcntl.flock(file, how)
    try:
        yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)
