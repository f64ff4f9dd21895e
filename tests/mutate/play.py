"""Runs mutants, some at a time in one daemon, and reports their outcomes."""

import contextlib
import copy
import dataclasses
import itertools
import random
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from support.daemons import Daemon

from mutate.judges import tcap
from mutate.mutants import Mutant, is_expectation, shorten
from mutate.octets import Deviation, destination, deviations, origin
from mutate.subjects import Subject
from mutate.wire import Pair

AT_ONCE = 8
_NUMBERS = itertools.count(1)
_BEGIN = 0x62
_IN_LOADS = 5  # one mutant out of so many is a load of two


@dataclass(frozen=True)
class Outcome:
    """A mutant by its name, and its outcome: refused, failed, aborted, or pass, a survivor.

    `must`: why a test must notice it; "" if it need not.
    """

    name: str
    operator: str
    verdict: str
    must: str = "the definition is another"

    @property
    def subject(self) -> str:
        return self.name.partition("/")[0]

    @property
    def survived(self) -> bool:
        return self.verdict == "pass" and bool(self.must)


def start(daemon: Daemon, definition: dict[str, Any], **more: Any) -> str:
    """Start a run; return its id, or "" if the definition is refused (2002, 2003)."""
    run_id = f"mutant {next(_NUMBERS)}"
    response = daemon.ask("ExecuteTest", {**definition, "run_id": run_id, **more})
    if "error" not in response or response["error"] is None:
        return run_id
    assert response["error"]["code"] in (2002, 2003), response["error"]
    return ""


def end(daemon: Daemon, run_id: str) -> str:
    """Return the verdict of a run, once it is over."""
    if not run_id:
        return "refused"
    result = daemon.finish(run_id)
    return str(result["verdict"])


def _load(name: str) -> dict[str, Any]:
    if zlib.crc32(name.encode()) % _IN_LOADS:
        return {}
    return {"distribution": {"type": "load", "total": 2, "backlog": 2}}


def play(daemons: dict[str, Daemon], mutants: Iterable[Mutant]) -> Iterator[Outcome]:
    """Yield the outcome of each mutant."""
    batch: list[tuple[Mutant, str]] = []

    def over() -> Iterator[Outcome]:
        for mutant, run_id in batch:
            verdict = end(daemons[mutant.subject.world], run_id)
            yield Outcome(mutant.name, mutant.operator, verdict)
        batch.clear()

    for mutant in mutants:
        daemon = daemons[mutant.subject.world]
        batch.append((mutant, start(daemon, mutant.definition, **_load(mutant.name))))
        if len(batch) == AT_ONCE:
            yield from over()
    yield from over()


# -- what the SCP sends ----------------------------------------------------------------------


@dataclass(frozen=True)
class Altered:
    """A definition that compares all that is received, and a change of a received message."""

    subject: Subject
    deviation: Deviation

    @property
    def name(self) -> str:
        return f"{self.subject.name}/{self.deviation.name}"


class Line:
    """The messages of a daemon's SCP on their way to the tester.

    Messages are counted by their transaction: late messages of an earlier run do not count.
    """

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self._change: Callable[[int, bytes], bytes] | None = None
        self._before: set[bytes] = set()
        self._sent: dict[bytes, int] = {}
        self._begins: dict[bytes, bytes] = {}
        self._service = daemon.service.scp.node.service
        self._data_to_send = self._service.data_to_send
        self._service.data_to_send = self._pass_on
        self._receive = self._service.receive
        self._service.receive = self._hear

    @contextlib.contextmanager
    def altered(self, change: Callable[[int, bytes], bytes]) -> Iterator[None]:
        """Pass octets through change(number, octets) during a run; the number begins at 0."""
        self._before |= set(self._sent)
        self._sent.clear()
        self._begins.clear()
        self._change = change
        try:
            yield
        finally:
            self._change = None

    def begin_of(self, octets: bytes) -> bytes:
        """Return the BEGIN of the tester that a message of this run answers, or nothing."""
        return self._begins.get(destination(octets), b"")

    def _hear(self, octets: bytes, *more: Any) -> Any:
        if octets[0] == _BEGIN:
            self._begins[origin(octets)] = octets
        return self._receive(octets, *more)

    def _pass_on(self) -> list[Any]:
        made = []
        for outgoing in self._data_to_send():
            octets = outgoing.octets
            transaction = destination(octets)
            number = self._sent.get(transaction, 0)
            self._sent[transaction] = number + 1
            if self._change is not None and transaction not in self._before:
                octets = self._change(number, octets)
            made.append(dataclasses.replace(outgoing, octets=octets))
        return made


def altered(line: Line, subject: Subject) -> list[Altered]:
    """Return the deviations of every message that the SCP sends in a subject."""
    heard: list[bytes] = []

    def keep(number: int, octets: bytes) -> bytes:
        heard.append(octets)
        return octets

    with line.altered(keep):
        verdict = end(line.daemon, start(line.daemon, subject.definition))
    assert verdict == "pass", subject.name
    return [
        Altered(subject, one)
        for number, octets in enumerate(heard)
        for one in deviations(number, octets)
    ]


def judged(lines: dict[str, Line], mutants: Iterable[Altered]) -> list[Outcome]:
    """Return the outcome of each mutant, and why it must be noticed."""
    outcomes: list[Outcome] = []
    pairs: list[tuple[bytes, Pair]] = []
    for one in mutants:
        outcome, pair = play_altered(lines[one.subject.world], one)
        outcomes.append(outcome)
        pairs.append(pair)
    reasons = tcap(pairs)
    return [dataclasses.replace(one, must=why) for one, why in zip(outcomes, reasons, strict=True)]


def play_altered(line: Line, mutant: Altered) -> tuple[Outcome, tuple[bytes, Pair]]:
    """Run a mutant; nothing else may run in this daemon. Return also the BEGIN and the pair."""
    wanted = mutant.deviation
    found: tuple[bytes, Pair] = b"", (b"", [])

    def change(number: int, octets: bytes) -> bytes:
        nonlocal found
        if number != wanted.message or found[0] or found[1][1]:
            return octets
        made = wanted.apply(octets)
        found = line.begin_of(octets), (octets, [made])
        return made

    definition = copy.deepcopy(mutant.subject.definition)
    shorten(definition)
    with line.altered(change):
        verdict = end(line.daemon, start(line.daemon, definition))
    return Outcome(mutant.name, f"message {wanted.operator}", verdict), found


# -- definitions that compare all that comes ----------------------------------------------------


def heard(daemon: Daemon, subject: Subject) -> Subject:
    """Return a subject whose operations expect every received member, named …+heard."""
    definition = copy.deepcopy(subject.definition)
    operations = definition["operations"]
    result = daemon.finish(start(daemon, definition))
    assert result["verdict"] == "pass", subject.name
    came = [
        component
        for message in result["first_call_summary"]["messages"]
        if message.get("direction") == "received" and message["protocol"] == "tcap"
        for component in message["components"]
    ]
    contexts = [
        message["application_context"]
        for message in result["first_call_summary"]["messages"]
        if message["direction"] == "received" and message.get("application_context")
    ]
    first = next(one for one in operations if is_expectation(one))
    first["tcap_ac"] = contexts[0]
    for entry in operations:
        if not is_expectation(entry) or entry["type"].startswith("tcap"):
            continue
        name = entry["type"].rpartition(".")[2]
        component = next(one for one in came if name.removesuffix("Result") == one["operation"])
        came.remove(component)
        if component["arguments"]:
            entry["arguments"] = _comparable(component["arguments"])
    return Subject(f"{subject.name}+heard", subject.world, definition)


def _comparable(tree: Any) -> Any:
    """Return decoded arguments as a definition expects them: each member in one form."""
    if isinstance(tree, list):
        return [_comparable(one) for one in tree]
    if not isinstance(tree, dict):
        return tree
    made = {name: _comparable(value) for name, value in tree.items() if name[-5:] != "_name"}
    return {"bcsmEvents": made["bcsmEvents"]} if "bcsmEvents" in made else made


def shuffled(things: list[Any], seed: int) -> list[Any]:
    """Return things in a random order."""
    made = list(things)
    random.Random(seed).shuffle(made)
    return made
