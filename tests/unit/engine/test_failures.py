"""`failures`: all failed and aborted instances by operation and cause; the counts add up."""

import pytest
from support.loads import PASS, load
from support.scripted_scp import CONTINUE
from support.waiting import until

from tsvc.engine.load.counters import MOST_GROUPS, FailureGroups, InstanceState
from tsvc.engine.result.copies import cause_of, without_values


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def compare(kpath, value, **more):
    test = {"kpath": kpath, "value": value, **more}
    return {"type": "eval", "expression": "$v->{x} = $r->{idx}", "tests": [test]}


def total(result):
    return sum(group["count"] for group in result["failures"])


def test_values_do_not_make_causes(tsvc):
    """A hundred calls, of which forty have forty different wrong values: two causes, not forty."""
    check = {
        "type": "eval",
        "expression": "$v->{digits} = $r->{idx} < 40 ? 'wrong' . $r->{idx} : 'right'; "
        "$v->{nature} = 4",
        "tests": [
            {"kpath": "digits", "value": "right"},
            {"kpath": "nature", "type": "integer", "value": 3},
        ],
    }
    result = tsvc.run(check, distribution=load(100, 10))
    counts = {group["cause"]: group["count"] for group in result["failures"]}
    assert sorted(counts.values()) == [40, 60]
    assert total(result) == result["counts"]["failed"] == 100
    smaller = min(result["failures"], key=lambda group: group["count"])
    assert len(smaller["values"]) == 5
    assert all(value.startswith("wrong") for value in smaller["values"])
    assert smaller["first_s"] <= smaller["last_s"] <= result["duration"]
    detailed = {one["instance_id"] for one in result["first_fails"]}
    assert {group["instance_id"] for group in result["failures"]} == detailed


def test_aborts_are_grouped_by_reason_and_operation(tsvc):
    aborts = [
        {"type": "abort", "arguments": {"text": "{'no. ' . $r->{idx} . ' gave up'}"}},
        PASS,
    ]
    result = tsvc.run(*aborts, distribution=load(30, 5))
    (group,) = result["failures"]
    assert (group["state"], group["op"], group["count"]) == ("aborted", 0, 30)
    assert group["cause"] == "no. … gave up"


def test_one_failure_too_many_is_counted_all_the_same():
    groups = FailureGroups()
    for number in range(3 * MOST_GROUPS):
        groups.add(InstanceState.FAILED, number, "it differs", number, number / 10)
    found = groups.as_list()
    assert len(found) == MOST_GROUPS + 1
    assert (found[0]["cause"], found[0]["op"]) == ("other causes", None)
    assert sum(group["count"] for group in found) == 3 * MOST_GROUPS


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("no answer within 2.5 s", "no answer within … s"),
        ("expected Connect, got ReleaseCall", "expected Connect, got ReleaseCall"),
        ("rows[3].token is 'A7', not \"B\"", "rows[3].token is …, not …"),
        ("instance 17 of 30: deadbeef01", "instance … of …: …"),
        ("CAP2 and e164 stay", "CAP2 and e164 stay"),
    ],
)
def test_a_reason_without_its_values(text, cause):
    assert without_values(text) == cause


@pytest.mark.parametrize(
    ("expected", "got", "kind"), [(1, 2, "differs"), (1, None, "is absent"), (None, 1, "is there")]
)
def test_the_kind_of_a_difference(expected, got, kind):
    assert cause_of("a.b", expected, got) == f"a.b: {kind}"
    assert cause_of("a[3].b differs", expected, got) == "a[3].b differs"


def test_a_failed_check_before_a_cancel_stays_counted(tsvc):
    steps = [compare("x", "other"), {"type": "wait", "arguments": {"seconds": 60}}]
    run_id = tsvc.execute(*steps, run_id="r", distribution=load(8, 8))
    until(lambda: tsvc.call("QueryAllTests")["tests"][0]["counts"]["started"] == 8)
    tsvc.call("CancelTest", run_id=run_id)
    result = tsvc.call("ListResults")["results"][0]
    result = tsvc.call("GetResult", result_id=result["result_id"])
    counts = result["counts"]
    assert (counts["cancelled"], counts["failed_then_cancelled"], counts["failed"]) == (8, 8, 0)
    assert [group["state"] for group in result["failures"]] == ["cancelled"]
    assert total(result) == 8


def test_what_made_no_step_has_not_started(tsvc):
    """A cancel may come while a load starts: only instances that made a step count as started."""
    for number in range(5):
        waits = {"type": "wait", "arguments": {"seconds": 60}}
        run_id = tsvc.execute(waits, run_id=f"r{number}", distribution=load(300, 300))
        tsvc.call("CancelTest", run_id=run_id)
        counts = tsvc.call("ListResults")["results"][0]["counts"]
        assert counts["started"] == counts["finished"] == counts["cancelled"]
        assert counts["planned"] >= counts["started"]


def test_a_run_in_which_nothing_passed_is_no_pass(tsvc):
    given = {"type": "linear", "total": 5, "backlog": 1, "cps": 0.1, "max_seconds": 0.05}
    result = tsvc.run({"type": "wait", "arguments": {"seconds": 0.01}}, distribution=given)
    assert result["verdict"] == ("pass" if result["counts"]["passed"] else "fail")
