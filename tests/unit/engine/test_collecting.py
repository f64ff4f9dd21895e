"""QueryTest and QueryAllTests: their answers, when a run_id is free, what stays readable."""

import gc
from uuid import uuid4

import gevent
import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, evaluate, expect
from support.waiting import GUARD_S, idle

from tsvc import memo
from tsvc.engine.instance import Instance
from tsvc.engine.result import traces
from tsvc.engine.run import Run
from tsvc.operations.operation import Scope

PASS = {"type": "pass"}
HALT = {"type": "halt"}


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def completed(tsvc, run_id):
    tsvc.until(lambda: tsvc.service.runs[run_id].completed.is_set())


def test_the_first_read_of_a_completed_run_frees_its_id(tsvc):
    run_id = tsvc.execute(evaluate("$g->{n} = 1"))
    first = tsvc.finish(run_id)
    assert run_id not in tsvc.service.runs
    again = tsvc.call("QueryTest", run_id=run_id)
    assert {**again, "time_now": 0} == {**first, "time_now": 0}
    assert tsvc.finish(tsvc.execute(evaluate("$g->{n} = 2"), run_id=run_id))["globals"] == {"n": 2}
    assert tsvc.call("QueryTest", run_id=run_id)["globals"] == {"n": 2}, (
        "the latest run of that id"
    )


def test_reading_a_run_in_progress_collects_nothing(tsvc):
    run_id = tsvc.execute(HALT)
    for _ in range(2):
        result = tsvc.call("QueryTest", run_id=run_id)
        assert (result["completed"], result["state"]) == (0, "running")
        assert not {"time_finish", "duration"} & set(result)
    assert run_id in tsvc.service.runs


def test_wait_s_answers_when_the_run_completes(tsvc):
    run_id = tsvc.execute(HALT)
    began = tsvc.service.clock.now()
    assert tsvc.call("QueryTest", run_id=run_id, wait_s="0.05")["completed"] == 0
    assert tsvc.service.clock.now() - began >= 0.05
    waiting = gevent.spawn(tsvc.call, "QueryTest", run_id=run_id, wait_s=60)
    idle()
    tsvc.call("ResumeInstance", run_id=run_id, instance_id="0")
    assert waiting.get(timeout=GUARD_S)["completed"] == 1
    assert run_id not in tsvc.service.runs


def test_two_who_wait_get_the_same(tsvc):
    run_id = tsvc.execute({"type": "wait", "arguments": {"seconds": 0.05}})
    both = [gevent.spawn(tsvc.call, "QueryTest", run_id=run_id, wait_s=60) for _ in range(2)]
    first, second = [one.get(timeout=GUARD_S) for one in both]
    assert first["completed"] == second["completed"] == 1
    assert first["counts"] == second["counts"]


@pytest.mark.parametrize("wait_s", [-1, 60.5, "soon", None])
def test_wait_s_has_a_range(tsvc, wait_s):
    error = tsvc.refusal("QueryTest", run_id="x", wait_s=wait_s)
    assert error["code"] == 1000
    assert list(error["data"]["fields"]) == ["params.wait_s"]


def test_query_all_lists_what_is_not_collected(tsvc):
    assert tsvc.call("QueryAllTests")["tests"] == []
    halted, done = tsvc.execute(HALT), tsvc.execute(PASS)
    completed(tsvc, done)
    answer = tsvc.call("QueryAllTests")
    listed = {one["run_id"]: one for one in answer["tests"]}
    assert set(listed) == {halted, done}
    assert (listed[halted]["completed"], listed[done]["completed"]) == (0, 1)
    assert "time_finish" not in listed[halted]
    assert listed[done]["duration"] >= 0
    assert listed[done]["counts"]["passed"] == 1
    assert len(answer["time_now"]) == 2
    tsvc.call("QueryTest", run_id=done)
    tsvc.call("CancelTest", run_id=halted)
    assert tsvc.call("QueryAllTests")["tests"] == []


def test_hold_runs(daemon):
    tsvc = daemon(results={"hold_runs": 2})
    runs = [tsvc.execute(PASS, run_id=f"r{k}") for k in range(4)]
    halted = tsvc.execute(HALT, run_id="halted")
    for run_id in runs:
        run = tsvc.service.runs.get(run_id)  # a run that was removed already is over
        tsvc.until(lambda run=run: run is None or run.completed.is_set())
    held = [one["run_id"] for one in tsvc.call("QueryAllTests")["tests"]]
    assert held == ["r2", "r3", halted], "the oldest give way, runs in progress never"
    assert tsvc.call("QueryTest", run_id="r0")["verdict"] == "pass"
    assert tsvc.refusal("CancelTest", run_id="r0")["code"] == 2004
    assert tsvc.execute(PASS, run_id="r1") == "r1"


def test_hold_s(daemon):
    tsvc = daemon(results={"hold_s": 0.02})
    run_id = tsvc.execute(PASS)
    completed(tsvc, run_id)
    tsvc.until(lambda: tsvc.call("QueryAllTests")["tests"] == [])
    assert tsvc.execute(PASS, run_id=run_id) == run_id
    halted = tsvc.execute(HALT)
    gevent.sleep(0.03)
    assert halted in tsvc.service.runs


def test_a_run_that_completes_while_it_is_read_is_not_lost(tsvc):
    """The result is built piece by piece; other greenlets run in between."""
    operations = (INITIAL_DP, expect("Continue"), {"type": "wait", "arguments": {"seconds": 0.01}})
    for at in range(25):
        run_id = tsvc.execute(*operations)
        gevent.sleep(at * 0.002)
        result = tsvc.call("QueryTest", run_id=run_id)
        assert (run_id in tsvc.service.runs) is (result["completed"] == 0)
        if not result["completed"]:
            assert tsvc.finish(run_id)["completed"] == 1


def test_details_are_read_while_instances_fail(tsvc):
    """Other greenlets run while details are built, and may add to the lists."""
    letter = "substr('abcdefghijklmnopqrstuvwxyz', $r->{idx} % 26, 1)"
    abort = {"type": "abort", "arguments": {"text": f"{{'cause ' . {letter}}}"}}
    distribution = {"type": "load", "total": 400, "backlog": 4}
    wait = {"type": "wait", "arguments": {"seconds": 0.001}}
    run_id = tsvc.execute(INITIAL_DP, expect("Continue"), wait, abort, distribution=distribution)
    while True:
        result = tsvc.call("QueryTest", run_id=run_id)
        if result["completed"]:
            break
        counts = result["counts"]
        assert counts["started"] == counts["finished"] + counts["in_progress"]
        gevent.sleep(0.0005)
    assert len(result["first_aborts"]) == 20


def test_completed_means_archived(tsvc):
    run_id = tsvc.execute(PASS)
    result = tsvc.finish(run_id)
    assert tsvc.call("GetResult", result_id=result["result_id"])["counts"]["passed"] == 1


def test_get_result_has_the_definition_if_it_is_wanted(tsvc):
    load = {"type": "linear", "total": 1, "backlog": 1, "cps": 5}
    more = {"vars": {"n": 1}, "comment": "ours", "auth_token": "s3cr3t"}
    run_id = tsvc.execute(PASS, distribution=load, **more)
    result_id = tsvc.finish(run_id)["result_id"]
    plain = tsvc.call("GetResult", result_id=result_id)
    assert plain == tsvc.call("GetResult", result_id=result_id, definition=False) | {
        "time_now": plain["time_now"]
    }
    whole = tsvc.call("GetResult", result_id=result_id, definition=True)
    found = whole.pop("definition")
    assert whole == {**plain, "time_now": whole["time_now"]}
    assert found.items() >= {"run_id": run_id, "vars": {"n": 1}, "comment": "ours"}.items()
    assert found["operations"] == [PASS]
    assert "auth_token" not in found
    assert found["distribution"]["cps"] == {"target": 5}, "a bare number stands for this"
    assert "definition" not in tsvc.call("QueryTest", run_id=run_id)
    error = tsvc.refusal("GetResult", result_id=result_id, definition="yes")
    assert list(error["data"]["fields"]) == ["params.definition"]


def remembered():
    """Return all existing memories of outcomes."""
    gc.collect()
    return [one for one in memo.all() if one.name == "outcomes"]


def test_a_completed_run_keeps_nothing_that_executes(tsvc):
    others = remembered()  # of other tests; they may be freed or stay

    def own():
        return [one for one in remembered() if not any(one is other for other in others)]

    run_id = tsvc.execute(INITIAL_DP, expect("Continue"), HALT)
    tsvc.until(lambda: tsvc.service.runs[run_id].halted)
    assert own()
    tsvc.call("ResumeInstance", run_id=run_id, instance_id="0")
    completed(tsvc, run_id)
    assert not own()
    log = tsvc.call("GetTrace", run_id=run_id, format="json")["content"]["check_log"]
    assert run_id in tsvc.service.runs, "not collected yet"
    assert tsvc.finish(run_id)["first_call_summary"]["check_log"] == log != []


def test_what_the_archive_has_no_room_for_is_readable_until_collected(tsvc, monkeypatch):
    """The detail of such an instance is built on request, long after the run."""
    monkeypatch.setattr(traces, "MOST_OCTETS", 0)
    passing = {"type": "pass", "label": "here", "arguments": {"text": "so far"}}
    load = {"type": "load", "total": 3, "backlog": 1}
    run_id = tsvc.execute(INITIAL_DP, expect("Continue"), passing, distribution=load)
    completed(tsvc, run_id)
    trace = tsvc.call("GetTrace", run_id=run_id, instance=2, format="json")
    last = trace["content"]["check_log"][-1]
    assert (last["type"], last["label"], last["level"]) == ("pass", "here", "pass")


def left_of(run_id):
    """Return the numbers of objects of a run: itself, its compiled definition, its instances."""
    objects = gc.get_objects()
    runs = [one for one in objects if isinstance(one, Run) and one.run_id == run_id]
    found = [one for one in objects if isinstance(one, Scope) and one.params["run_id"] == run_id]
    instances = [one for one in objects if isinstance(one, Instance) and one.run in runs]
    return len(runs), len(found), len(instances)


@pytest.mark.parametrize("operations", [[INITIAL_DP, expect("Continue")], [{"type": "pass"}]])
@pytest.mark.parametrize(
    "distribution",
    [
        {"type": "single"},
        {"type": "load", "total": 20, "backlog": 5},
        {"type": "linear", "total": 20, "backlog": 5, "cps": 1000},
    ],
    ids=lambda one: one["type"],
)
def test_a_collected_run_is_freed_at_once(tsvc, distribution, operations):
    """No garbage collection is needed; in a busy daemon collections are rare."""
    total = distribution.get("total", 1)
    gc.collect()
    gc.disable()
    try:
        # Other tests may have left runs with a common name.
        run_id = tsvc.execute(*operations, distribution=distribution, run_id=uuid4().hex)
        completed(tsvc, run_id)
        runs, scopes, instances = left_of(run_id)
        assert (runs, scopes) == (1, 0)
        assert instances >= min(total, 10), "the first and the slowest"
        tsvc.finish(run_id)
        assert left_of(run_id) == (0, 0, 0)
    finally:
        gc.enable()
