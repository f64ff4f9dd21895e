"""Some mutants of `make mutate`, a few unchanged runs; and a check that survivors are found."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from support import tiers
from support.without_memories import Recorder

from mutate import both_ways, report
from mutate.campaign import Campaign, campaign
from mutate.mutants import edits, systematic
from mutate.octets import deviations, parse
from mutate.play import Outcome, judged, play
from tsvc.kinds.sigtran.fast_path.paths import SlimDialogue
from tsvc.protocols.tcap.frame import read

MUTANTS, MESSAGES, SEED = tiers.size(700, 60), tiers.size(150, 20), 23
OCTETS = bytes.fromhex(
    "65254804f41ba36f490421ebc31a6c17a115020101020118300d800107a303810102a403800101"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    logging.disable(logging.ERROR)
    with campaign(tmp_path_factory.mktemp("mutate")) as found:
        yield found
    logging.disable(logging.NOTSET)


def test_nothing_that_is_not_right_passes(made: Campaign) -> None:
    outcomes = list(made.play(made.mutants(MUTANTS, SEED), made.altered(MESSAGES, SEED)))
    assert len({one.name for one in outcomes}) == MUTANTS + MESSAGES
    assert [one.name for one in report.unexplained(outcomes)] == []
    refused = sum(one.verdict == "refused" for one in outcomes)
    assert refused < len(outcomes) / 5, "most mutants have to be run"


def test_what_is_unchanged_passes(made: Campaign) -> None:
    for name, instances, passed in made.unchanged(tiers.size(5, 1) * len(made.all)):
        assert passed == instances, name


def test_both_ways_say_the_same(made: Campaign, recorder: Recorder) -> None:
    definitions = both_ways.mutants(recorder, made.daemons, made.mutants(20, SEED))
    changed = both_ways.messages(recorder, made.lines, made.altered(20, SEED))
    assert [one for one in (*definitions, *changed) if one[1] is not None] == []
    assert recorder.replayed > 20


def test_a_way_that_says_something_else_is_found(
    made: Campaign, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here the fast path accepts any message as the awaited message."""
    on_message = SlimDialogue.on_message

    def hears_what_it_awaits(
        dialogue: SlimDialogue, octets: bytes, called: Any, calling: Any, route: Any, *rest: Any
    ) -> None:
        awaited, at = dialogue.path.awaited, len(dialogue.received)
        if dialogue.instance is not None and at < len(awaited):
            frame = read(octets)
            theirs = dialogue.rtid or (frame and frame.otid) or b""
            values = dialogue.instance.values
            octets = awaited[at].message.template.fill(values, (dialogue.otid, theirs))
        on_message(dialogue, octets, called, calling, route, rest[0])

    monkeypatch.setattr(SlimDialogue, "on_message", hears_what_it_awaits)
    changed = made.altered(20, SEED)
    assert any(where for _, where in both_ways.messages(recorder, made.lines, changed))


def test_a_comparison_that_is_always_true_is_found(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tsvc.matching.arguments.equal_scalars", lambda *given: True)
    subject = next(one for one in made.subjects if one.name == "extension_dialing@camel2")
    mutants = [one for one in systematic(subject) if one.operator in ("digit", "plus")]
    with _forgotten():
        survivors = [one.name for one in play(made.daemons, mutants) if one.survived]
    assert len(survivors) > 10
    assert any("destinationRoutingAddress_digits" in name for name in survivors)


def test_a_reader_that_sees_no_malformation_is_found(
    made: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tsvc.protocols.tcap.dialogue_portion._members", _careless)
    subject = next(one for one in made.heard if one.name.startswith("extension_dialing@camel2"))
    every = [one for one in made.altered(10**6, SEED) if one.subject is subject]
    chosen = [one for one in every if one.deviation.path[:3] == (2, 0, 1)]
    doubled = [one for one in chosen if one.deviation.operator == "double"]
    with _forgotten():
        assert any(one.survived for one in judged(made.lines, doubled))


def _careless(octets: bytes, known: tuple[int, ...], what: str) -> dict[int, bytes]:
    return {one.tag[0]: one.content for one in _contents(octets)}


def _contents(octets: bytes) -> list[Any]:
    found = parse(octets)
    for one in found:
        if one.children is not None:
            one.content = b"".join(child.octets() for child in one.children)
    return found


def _forgotten() -> Any:
    from tsvc import memo

    return memo.off()


# -- the mutants themselves ------------------------------------------------------------------


def test_a_name_makes_the_same_mutant_again(made: Campaign) -> None:
    for mutant in made.mutants(200, 5)[::10]:
        assert made.named(mutant.name).name == mutant.name
        again = made.named(mutant.name)
        assert again.definition == mutant.definition


def test_every_mutant_differs_from_its_definition(made: Campaign) -> None:
    for subject in made.all[::7]:
        names = [one.name for one in edits(subject.definition)]
        assert len(names) == len(set(names)), subject.name
        for mutant in systematic(subject):
            assert mutant.definition != subject.definition, mutant.name


def test_octets_are_read_and_written_alike() -> None:
    assert b"".join(one.octets() for one in parse(OCTETS)) == OCTETS
    for one in deviations(0, OCTETS):
        assert one.apply(OCTETS) != OCTETS, one.name


def test_the_report_of_what_survives() -> None:
    outcomes = [Outcome("loop/operations[6]/end removed", "end removed", "pass")]
    assert report.unexplained(outcomes) == []
    outcomes.append(Outcome("loop/operations[6].x/null", "null", "pass"))
    assert report.unexplained(outcomes) == outcomes[1:]
    assert "end removed" in report.table(outcomes)
    assert all(report.explained().values())
