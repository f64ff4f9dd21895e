"""Who runs beside whom: what measures, and the others."""

import threading
import uuid
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from support.quiet import FOLDER, Quiet
from support.waiting import stays, until

SILENCE_S = 0.1
PATHS = {"quiet": FOLDER / "test_it.py", "other": FOLDER.parent / "e2e/test_it.py"}


class Worker:
    """A thread that runs one test after the other, as a worker of pytest does.

    `begun` has the tests that have begun; each waits until end() lets it end.
    """

    def __init__(self, run: str) -> None:
        self.begun: list[str] = []
        self._quiet = Quiet(run)
        self._ends = threading.Semaphore(0)
        self._kinds: tuple[str, ...] = ()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def play(self, *kinds: str) -> None:
        self._kinds = kinds
        self._thread.start()

    def die(self) -> None:
        self._quiet.pytest_unconfigure()

    def end(self) -> None:
        self._ends.release()

    def close(self) -> None:
        if self._kinds:
            for _ in self._kinds:
                self.end()
            self._thread.join(SILENCE_S)
        self.die()

    def _run(self) -> None:
        for kind in self._kinds:
            item: Any = SimpleNamespace(path=PATHS[kind])
            protocol = self._quiet.pytest_runtest_protocol(item)
            next(protocol)
            self.begun.append(kind)
            self._ends.acquire()
            with pytest.raises(StopIteration):
                next(protocol)


Start = Callable[[], Worker]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start workers of one test run."""
    run = uuid.uuid4().hex
    made: list[Worker] = []

    def begin() -> Worker:
        made.append(Worker(run))
        return made[-1]

    yield begin
    for one in made:
        one.close()


def runs(worker: Worker, *kinds: str) -> None:
    until(lambda: worker.begun == [*kinds])


def waits(worker: Worker, *kinds: str) -> None:
    stays(lambda: worker.begun == [*kinds], SILENCE_S)


@pytest.mark.parametrize("kind", ["other", "quiet"])
def test_its_like_run_beside_each_other(start: Start, kind: str) -> None:
    workers = [start() for _ in range(3)]
    for one in workers:
        one.play(kind)
    for one in workers:
        runs(one, kind)


def test_others_wait_for_all_that_are_quiet(start: Start) -> None:
    one, another, third = start(), start(), start()
    one.play("quiet", "quiet", "other")
    another.play("quiet", "other", "other")
    third.play("other")
    runs(one, "quiet")
    runs(another, "quiet")
    waits(third)
    another.end()
    waits(another, "quiet")
    one.end()
    runs(one, "quiet", "quiet")
    waits(third)
    waits(another, "quiet")
    one.end()
    runs(one, "quiet", "quiet", "other")
    runs(another, "quiet", "other")
    runs(third, "other")
    another.end()
    runs(another, "quiet", "other", "other")  # it has waited once


def test_who_has_not_begun_may_have_quiet_ones(start: Start) -> None:
    one, late = start(), start()
    one.play("other")
    waits(one)
    late.play("quiet", "other")
    runs(late, "quiet")
    waits(one)
    late.end()
    runs(one, "other")
    runs(late, "quiet", "other")


def test_who_comes_later_is_not_waited_for(start: Start) -> None:
    """A worker that takes the place of one that crashed."""
    one = start()
    one.play("other", "other")
    runs(one, "other")
    late = start()
    one.end()
    runs(one, "other", "other")
    late.play("other")
    runs(late, "other")


def test_who_has_died_is_not_waited_for(start: Start) -> None:
    one, dead = start(), start()
    one.play("other")
    waits(one)
    dead.die()
    runs(one, "other")
