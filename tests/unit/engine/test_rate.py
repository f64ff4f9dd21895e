"""`rate` of a result: the rate asked for, the rate achieved, what limited it; catching up."""

import time

import gevent
import pytest
from support.loads import PASS, assert_adds_up, linear
from support.scripted_scp import CONTINUE
from support.waiting import until

from tsvc.engine.load.arrivals import Arrivals
from tsvc.engine.load.grid import grid_of, grid_of_stages


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def started(tsvc):
    """Return how many instances of the only run have started."""
    (run,) = tsvc.call("QueryAllTests")["tests"]
    return run["counts"]["started"]


def is_consistent(rate):
    """Return True if `limited_by` is None exactly when no start was lost, and few starts were late
    or the rate was achieved."""
    is_off = abs(rate["achieved"] - rate["asked"]) > 0.005 * rate["asked"]
    is_late = rate["late"] >= 0.01 * rate["started"] and rate["late"] > 0 and is_off
    return (rate["limited_by"] is None) == (rate["never_started"] == 0 and not is_late)


@pytest.mark.parametrize(
    ("cps", "total", "grid", "peak"),
    [
        ({"target": 400}, 100, grid_of(400), 400),
        ({"target": 400, "initial": 100, "ramp_s": 0.3}, 120, grid_of(400, 100, 0.3), 400),
        ({"target": 400, "initial": 0, "ramp_s": 1.0}, 40, grid_of(400, 0, 1.0), None),
        ({"target": 100, "initial": 500, "ramp_s": 0.2}, 80, grid_of(100, 500, 0.2), 500),
        (
            {"stages": [{"target": 300, "seconds": 0.2}, {"target": 150, "seconds": 1}]},
            80,
            grid_of_stages([(300, 0.2), (150, 1)]),
            300,
        ),
        (
            {
                "stages": [
                    {"target": 300, "seconds": 0.3, "ramp_s": 0.2},
                    {"target": 100, "seconds": 1, "ramp_s": 0.2},
                ]
            },
            110,
            grid_of_stages([(300, 0.3, 0.2), (100, 1, 0.2)]),
            300,
        ),
    ],
)
def test_asked_is_the_mean_of_the_plan(tsvc, cps, total, grid, peak):
    result = tsvc.run(PASS, distribution=linear(total, 100, cps))
    rate = result["rate"]
    last = grid.time_of(total - 1)
    assert rate["asked"] == pytest.approx((total - 1) / last, abs=0.002)
    assert rate["asked_peak"] == pytest.approx(peak or grid.rate(last), abs=0.002)
    # Starts may be later than planned, but never earlier. `achieved` does not show this: it counts
    # from the first start, which may be late.
    assert result["duration"] >= last - 0.001
    assert is_consistent(rate)
    assert_adds_up(result)


def test_random_arrivals_are_those_of_the_seed(tsvc):
    cps = {"target": 400, "initial": 100, "ramp_s": 0.2, "arrivals": "poisson"}
    result = tsvc.run(PASS, distribution=linear(80, 100, cps), seed=5)
    rate = result["rate"]
    grid = grid_of(400, 100, 0.2).with_arrivals(Arrivals("poisson", 5))
    assert rate["asked"] == pytest.approx(79 / (grid.time_of(79) - grid.time_of(0)), abs=0.002)
    assert rate["asked_peak"] == pytest.approx(min(400, grid.rate(grid.time_of(79))), abs=0.002)
    assert is_consistent(rate)
    assert_adds_up(result)


def test_another_rate_keeps_or_sets_the_arrivals(tsvc):
    tsvc.execute(PASS, run_id="r", distribution=linear(120, 10, 100), seed=5)
    until(lambda: started(tsvc) >= 10)
    arrivals = tsvc.service.table.get("r").starter.schedule.grid
    assert arrivals.arrivals.kind == "even"
    for cps, kind in (
        ({"target": 150, "arrivals": "poisson"}, "poisson"),
        (200, "poisson"),
        ({"target": 250, "arrivals": "even"}, "even"),
        (300, "even"),
    ):
        tsvc.call("RateTest", run_id="r", cps=cps)
        assert tsvc.service.table.get("r").starter.schedule.grid.arrivals.kind == kind
    result = tsvc.finish("r")
    assert result["counts"]["passed"] == 120
    assert_adds_up(result)


@pytest.mark.parametrize(
    ("params", "paths"),
    [
        ({"segment": {"index": 1, "of": 2}}, ["params.segment"]),
        ({"segment": {"index": 1, "of": 2}, "seed": 5}, []),
        ({"segment": {"index": 0, "of": 1}}, []),
    ],
)
def test_segments_of_random_arrivals_need_one_seed(tsvc, params, paths):
    cps = {"target": 1, "arrivals": "poisson"}
    found = tsvc.problems(PASS, distribution=linear(9, 9, cps), **params)
    assert list(found) == paths


def test_a_ramp_that_is_kept_is_limited_by_nobody(tsvc):
    cps = {"target": 40, "initial": 0, "ramp_s": 1}
    rate = tsvc.run(PASS, distribution=linear(30, 10, cps))["rate"]
    if rate["late"] == 0:  # a busy machine may be late, and must report it
        assert rate["limited_by"] is None
    assert is_consistent(rate)


def test_a_pause_is_no_part_of_the_time(tsvc):
    tsvc.execute(PASS, run_id="r", distribution=linear(60, 10, 100))
    until(lambda: started(tsvc) >= 20)
    tsvc.call("PauseTest", run_id="r", paused=1)
    gevent.sleep(0.5)  # this time must not count
    tsvc.call("PauseTest", run_id="r", paused=0)
    result = tsvc.finish("r")
    assert result["rate"]["asked"] == pytest.approx(100, rel=0.02)
    assert result["duration"] > 1.0
    assert is_consistent(result["rate"])


def test_another_rate_is_part_of_the_mean(tsvc):
    tsvc.execute(PASS, run_id="r", distribution=linear(80, 10, 50))
    until(lambda: started(tsvc) >= 20)
    assert tsvc.call("RateTest", run_id="r", cps=200)["asked"] == 200
    rate = tsvc.finish("r")["rate"]
    assert 50 < rate["asked"] < 200
    assert rate["asked_peak"] == 200
    assert is_consistent(rate)


def test_stages_of_another_rate_ramp_from_the_present_one(tsvc):
    tsvc.execute(PASS, run_id="r", distribution=linear(200, 10, 400))
    until(lambda: started(tsvc) >= 20)
    stages = [{"target": 100, "seconds": 30, "ramp_s": 30}]
    assert tsvc.call("RateTest", run_id="r", cps={"stages": stages})["asked"] == 100
    assert 390 < tsvc.call("QueryTest", run_id="r")["plan"]["current_cps"] <= 400
    rate = tsvc.finish("r")["rate"]
    assert 390 < rate["asked"] <= 400
    assert rate["asked_peak"] == 400


@pytest.mark.parametrize("ramp_s", [1.5, 1e9])
def test_a_ramp_that_is_longer_than_its_stage(tsvc, ramp_s):
    stages = [{"target": 1, "seconds": 2}, {"target": 1, "seconds": 1, "ramp_s": ramp_s}]
    found = tsvc.problems(PASS, distribution=linear(1, 1, {"stages": stages}))
    assert list(found) == ["params.distribution.cps.stages[1].ramp_s"]


def stalled(tsvc, cps, total, seconds):
    """Run a load, and stop the whole process for some seconds in the middle of it."""
    tsvc.execute(PASS, run_id="r", distribution=linear(total, 10_000, cps))
    until(lambda: started(tsvc) >= total // 4)
    time.sleep(seconds)  # blocks the thread, and so the event loop
    result = tsvc.finish("r")
    assert_adds_up(result)
    return result


@pytest.mark.parametrize("catch_up", [None, 1, 3])
def test_after_a_stall_every_start_is_made(tsvc, catch_up):
    """The speed is tested in unit/engine/load/test_token_bucket.py, with simulated time."""
    cps = {"target": 300} | ({} if catch_up is None else {"catch_up": catch_up})
    result = stalled(tsvc, cps, 400, 0.5)
    rate = result["rate"]
    assert rate["never_started"] == 0
    assert rate["late"] >= 100
    assert rate["limited_by"] in (None, "generator")  # None: it has caught up in time
    if catch_up == 1:
        assert rate["limited_by"] == "generator"
        assert rate["lateness_ms"]["p99"] > 400  # overdue starts stay overdue


def test_what_is_overdue_is_not_made_at_all_if_so_asked(tsvc):
    result = stalled(tsvc, {"target": 300, "catch_up": 0}, 400, 0.5)
    rate = result["rate"]
    assert rate["planned"] == 400
    assert 100 <= rate["never_started"] <= 300
    assert rate["late"] <= 0.05 * rate["started"]
    assert rate["limited_by"] == "generator"
    assert rate["peak"] <= 330 + 10


@pytest.mark.parametrize("catch_up", [0.5, -1, "fast"])
def test_catch_up_is_nothing_or_at_least_the_rate(tsvc, catch_up):
    cps = {"target": 10, "catch_up": catch_up}
    found = tsvc.problems(PASS, distribution=linear(1, 1, cps))
    assert list(found) == ["params.distribution.cps.catch_up"]
