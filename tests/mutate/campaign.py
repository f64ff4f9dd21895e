"""The whole campaign: numbers of mutants of definitions, of messages, and of unchanged runs."""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.daemons import Daemon

from mutate.mutants import Mutant, by_chance, systematic
from mutate.play import (
    AT_ONCE,
    Altered,
    Line,
    Outcome,
    altered,
    end,
    heard,
    judged,
    play,
    shuffled,
    start,
)
from mutate.subjects import Subject, subjects, worlds

_BY_CHANCE = 5  # one mutant out of so many has random values


@dataclass
class Campaign:
    """The daemons, the definitions that they run, and the mutants of these."""

    daemons: dict[str, Daemon]
    lines: dict[str, Line]
    subjects: list[Subject]
    heard: list[Subject]

    @property
    def all(self) -> list[Subject]:
        return [*self.subjects, *self.heard]

    def mutants(self, count: int, seed: int) -> list[Mutant]:
        """Return so many different mutants: places and operators in random order, then random
        values, as many as are needed."""
        every = [one for subject in self.all for one in systematic(subject)]
        chosen = shuffled(every, seed)[: count - count // _BY_CHANCE]
        rest = count - len(chosen)
        made = [
            by_chance(self.all[at % len(self.all)], seed * 1_000_000 + at) for at in range(rest)
        ]
        return chosen + made

    def altered(self, count: int, seed: int) -> list[Altered]:
        """Return so many deviations of messages."""
        every = [
            one for subject in self.heard for one in altered(self.lines[subject.world], subject)
        ]
        return shuffled(every, seed)[:count]

    def play(self, mutants: list[Mutant], messages: list[Altered]) -> Iterator[Outcome]:
        """Yield the outcomes."""
        yield from play(self.daemons, mutants)
        yield from judged(self.lines, messages)

    def unchanged(self, count: int) -> Iterator[tuple[str, int, int]]:
        """Yield (subject, instances, passed): a fifth in single runs, the others in loads."""
        share = -(-count // len(self.all))
        singles = -(-share // 5)
        for subject in self.all:
            daemon = self.daemons[subject.world]
            passed = 0
            for at in range(0, singles, AT_ONCE):
                size = min(AT_ONCE, singles - at)
                ids = [start(daemon, copy.deepcopy(subject.definition)) for _ in range(size)]
                passed += sum(end(daemon, one) == "pass" for one in ids)
            total = share - singles
            if total:
                load = {"type": "load", "total": total, "backlog": AT_ONCE}
                run_id = start(daemon, subject.definition, distribution=load)
                result = daemon.finish(run_id)
                passed += result["counts"]["passed"] if result["verdict"] == "pass" else 0
            yield subject.name, share, passed

    def named(self, name: str) -> Mutant | Altered:
        """Return the mutant with a name. Errors: KeyError."""
        owner, _, rest = name.partition("/")
        subject = next((one for one in self.all if one.name == owner), None)
        if subject is None:
            raise KeyError(f"no definition {owner}")
        if rest.startswith("random/"):
            return by_chance(subject, int(rest.rpartition("/")[2]))
        every: list[Mutant | Altered] = [*systematic(subject)]
        if rest.startswith("message"):
            every = [*altered(self.lines[subject.world], subject)]
        for one in every:
            if one.name == name:
                return one
        raise KeyError(f"no mutant {name}")


@contextmanager
def campaign(folder: Path) -> Iterator[Campaign]:
    """Start the daemons for the duration of a block."""
    found = subjects()
    with worlds(folder, {one.world for one in found}) as daemons:
        # The correlation id of an assist is different in each call: its test is only that it came.
        full = [
            heard(daemons[one.world], one)
            for one in found
            if "@" in one.name or one.name == "ussd"
        ]
        lines = {name: Line(daemon) for name, daemon in daemons.items()}
        yield Campaign(daemons, lines, found, full)
