"""`distribution.warm_up_s`: its instances run, are judged and counted, but not measured."""

import gevent
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.loads import PASS, assert_adds_up, linear, load
from support.scripted_scp import CONTINUE, INITIAL_DP, expect
from support.waiting import until

from tsvc.engine.compiler.parameters import Plan, pace_of
from tsvc.engine.load.grid import grid_of
from tsvc.engine.load.starter import Starter

END = {"type": "tcap.ssp_to_scp.End"}
SLOW_AT_FIRST = {"type": "wait", "arguments": {"seconds": "{$r->{idx} < 20 ? 5 : 0}"}}
FAIL_AT_FIRST = [
    {"type": "branch", "expression": "$r->{idx} >= 10", "on_true": "end"},
    {"type": "fail", "arguments": {"text": "cold"}},
    {"type": "pass", "label": "end"},
]


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def test_latencies_and_rates_are_those_of_the_rest(tsvc):
    cps = {"stages": [{"target": 100, "seconds": 0.4}, {"target": 200, "seconds": 9}]}
    thresholds = [
        {"metric": "service_max_ms", "op": "<", "value": 4500},
        {"metric": "response_max_ms", "op": "<", "value": 4500},
    ]
    result = tsvc.run(
        SLOW_AT_FIRST,
        distribution=linear(140, 140, cps, warm_up_s=0.4),
        thresholds=thresholds,
    )
    assert_adds_up(result)
    assert result["warm_up"] == {"seconds": 0.4, "planned": 40, "started": 40}
    assert result["counts"]["passed"] == result["counts"]["planned"] == 140
    assert result["rate"]["planned"] == result["rate"]["started"] == 100
    assert result["latency"]["service"]["count"] == 100
    assert result["latency"]["response"]["count"] == 100
    assert result["rate"]["asked"] == pytest.approx(200, abs=0.01)
    assert result["rate"]["asked_peak"] == 200
    assert [one["is_met"] for one in result["thresholds"]] == [True, True]
    assert result["verdict"] == "pass"
    assert all(int(one["idx"]) >= 40 for one in result["slowest"])


def test_without_a_warm_up_nothing_is_said_of_it(tsvc):
    result = tsvc.run(PASS, distribution=linear(10, 10, 200, warm_up_s=0))
    assert "warm_up" not in result
    assert result["latency"]["service"]["count"] == 10


def test_a_failure_of_the_warm_up_is_a_failure(tsvc):
    result = tsvc.run(*FAIL_AT_FIRST, distribution=linear(40, 40, 100, warm_up_s=0.2))
    assert result["counts"]["failed"] == 10
    assert result["verdict"] == "fail"
    assert result["failures"][0]["count"] == 10
    assert result["latency"]["service"]["count"] == result["rate"]["started"] == 20
    assert_adds_up(result)


@pytest.mark.parametrize("track", [0, 1])
def test_waits_of_operations_are_those_of_the_rest(tsvc, fast_paths, track):
    result = tsvc.run(
        *(INITIAL_DP, expect("Continue"), END),
        distribution=linear(80, 80, 200, warm_up_s=0.2),
        track=track,
    )
    assert (fast_paths[-1].begun > 0) == bool(track)
    (point,) = result["operations"]
    assert result["counts"]["passed"] == 80
    assert point["count"] == result["rate"]["started"] == 40
    assert_adds_up(result)


def test_of_a_load_it_is_what_starts_in_the_first_seconds(tsvc):
    wait = {"type": "wait", "arguments": {"seconds": 0.05}}
    result = tsvc.run(wait, distribution=load(60, 5, warm_up_s=0.2))
    warm_up = result["warm_up"]
    assert warm_up["planned"] == warm_up["started"]
    assert warm_up["started"] >= 5
    assert result["latency"]["service"]["count"] == 60 - warm_up["started"]
    assert_adds_up(result)


def test_where_all_is_warm_up_nothing_is_measured(tsvc):
    thresholds = [{"metric": "service_p99_ms", "op": "<", "value": 1000}]
    result = tsvc.run(PASS, distribution=linear(20, 20, 200, warm_up_s=60), thresholds=thresholds)
    assert result["counts"]["passed"] == 20
    assert result["rate"]["planned"] == result["rate"]["started"] == 0
    assert result["rate"]["achieved"] is None
    assert result["thresholds"][0]["is_met"] is False
    (problem,) = [one for one in result["problems"] if "warm_up" in one["path"]]
    assert problem["text"] == "all 20 starts were in the warm-up: nothing was measured"
    assert_adds_up(result)


def test_a_pause_over_its_end(tsvc):
    tsvc.execute(PASS, run_id="r", distribution=linear(80, 10, 100, warm_up_s=0.3))
    until(lambda: tsvc.call("QueryTest", run_id="r")["counts"]["started"] >= 5)
    tsvc.call("PauseTest", run_id="r", paused=1)
    gevent.sleep(0.5)  # the warm-up ends meanwhile
    tsvc.call("PauseTest", run_id="r", paused=0)
    tsvc.call("RateTest", run_id="r", cps=200)
    result = tsvc.finish("r")
    assert 5 <= result["warm_up"]["started"] <= 30
    assert result["rate"]["started"] == 80 - result["warm_up"]["started"]
    # If the pause counted, it would be less than 60; the part of each rate depends on timing.
    assert 99 <= result["rate"]["asked"] <= 201, "the pause is no part of it"
    assert_adds_up(result)


def test_starts_that_are_lost_in_it_are_its_own(tsvc):
    # The first instance that starts occupies the only slot for some time.
    wait = {"type": "wait", "arguments": {"seconds": "{$r->{idx} < 20 ? 0.3 : 0}"}}
    cps = {"target": 100, "catch_up": 0}
    result = tsvc.run(wait, distribution=linear(100, 1, cps, warm_up_s=0.5))
    warm_up = result["warm_up"]
    assert warm_up["planned"] == 50
    assert warm_up["started"] < 40
    assert result["rate"]["planned"] == 50
    assert_adds_up(result)


def test_it_is_shorter_than_the_run(tsvc):
    found = tsvc.problems(PASS, distribution=load(9, 9, max_seconds=5, warm_up_s=5))
    assert found == {"params.distribution.warm_up_s": "must be less than max_seconds"}


# -- the plan after the warm-up, with simulated time ----------------------------------------------


class Clock:
    def __init__(self):
        self.s = 100.0

    def now(self):
        return self.s


def starter_of(clock, grid, **more):
    return Starter(Plan("linear", 10**6, 10, grid, **more), clock)


def test_the_ramp_of_a_warm_up_is_not_asked_for():
    clock = Clock()
    starter = starter_of(clock, grid_of(10.0, 100.0, 10.0), warm_up_s=10.0)
    clock.s += 20.0
    planned = starter.planned(0)
    assert starter.warm_up_planned(planned) == 550
    stretch = starter.stretch(planned)
    assert stretch.highest_cps == pytest.approx(10)
    assert stretch.cps(planned - 550) == pytest.approx(10)
    assert stretch.first == pytest.approx(110)


def test_pauses_of_a_warm_up_are_not_those_of_the_rest():
    clock = Clock()
    starter = starter_of(clock, grid_of(10.0), warm_up_s=10.0)
    for begin, end in ((2.0, 5.0), (20.0, 24.0)):
        starter.set_paused(True, begin)
        starter.set_paused(False, end)
    for until_s in (3.0, 6.0, 12.0, 21.0, 30.0):
        clock.s = 100.0 + until_s
        planned = starter.planned(0)
        starter._made = planned
    assert starter.warm_up_planned(planned) == 70
    assert starter.stretch(planned).paused_s == pytest.approx(4.0)
    assert starter.stretch(planned).cps(planned - 70) == pytest.approx(10.0, rel=0.02)


doings = st.lists(
    st.tuples(st.sampled_from(["rate", "pause", "resume"]), st.floats(0, 3), st.integers(1, 300)),
    max_size=8,
)


@settings(max_examples=examples(200), deadline=None)
@given(doings, st.floats(0.1, 8), st.sampled_from([1.0, 0.8, 0.3]))
def test_every_start_is_counted_once(doings, warm_up_s, behind):
    """Planned and made starts of the warm-up only grow until its end, and are constant afterwards.

    No more starts are made than planned, during and after the warm-up, at any changes of the rate.
    """
    clock = Clock()
    starter = starter_of(clock, grid_of(20.0), warm_up_s=warm_up_s)
    after, warm_before = None, 0
    for doing, step, value in doings:
        clock.s += step
        planned = starter.planned(starter._made)
        starter._made = max(starter._made, int(planned * behind))
        made_in_it = sum(starter.is_warm_up(idx) for idx in range(starter._made))
        warm = starter.warm_up_planned(planned)
        # When a pause ends, a start that was due is planned for that moment.
        assert warm >= min(warm_before, planned)
        assert made_in_it <= warm
        assert starter._made - made_in_it <= planned - warm
        if clock.s - 100.0 >= warm_up_s:
            assert after is None or warm in (after, planned)
            after = warm if warm < planned else after
        warm_before = warm
        if doing == "rate":
            starter.set_pace(pace_of({"target": float(value)}))
        else:
            starter.set_paused(doing == "pause")
