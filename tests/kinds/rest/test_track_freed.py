"""A track goes with its run: no circle keeps what instances have sent and received."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds.rest.unsteady import Halting, World
from support.loads import load

from tsvc.kinds.rest.patches import Requests
from tsvc.kinds.rest.play import Play
from tsvc.kinds.rest.track import Passage, RequestTrack

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


def left() -> int:
    found = RequestTrack | Passage | Play | Requests
    return sum(isinstance(one, found) for one in gc.get_objects())


@pytest.mark.parametrize(("answers", "verdict"), [(30, "pass"), (28, "abort")])
def test_a_track_is_freed_with_its_run(world: World, answers: int, verdict: str) -> None:
    world.server.twist = Halting(answers)
    gc.collect()
    gc.disable()
    try:
        run_id = world.execute(ASK, vars=VARS, distribution=load(30, backlog=1))
        world.service.runs[run_id].completed.wait(60)
        assert left() > 5, "the slowest are kept, else the test shows nothing"
        result = world.finish(run_id)
        assert result["verdict"] == verdict, result["failures"]
        assert left() == 0
    finally:
        gc.enable()
