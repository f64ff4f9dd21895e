"""The fast path of a run: when it is given up, and what the result says about it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kinds.sigtran.unsteady import CALL, USUAL, VARS
from support.daemons import Daemon
from support.loads import assert_adds_up, load
from support.scripted_scp import ScriptedDaemon, evaluate
from support.without_memories import fast_paths_of

from tsvc.engine.fast_path import HitRate, RunFastPath

FAIL = {"type": "fail", "arguments": {"text": "no"}}


def rate(*worth: float) -> HitRate:
    """Return the hit rate after these instances, in their order."""
    found = HitRate()
    for one in worth:
        found.note(one)
    return found


SAVED, FALLEN_BACK, REFUSED = HitRate.SAVED, -HitRate.FALLEN_BACK, -HitRate.REFUSED


@pytest.mark.parametrize(
    ("worth", "pays"),
    [
        ([SAVED] * 1000, True),
        ([FALLEN_BACK] * 99, True),  # too few instances to decide
        ([FALLEN_BACK] * 100, False),
        ([REFUSED] * 100, False),
        ([SAVED] * 75 + [FALLEN_BACK] * 25, True),
        ([SAVED] * 65 + [FALLEN_BACK] * 35, False),
        ([SAVED] * 25 + [REFUSED] * 75, True),
        ([SAVED] * 15 + [REFUSED] * 85, False),
        ([SAVED] * 1000 + [FALLEN_BACK] * 100, False),  # only recent instances count
    ],
)
def test_it_pays_if_it_saves_more_than_it_costs(worth: list[float], pays: bool) -> None:
    assert rate(*worth).pays is pays


def test_it_is_counted_anew_once_more_is_known() -> None:
    found = rate(*[FALLEN_BACK] * 99)
    found.restart()
    for _ in range(99):
        found.note(FALLEN_BACK)
    assert found.pays
    found.note(FALLEN_BACK)
    assert not found.pays


@pytest.fixture
def tsvc(tmp_path: Path) -> Iterator[Daemon]:
    made = Daemon(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def fast_paths(monkeypatch: pytest.MonkeyPatch) -> list[RunFastPath]:
    """The fast paths of all runs; a fast path is given up if it does not pay."""
    return fast_paths_of(monkeypatch, gives_up=True)


def some_fail(one_in: int) -> list[dict[str, Any]]:
    """Return operations that fail, and so fall back, in every `one_in`-th instance."""
    test = f"$r->{{idx}} % {one_in}"
    branch = {"type": "branch", "expression": test, "on_true": "end"}
    return [branch, FAIL, evaluate("1", label="end")]


def test_a_run_in_which_all_fall_back_gives_it_up(
    tsvc: Daemon, fast_paths: list[RunFastPath]
) -> None:
    result = tsvc.run(FAIL, distribution=load(2000, 10))
    assert_adds_up(result)
    assert result["counts"]["failed"] == 2000
    assert fast_paths[0].fell_back < 150
    assert result["fast_path"]["instances"] == 0
    assert result["fast_path"]["fell_back"] == fast_paths[0].fell_back


@pytest.mark.parametrize(("one_in", "is_given_up"), [(2, True), (10, False)])
def test_a_run_in_which_some_fall_back(
    tsvc: Daemon, fast_paths: list[RunFastPath], one_in: int, is_given_up: bool
) -> None:
    result = tsvc.run(*some_fail(one_in), distribution=load(1000, 1))
    assert_adds_up(result)
    assert result["counts"]["failed"] == 1000 // one_in
    assert fast_paths[0].hit_rate.pays is not is_given_up
    assert (fast_paths[0].begun < 999) is is_given_up
    told = result["fast_path"]
    assert told["instances"] + told["fell_back"] == fast_paths[0].begun
    assert sum(one["count"] for one in told["guards"]) == told["fell_back"]


def test_a_run_whose_peer_says_nothing_known_gives_it_up(
    fast_paths: list[RunFastPath], tmp_path: Path
) -> None:
    """Failed instances do not become branches."""
    daemon = ScriptedDaemon(tmp_path, *USUAL)
    try:
        wanted = {**CALL[-1]["arguments"], "initialCallSegment_cause": "{16 + !!$r->{idx}}"}
        operations = [*CALL[:-1], {**CALL[-1], "arguments": wanted, "seconds": 60}]
        result = daemon.run(*operations, vars=VARS, distribution=load(400, 1))
    finally:
        daemon.stop()
    assert_adds_up(result)
    assert (result["counts"]["passed"], result["counts"]["failed"]) == (1, 399)
    assert fast_paths[0].fell_back == fast_paths[0].begun == HitRate.WINDOW
    told = result["fast_path"]
    assert (told["instances"], told["branches"]) == (0, 0)
    assert told["guards"][0]["count"] == HitRate.WINDOW


@pytest.mark.parametrize(
    ("operations", "params", "operation", "why"),
    [
        ([evaluate("1")], {"track": 0}, None, "track is 0"),
        ([evaluate("1")], {"distribution": load(1, 1)}, None, "it is one instance"),
        ([evaluate("1"), evaluate("time")], {}, 1, "an expression reads the clock"),
        ([evaluate("$g->{a} = 1")], {}, 0, "an expression reads or sets $g"),
    ],
)
def test_the_result_says_why_not(
    tsvc: Daemon, operations: list[Any], params: dict[str, Any], operation: int | None, why: str
) -> None:
    result = tsvc.run(*operations, **{"distribution": load(5, 1), **params})
    assert result["fast_path"]["not_eligible"] == [{"operation": operation, "why": why}]
    assert result["fast_path"]["instances"] == 0
