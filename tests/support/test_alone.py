"""Who runs beside whom: ordinary tests, quiet ones, and those that run alone."""

import threading
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.alone import Alone
from support.waiting import stays, until

SILENCE_S = 0.1


class Worker:
    """A thread that runs one test after the other, as a worker of pytest does.

    `begun` has the tests whose calls have begun; each waits until end() lets it end. The first
    has its fixtures until call() lets it go on.
    """

    def __init__(self, run: str, *kinds: str) -> None:
        self.begun: list[str] = []
        self.has_fixtures = False
        self._alone = Alone(run)
        self._items: list[Any] = [
            SimpleNamespace(
                path=Path("of all"),
                kind=kind,
                get_closest_marker=lambda name, kind=kind: name == kind or None,
            )
            for kind in kinds
        ]
        self._call = threading.Event()
        self._ends = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def call(self) -> None:
        self._call.set()

    def end(self) -> None:
        self._ends.release()

    def is_apart(self) -> bool:
        return self._alone.is_apart

    def is_over(self) -> bool:
        return not self._thread.is_alive()

    def close(self) -> None:
        """Let it end if nothing keeps it from that."""
        self.call()
        for _ in self._items:
            self.end()
        self._thread.join(SILENCE_S)
        self._alone.pytest_unconfigure()

    def _run(self) -> None:
        for item, following in zip(self._items, [*self._items[1:], None], strict=True):
            protocol = self._alone.pytest_runtest_protocol(item, following)
            next(protocol)
            self.has_fixtures = True
            self._call.wait()
            call = self._alone.pytest_runtest_call(item)
            next(call)
            self.begun.append(item.kind)
            self._ends.acquire()
            for one in (call, protocol):
                with pytest.raises(StopIteration):
                    next(one)


Start = Callable[..., Worker]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start workers of one test run: start(*kinds of tests); with `holds` its first test keeps to
    its fixtures."""
    run, made = uuid.uuid4().hex, []

    def begin(*kinds: str, holds: bool = False) -> Worker:
        made.append(Worker(run, *kinds))
        if holds:
            until(lambda: made[-1].has_fixtures)
        else:
            made[-1].call()
        return made[-1]

    yield begin
    for one in made:
        one.close()


def runs(worker: Worker, *kinds: str) -> None:
    until(lambda: worker.begun == [*kinds])


def waits(worker: Worker, *kinds: str) -> None:
    stays(lambda: worker.begun == [*kinds], SILENCE_S)


@pytest.mark.parametrize("kind", ["ordinary", "quiet"])
def test_its_like_run_beside_each_other(start: Start, kind: str) -> None:
    workers = [start(kind, holds=True) for _ in range(3)]
    for one in workers:
        one.call()
    for one in workers:
        runs(one, kind)
    for one in workers:
        one.end()
    until(lambda: all(one.is_over() for one in workers))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ordinary", "quiet"),
        ("ordinary", "alone"),
        ("quiet", "ordinary"),
        ("quiet", "alone"),
        ("alone", "ordinary"),
        ("alone", "quiet"),
        ("alone", "alone"),
    ],
)
def test_others_wait(start: Start, first: str, second: str) -> None:
    one = start(first)
    runs(one, first)
    other = start(second)
    waits(other)
    one.end()
    runs(other, second)
    other.end()
    until(other.is_over)


@pytest.mark.parametrize("kind", ["quiet", "alone"])
def test_no_ordinary_one_begins_while_another_would(start: Start, kind: str) -> None:
    """Else they might keep it waiting for ever."""
    before, apart = start("ordinary", "ordinary"), start(kind)
    runs(before, "ordinary")
    until(apart.is_apart)
    waits(apart)
    later = start("ordinary")
    before.end()
    runs(apart, kind)
    waits(before, "ordinary")
    waits(later)
    apart.end()
    runs(later, "ordinary")
    runs(before, "ordinary", "ordinary")
    before.end()
    later.end()


def test_fixtures_are_ordinary(start: Start) -> None:
    one, other = start("quiet", holds=True), start("quiet", holds=True)
    one.call()
    waits(one)
    other.call()
    for worker in (one, other):
        runs(worker, "quiet")
    later = start("quiet")
    stays(lambda: not later.has_fixtures, SILENCE_S)
    one.end()
    other.end()
    runs(later, "quiet")
    later.end()


def test_who_waits_lets_those_in_that_are_to_be_apart(start: Start) -> None:
    before, one = start("ordinary"), start("quiet")
    runs(before, "ordinary")
    until(one.is_apart)
    waits(one)
    other, later = start("quiet", holds=True), start("ordinary")
    waits(later)
    before.end()
    waits(one)
    other.call()
    for worker in (one, other):
        runs(worker, "quiet")
    waits(later)
    one.end()
    other.end()
    runs(later, "ordinary")
    later.end()


def test_those_that_follow_each_other_wait_once(start: Start) -> None:
    quiet, one = (
        start("quiet", holds=True),
        start("quiet", "quiet", "alone", "ordinary", holds=True),
    )
    one.call()
    quiet.call()
    for worker in (one, quiet):
        runs(worker, "quiet")
    other = start("ordinary")
    waits(other)
    one.end()
    runs(one, "quiet", "quiet")
    one.end()
    waits(one, "quiet", "quiet")
    quiet.end()
    runs(one, "quiet", "quiet", "alone")
    waits(other)
    one.end()
    runs(other, "ordinary")
    runs(one, "quiet", "quiet", "alone", "ordinary")
    one.end()
    other.end()
    until(one.is_over)
