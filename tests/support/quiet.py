"""What measures comes first: the tests of tests/quiet, beside their like only.

Workers of pytest begin with them. Who comes to another test waits, once, until no worker has any
of them left: from its start on each holds a lock of the machine, shared with its like, and whoever
wants it for himself has it once all have let go of it.
"""

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import gevent
import pytest

FOLDER = Path(__file__).parents[1] / "quiet"


class Quiet:
    """A plugin of pytest for one worker, whose tests are sorted: those of FOLDER come first."""

    def __init__(self, run: str) -> None:
        """`run` names the test run; its workers have it in common. None of them has a test before
        all of them are here."""
        self._file = (Path(tempfile.gettempdir()) / f"tsvc-tests-{run}.quiet").open("w")
        fcntl.flock(self._file, fcntl.LOCK_SH)
        self._holds = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if self._holds and not item.path.is_relative_to(FOLDER):
            self._holds = False
            fcntl.flock(self._file, fcntl.LOCK_UN)  # else all would wait for each other
            fcntl.flock(self._file, fcntl.LOCK_EX)
            fcntl.flock(self._file, fcntl.LOCK_UN)
            gevent.get_hub().loop.update_now()  # it has stood still meanwhile
        return (yield)

    def pytest_unconfigure(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._file.name)
        self._file.close()
