"""The fast path of instances with several peers: whatever peers do, a run reports the same.

An SCP, an OCS and a server answer, and each of them deviates at random now and then: other octets,
nothing, twice, too late, an abort, the end of a connection. Instances run one after the other, so
that two runs of one seed have the same identifiers and the same deviations.
"""

import os
import random
from itertools import count
from pathlib import Path

import pytest
from kinds.diameter.unsteady import SESSION, Choosing
from kinds.rest.unsteady import choosing
from kinds.sigtran.unsteady import CONNECT, USUAL, Reaction
from kinds.together.testbed import (
    BOTH,
    EARLY,
    INSTANCES,
    INTERLEAVED,
    PATIENT,
    REQUEST,
    SEQUENTIAL,
    VARS,
    Params,
    both_ways,
    in_dialogue,
    merged,
    patient,
    seeded,
    singly,
    told_of,
)
from support.scripted_scp import ScriptedScp, evaluate, operation, sends
from support.without_memories import Recorder, difference

from tsvc.engine.fast_path import RunFastPath

EVENTS = [
    {"bcsmEvents": [{"eventTypeBCSM_name": one, "monitorMode_name": "notifyAndContinue"}]}
    for one in ("oAnswer", "oDisconnect", "oAbandon")
]
SEEDS = int(os.environ.get("TSVC_TOGETHER_SEEDS", "6"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("operations", [SEQUENTIAL, INTERLEAVED, EARLY])
def test_all_pass(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, operations: list[Params]
) -> None:
    waiting = patient(operations)  # all peers answer, also on a busy machine
    plain, told = both_ways(tmp_path, recorder, waiting, 1, 10**9, 20, rest=PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 20
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (19, 0)


@pytest.mark.parametrize("operations", [SEQUENTIAL, INTERLEAVED, EARLY])
def test_ways_in_which_several_peers_answer(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, operations: list[Params]
) -> None:
    """Each combination of answers becomes a branch, made by the first instance that gets it."""
    told = []
    requests = sum(one["type"] in ("rest.Request", "rest.SendRequest") for one in operations)
    for track in (0, 1):
        here = seeded(tmp_path / str(track), ScriptedScp(*USUAL), **PATIENT)
        here.ocs.twist = Choosing(2).twist
        here.server.twist = choosing(3, requests)
        try:
            told.append(told_of(here, recorder, patient(operations), 30, track=track))
        finally:
            here.stop()
    assert difference(told[1], told[0]) is None
    assert told[0]["counts"]["passed"] == 30
    assert (fast_paths[1].begun, fast_paths[1].fell_back) == (29, 5)
    assert fast_paths[1].result()["branches"] == 5


def in_turn(*reactions: Reaction) -> Reaction:
    """Return a reaction that takes the next of these reactions in each dialogue."""
    number = count()
    return lambda *given: reactions[next(number) % len(reactions)](*given)


def test_what_comes_before_it_is_awaited_leads_to_a_branch_as_well(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """One instance is the first for each of six combinations, in either order of SCP and OCS."""
    told = []
    armed = [operation("RequestReportBCSMEvent", one) for one in EVENTS]
    calls = [sends("continue", one, CONNECT) for one in armed]
    for track in (0, 1):
        here = seeded(tmp_path / str(track), ScriptedScp(in_turn(*calls), *USUAL[1:]), **PATIENT)
        here.ocs.twist = Choosing(2).twist
        try:
            told.append(told_of(here, recorder, patient(EARLY), 60, track=track))
        finally:
            here.stop()
    assert difference(told[1], told[0]) is None
    assert told[0]["counts"]["passed"] == 60
    assert fast_paths[1].begun == 59
    assert 5 <= fast_paths[1].fell_back <= 2 * 6 - 1


# Operations without a peer: they set variables, jump, and fail in some instances.
BETWEEN = [
    [evaluate("$v->{made} = $v->{caller} + int(rand(5))")],
    [
        {"type": "branch", "expression": "$r->{idx} % 9 != 3", "on_true": "on"},
        {"type": "fail", "arguments": {"text": "{$v->{caller}}"}},
        evaluate("$v->{then} = rand(1)", label="on"),
    ],
    [{"type": "log", "arguments": {"text": "{$v->{made} // 0}"}}],
    [evaluate("$v->{held} = exponential(3) + normal(2, 0.5)")],
]
LONGER = [[{**REQUEST[0], "arguments": {"path": "{'/x/' . $v->{long}}", "method": "GET"}}]]


def mixture(seed: int) -> tuple[list[Params], Params]:
    """Return operations of several gateways or dialogues in a random order, and their
    variables."""
    chance = random.Random(seed)
    longer = chance.random() < 0.25
    sequences = [
        singly(in_dialogue("A")),
        chance.choice([[], singly(in_dialogue("B"))]),
        singly(SESSION[: chance.randint(0, 3)]),
        LONGER if longer else chance.choice([[], [BOTH], [REQUEST, BOTH], [REQUEST]]),
        chance.choice([[], [], BETWEEN]),
    ]
    if not any(sequences[1:4]):
        sequences[1] = singly(in_dialogue("B"))
    more = {"long": {"$sequence": {"start": 1, "step": 7}}} if longer else {}
    return merged(chance, *sequences), {**VARS, **more}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_whatever_peers_do_the_result_is_the_same(
    recorder: Recorder, fast_paths: list[RunFastPath], tmp_path: Path, seed: int
) -> None:
    operations, given = mixture(seed)
    plain, told = both_ways(tmp_path, recorder, operations, seed, 12, vars=given)
    assert difference(told, plain) is None
    assert fast_paths[0].begun == 0
    assert fast_paths[1].begun > INSTANCES / 3
    assert 0 < fast_paths[1].fell_back < fast_paths[1].begun
