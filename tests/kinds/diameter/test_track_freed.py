"""A track goes with its run: no circle keeps what instances have sent and received."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds.diameter.testbed import World
from support.loads import load

from tsvc.kinds.diameter.track import Requests, RequestTrack

ASK = {
    "type": "diameter.Request",
    "arguments": {
        "name": "Credit-Control-Request",
        "avps": [
            {"name": "Session-Id_auto", "value": 1},
            {"name": "Service-Context-Id", "value": "32251@3gpp.org"},
            {"name": "CC-Request-Type", "value": 1},
            {"name": "CC-Request-Number", "value": 0},
            {
                "name": "Subscription-Id",
                "value": [
                    {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                    {"name": "Subscription-Id-Data", "value": "6421000099"},
                ],
            },
            {
                "name": "Requested-Service-Unit",
                "value": [{"name": "CC-Time", "value": 100}],
            },
        ],
        "answer": {"result_code": 2001},
    },
}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, {}, {"default_balance": 10**9})
    yield made
    made.stop()


def left() -> int:
    return sum(isinstance(one, RequestTrack | Requests) for one in gc.get_objects())


def test_a_track_is_freed_with_its_run(world: World) -> None:
    gc.collect()
    gc.disable()
    try:
        run_id = world.start(ASK, distribution=load(30, backlog=1))
        world.service.runs[run_id].completed.wait(60)
        assert left() > 5, "the slowest are kept, else the test shows nothing"
        result = world.finish(run_id)
        assert result["verdict"] == "pass", result["failures"]
        assert left() == 0
    finally:
        gc.enable()
