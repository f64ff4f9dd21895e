"""Mutants as loads with `track: 0` and with `track: 1`: equal results, except for ids and times.

A mutant of a definition is a load in which each instance is the mutant. A mutant of a message is
one message in the middle of a correct load, so that it meets an instance on the fast path.
"""

import copy
from collections.abc import Iterable, Iterator
from typing import Any

from support.daemons import Daemon
from support.without_memories import Recorder, Told, difference, without_ids

from mutate.mutants import Mutant, shorten
from mutate.octets import destination
from mutate.play import AT_ONCE, Altered, Line, start

_CALLS = 5
# Correlation ids, sessions, numbers and subscribers are different in each call.
_WITH_IDS = ("assist", "five_gateways", "diameter", "smpp", "smpp_submit", "osd")
_CHANGED = 2  # from 0: the transaction whose message is changed
Difference = tuple[str, str | None]
"""Name of a mutant, and the place where its two results differ; None if they are equal."""


def mutants(
    recorder: Recorder, daemons: dict[str, Daemon], wanted: Iterable[Mutant]
) -> Iterator[Difference]:
    """Yield the difference for each mutant that is not refused and has no ids of its own."""
    some: list[tuple[Mutant, list[str]]] = []

    def over() -> Iterator[Difference]:
        for mutant, run_ids in some:
            plain, usual = (_told(recorder, daemons[mutant.subject.world], one) for one in run_ids)
            yield mutant.name, difference(usual, plain)
        some.clear()

    for mutant in wanted:
        if mutant.subject.name in _WITH_IDS:
            continue
        daemon = daemons[mutant.subject.world]
        run_ids = [_start(daemon, mutant.definition, track, 3) for track in (0, 1)]
        assert bool(run_ids[0]) is bool(run_ids[1]), mutant.name
        if run_ids[0]:
            some.append((mutant, run_ids))
        if len(some) == AT_ONCE // 2:
            yield from over()
    yield from over()


def messages(
    recorder: Recorder, lines: dict[str, Line], wanted: Iterable[Altered]
) -> Iterator[Difference]:
    """Yield the difference for each mutant; nothing else may run in these daemons."""
    for one in wanted:
        line = lines[one.subject.world]
        plain, usual = (_altered(recorder, line, one, track) for track in (0, 1))
        yield one.name, difference(usual, plain)


def _altered(recorder: Recorder, line: Line, mutant: Altered, track: int) -> Told:
    wanted = mutant.deviation
    calls: dict[bytes, int] = {}
    is_made = False

    def change(number: int, octets: bytes) -> bytes:
        nonlocal is_made
        call = calls.setdefault(destination(octets), len(calls))
        if is_made or call != _CHANGED or number != wanted.message:
            return octets
        is_made = True
        return wanted.apply(octets)

    definition = copy.deepcopy(mutant.subject.definition)
    shorten(definition)
    with line.altered(change):
        return _told(recorder, line.daemon, _start(line.daemon, definition, track, _CALLS))


def _start(daemon: Daemon, definition: dict[str, Any], track: int, calls: int) -> str:
    load = {"type": "load", "total": calls, "backlog": 1}
    return start(daemon, definition, track=track, distribution=load, seed=7)


def _told(recorder: Recorder, daemon: Daemon, run_id: str) -> Told:
    """Return the whole result of a run, without the names that belong to this run."""
    told = without_ids(recorder.told(run_id, daemon.finish(run_id)), run_id)
    for one in told["instances"]:
        one.pop("reason_t", None)  # the moment at which a silence was noticed varies
    return told
