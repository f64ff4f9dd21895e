"""Sends requests to a daemon in this process and mutates those with the longest slices."""

import gc
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import gevent
from support.daemons import Daemon

from slices.meter import Slice, longest
from slices.requests import Candidate, body, candidates, mutated
from tsvc.engine.limits.collector import settle

_KEPT = 48  # requests that are mutated further
_OF_ONE = 4  # of them, from the same initial request
_RUN_S = 1.0  # after which a run is cancelled
_FORMS = ("json", "text", "ladder")


@dataclass(frozen=True, slots=True)
class Found:
    """A request and its longest slice."""

    name: str
    candidate: Candidate
    slice: Slice


class Bench:
    """A daemon that executes requests."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self._runs = 0

    def play(self, name: str, candidate: Candidate) -> Found:
        """Return the longest slice of everything that a request causes."""
        method, params = candidate
        run_id = None
        if method == "ExecuteTest":
            self._runs += 1
            run_id = f"slices {self._runs}"
            params = {**params, "run_id": run_id}
        octets = body(method, params)
        gc.collect()

        def work() -> None:
            answer = self.daemon.dispatcher.dispatch(octets)
            assert b'"kind":"internal"' not in answer[:1000], (name, answer)
            if run_id is not None:
                self._look_at(run_id)

        return Found(name, candidate, longest(work))

    def _look_at(self, run_id: str) -> None:
        self._ask("QueryTest", run_id=run_id)
        gevent.sleep(0.05)
        self._ask("QueryTest", run_id=run_id, wait_s=_RUN_S)
        self._ask("CancelTest", run_id=run_id)
        for form in _FORMS:
            self._ask("GetTrace", run_id=run_id, instance=0, format=form)
        self._ask("QueryTest", run_id=run_id)
        self._ask("ListResults", limit=50)

    def _ask(self, method: str, **params: Any) -> None:
        self.daemon.dispatcher.dispatch(body(method, params))

    def again(self, found: Found, rounds: int = 3) -> Found:
        """Return the shortest of a few rounds: longer rounds include other work of the machine."""
        plays = [self.play(found.name, found.candidate) for _ in range(rounds)]
        return min([found, *plays], key=lambda one: one.slice.ms)


@contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    """Make a daemon whose memory is settled like that of a process."""
    thresholds = gc.get_threshold()
    daemon = Daemon(folder)
    try:
        daemon.until_up()
        settle()
        daemon.ask("DescribeService")
        yield Bench(daemon)
    finally:
        gc.set_threshold(*thresholds)
        daemon.stop()


def search(made: Bench, seconds: float, seed: int, tell: Callable[[Found], None]) -> list[Found]:
    """Return the slowest requests, the longest slice first; report each new maximum."""
    random = Random(seed)
    ends_at = monotonic() + seconds
    found: list[Found] = []
    worst = 0.0

    def note(one: Found) -> None:
        nonlocal worst
        if one.slice.ms > worst:
            one = made.again(one, 1)
        if one.slice.ms > worst:
            worst = one.slice.ms
            tell(one)
        found.append(one)
        found.sort(key=lambda other: -other.slice.ms)
        found[:] = _mixed(found)

    for name, candidate in candidates():
        if monotonic() > ends_at:
            break
        note(made.play(name, candidate))
    while monotonic() < ends_at:
        gc.collect()  # the daemon collects when it has grown; candidates held much memory
        parent = random.choice(found)
        note(made.play(f"{parent.name}*"[:200], mutated(parent.candidate, random)))
    return [made.again(one) for one in found]


def _mixed(found: list[Found]) -> list[Found]:
    """Return the longest ones, some of each origin; otherwise only one family would be mutated."""
    families: Counter[str] = Counter()
    kept = []
    for one in found:
        families[one.name.rstrip("*")] += 1
        if families[one.name.rstrip("*")] <= _OF_ONE:
            kept.append(one)
    return kept[:_KEPT]
