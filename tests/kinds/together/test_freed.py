"""A recording is freed with its run: no reference cycle keeps what instances exchanged."""

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

from tsvc.kinds.diameter.fast_path import paths as diameter_paths
from tsvc.kinds.diameter.fast_path import replay as diameter_replay
from tsvc.kinds.rest.fast_path import paths as rest_paths
from tsvc.kinds.rest.fast_path import replay as rest_replay
from tsvc.kinds.sigtran.fast_path.paths import DialoguePath, SlimDialogue
from tsvc.kinds.sigtran.fast_path.replay import DialogueReplay
from tsvc.operations.fast_path.frame import FastPath, ReplayedInstance
from tsvc.operations.fast_path.replay import Replay

LATER = [*CALL, SESSION[0], *REQUEST, SESSION[2]]
OURS = (
    FastPath
    | ReplayedInstance
    | Replay
    | diameter_paths.RequestPath
    | diameter_paths.Requests
    | diameter_replay.RequestReplay
    | rest_paths.RequestPath
    | rest_paths.Requests
    | rest_replay.RequestReplay
    | DialoguePath
    | SlimDialogue
    | DialogueReplay
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
def test_a_recording_is_freed_with_its_run(
    world: World, operations: list[Params], answers: int, verdict: str
) -> None:
    world.server.twist = Halting(answers)
    waiting = patient(operations)  # only the server is silent
    assert_freed(world, OURS, verdict, *waiting, vars=VARS, distribution=load(30, backlog=1))
