"""A track goes with its run: no circle keeps what instances have sent and received."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds.diameter.unsteady import SESSION
from kinds.rest.unsteady import Halting
from kinds.sigtran.unsteady import CALL, USUAL
from kinds.together.testbed import (
    EARLY,
    INTERLEAVED,
    REQUEST,
    VARS,
    Params,
    World,
    in_dialogue,
    patient,
)
from support.freed import assert_freed
from support.loads import load
from support.scripted_scp import ScriptedScp

from tsvc.kinds.diameter.leg import RequestLeg as DiameterLeg
from tsvc.kinds.diameter.leg import RequestPart as DiameterPart
from tsvc.kinds.diameter.play import Play as DiameterPlay
from tsvc.kinds.rest.leg import RequestLeg, RequestPart
from tsvc.kinds.rest.play import Play as RestPlay
from tsvc.kinds.sigtran.track.leg import CallLeg, CallPart
from tsvc.kinds.sigtran.track.play import Play as CallPlay
from tsvc.operations import together

LATER = [*CALL, SESSION[0], *REQUEST, SESSION[2]]
OURS = (
    together.JointTrack
    | together.JointPassage
    | together.JointPlay
    | DiameterLeg
    | DiameterPart
    | DiameterPlay
    | RequestLeg
    | RequestPart
    | RestPlay
    | CallLeg
    | CallPart
    | CallPlay
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, ScriptedScp(*USUAL), quarantine_s=0)
    yield made
    made.stop()


@pytest.mark.parametrize(
    ("operations", "answers", "verdict"),
    [
        (INTERLEAVED, 60, "pass"),
        (EARLY, 28, "abort"),
        (LATER, 28, "abort"),
        ([*in_dialogue("A"), *in_dialogue("B")], 0, "pass"),
    ],
)
def test_a_track_is_freed_with_its_run(
    world: World, operations: list[Params], answers: int, verdict: str
) -> None:
    world.server.twist = Halting(answers)
    waiting = patient(operations)  # the server alone is silent
    assert_freed(world, OURS, verdict, *waiting, vars=VARS, distribution=load(30, backlog=1))
