"""A recording is freed with its run: no reference cycle keeps what instances exchanged."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kinds.diameter.credit import credit, units
from kinds.diameter.testbed import World
from support.freed import assert_freed
from support.loads import load

from tsvc.kinds.diameter.fast_path.paths import RequestPath, Requests
from tsvc.kinds.diameter.fast_path.replay import RequestReplay
from tsvc.operations.fast_path.frame import FastPath, ReplayedInstance

OURS = FastPath | ReplayedInstance | RequestPath | Requests | RequestReplay

UNIT = units("Requested-Service-Unit", 100)
ASK = credit(1, 0, UNIT, msisdn="6421000099", answer={"result_code": 2001})


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path, {}, {"default_balance": 10**9})
    yield made
    made.stop()


def test_a_recording_is_freed_with_its_run(world: World) -> None:
    assert_freed(world, OURS, "pass", ASK, distribution=load(30, backlog=1))
