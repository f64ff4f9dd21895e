"""python -m tests.mutate (make mutate): exit 1 if a mutant passes that survivors.txt does not
explain, an unchanged run does not pass, or a mutant has another result with `track: 0`. With names
of mutants: runs these mutants, and shows them."""

import argparse
import itertools
import logging
import re
import sys
import tempfile
import time
from pathlib import Path

import pytest
from support.without_memories import Recorder

from mutate import both_ways, report
from mutate.campaign import Campaign, campaign
from mutate.judges import JUDGES
from mutate.peers import needless, peers, table, unexplained
from mutate.play import Altered, Outcome, judged, play

_OF_PEERS = re.compile(rf"(?:{'|'.join(JUDGES)})/message")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutate")
    parser.add_argument("--mutants", type=int, default=20_000, help="of definitions")
    parser.add_argument("--messages", type=int, default=4_000, help="of what the SCP sends")
    parser.add_argument("--peers", type=int, default=16_000, help="of what other peers send")
    parser.add_argument("--unchanged", type=int, default=20_000, help="runs as they are")
    parser.add_argument("--both-ways", type=int, default=4_000, help="of all those, as loads")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    logging.disable(logging.ERROR)  # aborts are expected here
    if any(_OF_PEERS.match(name) for name in options.names):
        return _show_peers(options.names)
    with (
        tempfile.TemporaryDirectory(prefix="tsvc-mutate-") as folder,
        campaign(Path(folder)) as made,
    ):
        if options.names:
            return max(_show(made, name) for name in options.names)
        found = max(_mutants(made, options), _unchanged(made, options.unchanged))
        found = max(found, _both_ways(made, options))
    return max(found, _peers(options))


def _show(made: Campaign, name: str) -> int:
    one = made.named(name)
    if isinstance(one, Altered):
        (outcome,) = judged(made.lines, [one])
    else:
        (outcome,) = play(made.daemons, [one])
        print(report.difference(one.subject.definition, one.definition))
    print(f"{outcome.name}: {outcome.verdict}; must be noticed: {outcome.must or 'no'}")
    return int(bool(report.unexplained([outcome])))


def _show_peers(names: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="tsvc-mutate-") as folder, peers(Path(folder)) as made:
        played = made.play(made.named(name) for name in names)
    for one in played:
        print(f"{one.name}: {one.verdict}; must be noticed: {one.must or 'no'}")
        print(f"  was    {one.pair[0]!r}")
        print(f"  became {one.pair[1]!r}")
    return int(bool(unexplained(played)))


def _mutants(made: Campaign, options: argparse.Namespace) -> int:
    begun = time.monotonic()
    mutants = made.mutants(options.mutants, options.seed)
    messages = made.altered(options.messages, options.seed)
    outcomes: list[Outcome] = []
    for one in made.play(mutants, messages):
        outcomes.append(one)
        if len(outcomes) % 1000 == 0:
            print(f"{len(outcomes)} after {time.monotonic() - begun:.0f} s", flush=True)
    print(report.table(outcomes))
    definitions = {one.name: one for one in mutants}
    bad = report.unexplained(outcomes)
    for one in bad:
        print(f"SURVIVED {one.name}")
        if one.name in definitions:
            mutant = definitions[one.name]
            print(report.difference(mutant.subject.definition, mutant.definition))
    survivors = sum(one.survived for one in outcomes)
    must = sum(bool(one.must) for one in outcomes)
    score = 100 * (1 - len(bad) / max(must, 1))
    print(
        f"{len(outcomes)} mutants, seed {options.seed}, {must} must be noticed: score"
        f" {score:.2f} %, {survivors} passed, {len(bad)} of them unexplained;"
        f" {time.monotonic() - begun:.0f} s"
    )
    return int(bool(bad))


def _peers(options: argparse.Namespace) -> int:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tsvc-mutate-") as folder, peers(Path(folder)) as made:
        played = made.play(made.changes(options.peers, options.seed))
    print(table(played))
    bad = unexplained(played)
    for one in played:
        if one.survived:
            print(f"{'SURVIVED' if one in bad else 'explained'} {one.name}: {one.must}")
    seconds = time.monotonic() - begun
    print(
        f"{len(played)} messages of peers, seed {options.seed}: {len(bad)} survived unexplained,"
        f" {len(needless(played))} noticed that need not be; {seconds:.0f} s"
    )
    return int(bool(bad))


def _both_ways(made: Campaign, options: argparse.Namespace) -> int:
    """Run messages, at most half of the total, and definitions in both ways."""
    begun, half = time.monotonic(), options.both_ways // 2
    with pytest.MonkeyPatch.context() as patch:
        recorder = Recorder(patch)
        messages = made.altered(half, options.seed)
        mutants = made.mutants(options.both_ways - len(messages), options.seed)
        played = bad = 0
        for name, where in itertools.chain(
            both_ways.messages(recorder, made.lines, messages),
            both_ways.mutants(recorder, made.daemons, mutants),
        ):
            played += 1
            if where is not None:
                bad += 1
                print(f"DIFFERS {name}: {where}", flush=True)
            if played % 1000 == 0:
                print(f"{played} both ways after {time.monotonic() - begun:.0f} s", flush=True)
    print(
        f"{played} played both ways, {recorder.replayed} instances on the fast path:"
        f" {bad} differ; {time.monotonic() - begun:.0f} s"
    )
    return int(bool(bad) or (half > 0 and not recorder.replayed))


def _unchanged(made: Campaign, count: int) -> int:
    played = right = 0
    for name, instances, passed in made.unchanged(count):
        played, right = played + instances, right + passed
        if passed != instances:
            print(f"NOT PASSED {name}: {instances - passed} of {instances} as they are")
    print(f"{played} unchanged: {right} passed")
    return int(played != right)


if __name__ == "__main__":
    sys.exit(main())
