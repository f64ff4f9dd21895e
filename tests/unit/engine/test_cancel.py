"""CancelTest and ResumeInstance of runs in every state."""

import gevent
import pytest
from support.scripted_scp import CONTINUE, INITIAL_DP, evaluate, expect
from support.waiting import GUARD_S, idle

HALT = {"type": "halt", "arguments": {"seconds": 300, "comment": "{'look at ' . $r->{idx}}"}}
WAIT = {"type": "wait", "arguments": {"seconds": 300}}
LOOP = {"type": "branch", "expression": "1", "on_true": "again", "label": "again"}


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE, max_steps=1_000_000_000, cancel_grace_s=GUARD_S)


def cancel(tsvc, run_id):
    """Cancel a run, and assert that this takes less than the grace."""
    began = tsvc.service.clock.now()
    result = tsvc.call("CancelTest", run_id=run_id)
    assert tsvc.service.clock.now() - began < tsvc.config.engine.cancel_grace_s
    return result


def assert_cancelled(tsvc, run_id, result, count):
    assert (result["completed"], result["cancelled"]) == (1, 1)
    assert (result["state"], result["verdict"]) == ("completed", "cancelled")
    counts = result["counts"]
    assert counts["cancelled"] == counts["finished"] == counts["started"] == count
    assert counts["in_progress"] == counts["halted"] == 0
    assert tsvc.service.locks.held() == {}
    assert run_id not in tsvc.service.runs
    assert tsvc.refusal("CancelTest", run_id=run_id)["code"] == 2004
    assert tsvc.call("QueryTest", run_id=run_id)["verdict"] == "cancelled"


def running(tsvc, run_id, count):
    tsvc.until(lambda: tsvc.service.runs[run_id].counters.in_progress == count)
    idle()


@pytest.mark.parametrize("operation", [WAIT, HALT, LOOP])
def test_a_single_instance_wherever_it_is(tsvc, operation):
    run_id = tsvc.execute(INITIAL_DP, expect("Continue"), operation, locks=[{"key": "k"}])
    running(tsvc, run_id, 1)
    result = cancel(tsvc, run_id)
    assert_cancelled(tsvc, run_id, result, 1)
    assert result["first_call_summary"]["state"] == "cancelled"
    assert tsvc.open_dialogues == (0, 0)
    assert tsvc.scp.kinds == ["BEGIN", "U-ABORT"]


def test_fifty_instances_that_wait_for_a_peer(tsvc):
    run_id = tsvc.execute(
        INITIAL_DP,
        expect("Continue"),
        expect("Connect", seconds=300),
        distribution={"type": "load", "total": 1000, "backlog": 50},
    )
    running(tsvc, run_id, 50)
    assert tsvc.open_dialogues == (50, 50)
    result = cancel(tsvc, run_id)
    assert_cancelled(tsvc, run_id, result, 50)
    assert tsvc.open_dialogues == (0, 0)
    assert tsvc.scp.kinds.count("U-ABORT") == 50


def test_a_peer_that_never_answered(daemon):
    tsvc = daemon(cancel_grace_s=GUARD_S)
    run_id = tsvc.execute(INITIAL_DP, expect("Continue", seconds=300))
    running(tsvc, run_id, 1)
    assert_cancelled(tsvc, run_id, cancel(tsvc, run_id), 1)
    assert tsvc.open_dialogues[0] == 0, "there is no id to abort the other side by"


def test_a_linear_run_stops_starting(tsvc):
    distribution = {"type": "linear", "total": 100_000, "backlog": 1000, "cps": 500}
    run_id = tsvc.execute(WAIT, distribution=distribution)
    tsvc.until(lambda: tsvc.service.runs[run_id].counters.started >= 5)
    result = cancel(tsvc, run_id)
    rate = result["rate"]
    assert_cancelled(tsvc, run_id, result, rate["started"])
    assert rate["planned"] < 100_000, "what was not due before the cancel was not planned"
    assert rate["planned"] == rate["started"] + rate["never_started"]


def test_a_run_that_has_not_begun(tsvc):
    run_id = tsvc.execute(WAIT, start_at=tsvc.service.clock.wall() + 1000)
    result = tsvc.call("QueryTest", run_id=run_id)
    assert (result["completed"], result["counts"]["planned"]) == (0, 0)
    result = cancel(tsvc, run_id)
    assert_cancelled(tsvc, run_id, result, 0)
    assert result["duration"] >= 0
    assert result["time_start"] <= result["time_finish"] <= result["time_now"]


def test_a_completed_run_is_only_collected(tsvc):
    run_id = tsvc.execute(evaluate("1"))
    tsvc.until(lambda: tsvc.service.runs[run_id].completed.is_set())
    result = cancel(tsvc, run_id)
    assert (result["cancelled"], result["verdict"], result["completed"]) == (0, "pass", 1)
    assert tsvc.service.runs == {}


def test_an_instance_that_failed_before_counts_as_cancelled_once(tsvc):
    run_id = tsvc.execute({"type": "fail"}, WAIT)
    running(tsvc, run_id, 1)
    counts = cancel(tsvc, run_id)["counts"]
    assert (counts["cancelled"], counts["failed"]) == (1, 0)


def test_whoever_waits_for_the_run_is_answered(tsvc):
    run_id = tsvc.execute(WAIT)
    waiting = gevent.spawn(tsvc.call, "QueryTest", run_id=run_id, wait_s=30)
    idle()
    cancel(tsvc, run_id)
    assert waiting.get(timeout=GUARD_S)["verdict"] == "cancelled"


def test_two_cancels_at_once(tsvc):
    run_id = tsvc.execute(WAIT)
    running(tsvc, run_id, 1)
    both = [gevent.spawn(tsvc.ask, "CancelTest", {"run_id": run_id}) for _ in range(2)]
    results = [one.get(timeout=GUARD_S)["result"] for one in both]
    assert [result["counts"]["cancelled"] for result in results] == [1, 1]
    assert tsvc.service.runs == {}


def test_stop_cancels_what_runs(daemon):
    tsvc = daemon(CONTINUE)
    tsvc.execute(INITIAL_DP, expect("Continue"), WAIT)
    idle()
    tsvc.stop()
    assert tsvc.open_dialogues == (0, 0)


# -- halt and resume -----------------------------------------------------------------------------


def test_resume(tsvc):
    run_id = tsvc.execute(HALT, distribution={"type": "load", "total": 2, "backlog": 2})
    running(tsvc, run_id, 2)
    result = tsvc.call("QueryTest", run_id=run_id)
    assert result["counts"]["halted"] == result["counts"]["in_progress"] == 2
    assert [
        (one["instance_id"], one["idx"], one["op"], one["comment"]) for one in result["halted"]
    ] == [
        ("0", 0, 0, "look at 0"),
        ("1", 1, 0, "look at 1"),
    ]
    assert all(290 < one["seconds_left"] <= 300 for one in result["halted"])
    assert result["first_call_summary"]["state"] == "halted"
    assert tsvc.call("ResumeInstance", run_id=run_id, instance_id="0") == {"resumed": 1}
    again = tsvc.refusal("ResumeInstance", run_id=run_id, instance_id="0")
    assert (again["code"], again["data"]["kind"]) == (1000, "instance.not_halted")
    tsvc.until(lambda: tsvc.service.runs[run_id].counters.passed == 1)
    assert tsvc.call("ResumeInstance", run_id=run_id, instance_id=1) == {"resumed": 1}
    assert tsvc.finish(run_id)["counts"]["passed"] == 2
    assert tsvc.refusal("ResumeInstance", run_id=run_id, instance_id="0")["code"] == 2004


@pytest.mark.parametrize("instance_id", ["1", "-1", "x", "", "9" * 5000, 7, "0x0"])
def test_resume_of_what_is_not_halted(tsvc, instance_id):
    run_id = tsvc.execute(HALT)
    running(tsvc, run_id, 1)
    error = tsvc.refusal("ResumeInstance", run_id=run_id, instance_id=instance_id)
    assert (error["code"], error["data"]["kind"]) == (1000, "instance.not_halted")
    assert len(error["message"]) < 200


def test_resume_of_a_running_instance(tsvc):
    run_id = tsvc.execute(WAIT)
    running(tsvc, run_id, 1)
    error = tsvc.refusal("ResumeInstance", run_id=run_id, instance_id="0")
    assert error["data"]["kind"] == "instance.not_halted"


def test_a_halt_that_nobody_ends_aborts(tsvc):
    result = tsvc.run({"type": "halt", "arguments": {"seconds": 0.02}})
    assert result["first_call_summary"]["reason"] == "halt: not resumed within 0.02 s"
    assert result["counts"]["halted"] == 0
