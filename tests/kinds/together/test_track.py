"""The usual way of instances that meet several: whatever their peers do, a run says the same.

An SCP, an OCS and a server play along, and each of them does otherwise now and then, by chance:
other octets, nothing, twice, too late, an abort, the end of a connection. One instance after the
other, so that two runs of one seed have the same identifiers and the same deviations.
"""

import os
import random
from pathlib import Path

import pytest
from kinds.diameter.unsteady import SESSION
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
    singly,
)
from support.scripted_scp import evaluate
from support.without_memories import Recorder, difference

from tsvc.engine.usual import Usual

SEEDS = int(os.environ.get("TSVC_TOGETHER_SEEDS", "6"))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("operations", [SEQUENTIAL, INTERLEAVED, EARLY])
def test_all_pass(
    recorder: Recorder, usuals: list[Usual], tmp_path: Path, operations: list[Params]
) -> None:
    waiting = patient(operations)  # everybody answers, on a busy machine too
    plain, told = both_ways(tmp_path, recorder, waiting, 1, 10**9, 20, rest=PATIENT)
    assert difference(told, plain) is None
    assert plain["counts"]["passed"] == 20
    assert (usuals[1].begun, usuals[1].deviated) == (19, 0)


# What stands between: it sets variables, jumps, and is odd in some instances.
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
    """Return operations of several gateways, or of several dialogues, in a random order, and their
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
    recorder: Recorder, usuals: list[Usual], tmp_path: Path, seed: int
) -> None:
    operations, given = mixture(seed)
    plain, told = both_ways(tmp_path, recorder, operations, seed, 12, vars=given)
    assert difference(told, plain) is None
    assert usuals[0].begun == 0
    assert usuals[1].begun > INSTANCES / 3
    assert 0 < usuals[1].deviated < usuals[1].begun
