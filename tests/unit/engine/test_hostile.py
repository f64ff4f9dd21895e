"""Definitions that try to stall the daemon, or to make a result that can't be sent."""

import json

import gevent
import pytest
from support.scripted_scp import CONTINUE, evaluate, reason, variables
from support.waiting import GUARD_S

LOOP = {"type": "branch", "expression": "1", "on_true": "again", "label": "again"}
HEAVY = evaluate("join('', map { $_ * 2 } 1 .. 20000)", label="again")


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE, max_steps=1_000_000_000)


@pytest.mark.parametrize("loop", [[LOOP], [HEAVY, {**LOOP, "label": "x"}]])
def test_an_endless_loop_stalls_nobody_else(tsvc, loop):
    run_id = tsvc.execute(*loop)
    gevent.sleep(0)
    began = tsvc.service.clock.now()
    for _ in range(10):
        gevent.sleep(0)
        assert tsvc.call("QueryTest", run_id=run_id)["completed"] == 0
    assert tsvc.service.clock.now() - began < GUARD_S, "a slice is 5 ms"
    assert tsvc.run({"type": "pass"})["verdict"] == "pass"
    assert tsvc.call("CancelTest", run_id=run_id)["counts"]["cancelled"] == 1


def test_the_default_limit_of_steps_ends_it(daemon):
    result = daemon(CONTINUE).run(LOOP)
    assert reason(result) == "more than 100000 operations executed"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "expression",
    [
        "$v->{a} = $v; $v->{b} = $v",
        "$v->{list} = [1]; push(@{$v->{list}}, $v->{list}, $v->{list})",
        "$g->{a} = $g; $g->{b} = [$g, $v]",
        "$v->{x} = 9**9**9; $g->{x} = -9**9**9",
        "$v->{x} = chr(0xD800) . chr(0)",
        "$v->{x} = 'x' x 3000000; $g->{x} = 'x' x 3000000",
    ],
)
@pytest.mark.parametrize("level", [0, 3])
def test_a_result_can_always_be_answered(tsvc, expression, level):
    result = tsvc.run(evaluate(expression), trace_level=level)
    assert result["verdict"] == "pass"
    assert len(json.dumps(result)) < 8 << 20
    assert tsvc.call("GetResult", result_id=result["result_id"])["verdict"] == "pass"


@pytest.mark.slow
def test_values_that_double_do_not_explode_in_checks(tsvc):
    wrong = [{"kpath": "a", "type": "string", "value": "x"}]
    result = tsvc.run(
        evaluate("$v->{a} = [$v->{a}, $v->{a}]", label="again"),
        {"type": "branch", "expression": "($v->{n} += 1) < 40", "on_true": "again"},
        evaluate("1", tests=wrong),
    )
    assert result["verdict"] == "fail"
    assert len(result["first_fails"][0]["cause"]) < 10_000
    assert len(json.dumps(result)) < 16 << 20


def test_a_long_trace_is_cut_and_says_so(daemon):
    tsvc = daemon(CONTINUE, max_trace_octets=2000)
    count = {"type": "branch", "expression": "($v->{n} += 1) < 500", "on_true": "again"}
    result = tsvc.run({"type": "log", "arguments": {"text": "hello"}, "label": "again"}, count)
    log = result["first_call_summary"]["trace_log"]
    assert len(log) < 60
    assert log[-1]["text"] == "trace cut here: engine.max_trace_octets is reached"
    assert variables(result) == {"n": 500}


def test_a_long_check_log_is_bounded(tsvc):
    count = {"type": "branch", "expression": "($v->{n} += 1) < 12000", "on_true": "again"}
    result = tsvc.run({"type": "pass", "label": "again"}, count)
    assert len(result["first_call_summary"]["check_log"]) == 10_000


def test_many_numbers_that_are_too_large(tsvc):
    huge = 10**300
    result = tsvc.run(evaluate("$v->{y} = $v->{x}"), vars={"x": huge}, seed=huge)
    assert (result["seed"], variables(result)["x"]) == (huge, huge)
    endless = {"type": "load", "total": huge, "backlog": 1}
    run_id = tsvc.execute({"type": "wait", "arguments": {"seconds": 1}}, distribution=endless)
    assert tsvc.call("QueryTest", run_id=run_id)["plan"]["total"] == huge
    assert tsvc.call("CancelTest", run_id=run_id)["completed"] == 1


@pytest.mark.parametrize("total", [1, 10**15])
@pytest.mark.parametrize(
    "distribution",
    [
        {"type": "load", "max_seconds": 1e8},
        {"type": "linear", "cps": 1e-6},
        {"type": "linear", "cps": {"target": 1, "initial": 0, "ramp_s": 1e8}},
        {
            "type": "linear",
            "cps": {"stages": [{"target": 0, "seconds": 1e8}, {"target": 1, "seconds": 1}]},
        },
    ],
)
def test_what_is_to_come_of_any_plan_can_be_told(tsvc, total, distribution):
    wait = {"type": "wait", "arguments": {"seconds": 1}}
    run_id = tsvc.execute(wait, distribution={"backlog": 1, **distribution, "total": total})
    plan = tsvc.call("QueryTest", run_id=run_id)["plan"]
    assert plan["total"] == total
    assert plan["seconds_left"] is None or plan["seconds_left"] >= 0
    assert len(tsvc.call("QueryAllTests")["tests"]) == 1
    tsvc.call("CancelTest", run_id=run_id)


@pytest.mark.parametrize(
    "cps",
    [
        1e6,
        {"target": 1e-6},
        {"target": 1e6, "initial": 0, "ramp_s": 1e8},
        {"target": 1e-6, "initial": 1e6, "ramp_s": 1e8},
        {"stages": [{"target": 0, "seconds": 1e8}, {"target": 1, "seconds": 1}]},
        {"target": 1e6, "catch_up": 0},
        {"target": 1e6, "catch_up": 0, "initial": 0, "ramp_s": 0.001},
    ],
)
@pytest.mark.parametrize("seconds", [10, 0])
def test_extreme_rates_are_planned_in_no_time(tsvc, cps, seconds):
    """Overdue starts, made or given up, are not counted one by one."""
    distribution = {"type": "linear", "total": 10**15, "backlog": 3, "cps": cps}
    run_id = tsvc.execute(
        {"type": "wait", "arguments": {"seconds": seconds}}, distribution=distribution
    )
    gevent.sleep(0.02)
    rate = tsvc.call("QueryTest", run_id=run_id)["rate"]
    assert rate["planned"] == rate["started"] + rate["never_started"]
    assert tsvc.call("CancelTest", run_id=run_id)["completed"] == 1


def test_our_own_bug_ends_the_instance_and_not_the_daemon(tsvc, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("tsvc.operations.logic.Eval.compile", lambda *given: None)
        result = tsvc.run({"type": "pass"}, evaluate("1"))
    assert reason(result).startswith("internal failure: TypeError")
    assert result["verdict"] == "abort"
    assert tsvc.run({"type": "pass"})["verdict"] == "pass"
