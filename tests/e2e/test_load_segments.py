"""One plan on two daemons: each planned start is made exactly once, on one grid."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from support.daemons import DaemonProcess, configure, launch
from support.waiting import GUARD_S

pytestmark = pytest.mark.e2e

DAEMONS = 2
NOTE = [{"type": "eval", "expression": "$g->{$r->{idx}} += 1"}]
# From now, so that both daemons have the run before it begins. Retries wait longer (busy machine).
START_S = (1.5, 8.0, GUARD_S)


@pytest.fixture(scope="module")
def daemons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[DaemonProcess]]:
    found = []
    for index in range(DAEMONS):
        folder = tmp_path_factory.mktemp(f"daemon{index}")
        found.append(launch(folder, configure(folder)))
    yield found
    for daemon in found:
        daemon.kill()


def play(daemons: list[DaemonProcess], distribution: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a distribution in segments, one on each daemon, and return the results."""
    for start_s in START_S:
        start_at = time.time() + start_s
        for index, daemon in enumerate(daemons):
            run = {
                "run_id": "part",
                "operations": NOTE,
                "distribution": distribution,
                "segment": {"index": index, "of": len(daemons)},
                "start_at": start_at,
            }
            assert daemon.result("ExecuteTest", run) == "ok"
        is_in_time = time.time() < start_at
        query = {"run_id": "part", "wait_s": GUARD_S}
        results = [daemon.result("QueryTest", query) for daemon in daemons]
        assert [result["completed"] for result in results] == [1] * DAEMONS
        if is_in_time:
            for result in results:
                assert seconds(result["time_start"]) == pytest.approx(start_at, abs=1e-5)
            return results
    raise AssertionError("the daemons did not have the run before it began")


def seconds(moment: list[int]) -> float:
    return moment[0] + moment[1] / 1e6


@pytest.mark.parametrize("total", [1, 2, 301])
def test_each_start_once(daemons: list[DaemonProcess], total: int) -> None:
    distribution = {"type": "linear", "total": total, "backlog": 100, "cps": 300}
    results = play(daemons, distribution)
    seen = [idx for result in results for idx in result["globals"]]
    assert sorted(map(int, seen)) == list(range(total))
    assert all(count == 1 for result in results for count in result["globals"].values())
    planned = [result["rate"]["planned"] for result in results]
    assert planned == [-(-(total - index) // DAEMONS) for index in range(DAEMONS)]
    assert [result["rate"]["started"] for result in results] == planned


def test_on_one_grid(daemons: list[DaemonProcess]) -> None:
    """The second daemon's first start is one step of the whole grid after the first daemon's."""
    results = play(daemons, {"type": "linear", "total": 4, "backlog": 10, "cps": 2})
    for index, result in enumerate(results):
        assert set(map(int, result["globals"])) == {index, index + 2}
        # The first start was planned when it was made, or earlier by the maximum lateness.
        made_s = seconds(result["first_call_summary"]["time_start"]) - seconds(
            result["time_start"]
        )
        late_s = result["rate"]["lateness_ms"]["max"] / 1000
        assert made_s - late_s - 0.001 <= 0.5 * index <= made_s + 0.001
        assert result["duration"] >= 0.5 * (index + 2)


def test_a_full_backlog_does_not_make_a_segment_faster(daemons: list[DaemonProcess]) -> None:
    """Overdue starts are made at the segment's own share of the rate."""
    run = {
        "run_id": "slow",
        "operations": [
            {"type": "branch", "expression": "$r->{idx} > 0", "on_true": "end"},
            {"type": "wait", "arguments": {"seconds": 1}},
            {"type": "eval", "label": "end", "expression": "1"},
        ],
        "distribution": {
            "type": "linear",
            "total": 200,
            "backlog": 1,
            "cps": {"target": 100, "catch_up": 1},
        },
        "segment": {"index": 0, "of": 2},
    }
    result = daemons[0].run(run)
    assert result["counts"]["passed"] == 100
    assert result["rate"]["late"] >= 49
    # 1 s blocked, then 99 starts at 50 a second: at twice that rate it would be 2 s.
    assert result["duration"] >= 1 + 98 / 50 - 0.1


def test_load_in_segments(daemons: list[DaemonProcess]) -> None:
    results = play(daemons, {"type": "load", "total": 101, "backlog": 10})
    seen = [int(idx) for result in results for idx in result["globals"]]
    assert sorted(seen) == list(range(101))
    assert [result["counts"]["passed"] for result in results] == [51, 50]
