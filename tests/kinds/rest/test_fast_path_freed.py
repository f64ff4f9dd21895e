"""A recording is freed with its run: no reference cycle keeps what instances exchanged."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds.rest.unsteady import Halting, World
from support.freed import assert_freed
from support.loads import load

from tsvc.kinds.rest.fast_path.paths import RequestPath, Requests
from tsvc.kinds.rest.fast_path.replay import RequestReplay
from tsvc.operations.fast_path.frame import FastPath, ReplayedInstance

OURS = FastPath | ReplayedInstance | RequestPath | Requests | RequestReplay
VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}
ASK = {
    "type": "rest.Request",
    "arguments": {"path": "{'/balance/' . $v->{msisdn}}", "method": "GET"},
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.stop()


@pytest.mark.parametrize(("answers", "verdict"), [(30, "pass"), (28, "abort")])
def test_a_recording_is_freed_with_its_run(world: World, answers: int, verdict: str) -> None:
    world.server.twist = Halting(answers)
    assert_freed(world, OURS, verdict, ASK, vars=VARS, distribution=load(30, backlog=1))
