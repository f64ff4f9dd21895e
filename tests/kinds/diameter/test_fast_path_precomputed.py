"""Operations without a peer, between requests: the fast path gives the same results."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.diameter.credit import credit
from kinds.diameter.testbed import World
from support.loads import assert_adds_up, load
from support.without_memories import Recorder, difference

from tsvc.clock import Clock
from tsvc.engine.fast_path import RunFastPath

INSTANCES = 40
VARS = {"msisdn": {"$sequence": {"start": 6421000001, "step": 1, "width": 10}}}


def request(kind: int, number: int, **more: Any) -> dict[str, Any]:
    made = credit(kind, number, msisdn="{$v->{who}}", answer={"result_code": 2001})
    return {**made, **more}


def evaluate(expression: str, **more: Any) -> dict[str, Any]:
    return {"type": "eval", "expression": expression, **more}


def branch(expression: str, on_true: str) -> dict[str, Any]:
    return {"type": "branch", "expression": expression, "on_true": on_true}


SET = evaluate("$v->{who} = $v->{msisdn} + int(rand(4))", label="again")
END = evaluate("$v->{end} = 1", label="end")
CASES = {
    "sets": ([SET, request(1, 0), evaluate("$v->{n} += 1"), request(3, 1)], INSTANCES - 1),
    "loops": ([SET, branch("$v->{who} % 2", "again"), request(1, 0), request(3, 1)], 39),
    "sets between": ([SET, request(1, 0), evaluate("$v->{who} += 1"), request(3, 1)], 39),
    "fails in some": (
        [
            SET,
            request(1, 0),
            branch("$r->{idx} % 4", "on"),
            {"type": "fail", "arguments": {"text": "{$v->{who}}"}},
            request(3, 1, label="on"),
        ],
        30,
    ),
    "an error in some": ([SET, request(1, 0), evaluate("1 / ($r->{idx} % 4)"), request(3, 1)], 30),
    "another way in some": (
        [SET, request(1, 0), branch("$r->{idx} % 4 == 1", "end"), request(3, 1), END],
        29,
    ),
    "repeats": ([SET, request(1, 0, label="more"), branch("++$v->{n} < 3", "more")], 0),
}


@pytest.fixture
def told(
    recorder: Recorder, tmp_path: Path
) -> Iterator[Callable[[list[dict[str, Any]], int], dict[str, Any]]]:
    """A function that returns what a run reports; each run has the same identifiers."""
    worlds: list[World] = []

    def tell(operations: list[dict[str, Any]], track: int) -> dict[str, Any]:
        folder = tmp_path / str(track)
        folder.mkdir()
        with pytest.MonkeyPatch.context() as still:  # identifiers contain the time of day
            still.setattr(Clock, "wall", lambda clock: 1.7e9)
            random.seed(7)
            here = World(folder, {}, {"default_balance": 10**9})
        worlds.append(here)
        params = {"vars": VARS, "seed": 7, "track": track, "distribution": load(INSTANCES, 1)}
        result = here.run(*operations, **params)
        assert_adds_up(result)
        found = recorder.told("r", result)
        found["groups"] = [
            {name: one[name] for name in ("state", "op", "cause", "count", "instance_id")}
            for one in result["failures"]
        ]
        for one in (*found["instances"], found["first"]):
            one.pop("reason_t", None)
        text = json.dumps(found).replace(f":{here.ocs.address[1]}", ":<port>")
        return dict(json.loads(text))

    yield tell
    for one in worlds:
        one.stop()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", CASES)
def test_both_ways_say_the_same(
    told: Callable[[list[dict[str, Any]], int], dict[str, Any]],
    recorder: Recorder,
    fast_paths: list[RunFastPath],
    name: str,
) -> None:
    operations, most = CASES[name]
    plain, usual = told(operations, 0), told(operations, 1)
    assert difference(usual, plain) is None
    assert fast_paths[0].begun == fast_paths[1].fell_back == 0
    assert fast_paths[1].begun == recorder.replayed
    assert most * 0.9 <= recorder.replayed <= most
