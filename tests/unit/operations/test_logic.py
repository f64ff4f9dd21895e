"""eval, branch, wait, halt, log, pass, fail, abort."""

import pytest
from support.scripted_scp import (
    CONTINUE,
    INITIAL_DP,
    checks,
    evaluate,
    expect,
    reason,
    variables,
)


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def test_eval_changes_variables(tsvc):
    result = tsvc.run(
        evaluate("$v->{cause} = 22"),
        evaluate("{$v->{cause} = $v->{cause} + 3}", label="add"),
        {"type": "branch", "expression": "$v->{cause} < 30", "on_true": "add"},
    )
    assert variables(result) == {"cause": 31}
    assert checks(result) == []


def test_eval_tests_see_every_root(tsvc):
    tests = [
        {"kpath": "v.n", "type": "integer", "value": 3},
        {"kpath": "n", "type": "integer", "value": 3},
        {"kpath": "g.m", "type": "string", "value": "x"},
        {"kpath": "r.idx", "type": "integer", "value": 0},
        {"kpath": "result", "type": "string", "value": "x"},
    ]
    result = tsvc.run(evaluate("$v->{n} = 3; $g->{m} = 'x'", tests=tests))
    assert [level for level, _ in checks(result)] == ["pass"] * 5


def test_eval_tests_see_what_was_received(tsvc):
    tests = [{"kpath": "i.InitialDPError", "type": "exists", "value": 0}]
    tests += [{"kpath": "i.Continue", "type": "exists", "value": 1}]
    result = tsvc.run(INITIAL_DP, expect("Continue"), evaluate("1", tests=tests))
    assert checks(result)[1:] == [("pass", entry) for _, entry in checks(result)[1:]]
    assert len(checks(result)) == 3


@pytest.mark.parametrize(
    "expression", ["$i->{Continue} ? 1 : 0", "${i}->{Continue} ? 1 : 0", "$v->{__INBOUND} ? 1 : 0"]
)
def test_every_spelling_of_inbound_values_is_noticed(tsvc, expression):
    result = tsvc.run(INITIAL_DP, expect("Continue"), evaluate(f"$v->{{seen}} = {expression}"))
    assert variables(result) == {"seen": 1}


def test_a_failing_test_fails_or_aborts(tsvc):
    wrong = {"kpath": "v.n", "type": "integer", "value": 4}
    result = tsvc.run(evaluate("$v->{n} = 3", tests=[wrong]), {"type": "pass"})
    (failed, passed) = result["first_call_summary"]["check_log"]
    assert (failed["level"], failed["expected"], failed["got"]) == ("fail", 4, 3)
    assert (failed["op"], failed["step"], failed["type"]) == (0, 1, "eval")
    assert passed["op"] == 1
    result = tsvc.run(
        evaluate("$v->{n} = 3", tests=[{**wrong, "abort_on_fail": 1}]), {"type": "pass"}
    )
    assert checks(result, "abort") == [failed["text"]]
    assert result["verdict"] == "abort"
    assert len(checks(result)) == 1


def test_a_failing_expression_aborts_with_the_reason(tsvc):
    result = tsvc.run(evaluate("$v->{n} = 1"), evaluate("$v->{n} / 0"))
    assert result["verdict"] == "abort"
    assert "division by zero" in reason(result).lower() or "zero" in reason(result)
    assert variables(result) == {"n": 1}


@pytest.mark.parametrize(
    ("attributes", "path"),
    [
        ({"expression": "1", "on_true": "end"}, ["end"]),
        ({"expression": "0", "on_true": "end"}, ["next", "end"]),
        ({"expression": "1", "on_false": "end"}, ["next", "end"]),
        ({"expression": "'0'", "on_true": None, "on_false": "end"}, ["end"]),
        ({"expression": "{'0.0'}", "on_true": "end", "on_false": "next"}, ["end"]),
        ({"expression": "1"}, ["next", "end"]),
    ],
)
def test_branch(tsvc, attributes, path):
    result = tsvc.run(
        {"type": "branch", **attributes},
        {"type": "pass", "label": "next", "arguments": {"text": "next"}},
        {"type": "pass", "label": "end", "arguments": {"text": "end"}},
    )
    assert checks(result, "pass") == path
    assert [entry["label"] for entry in result["first_call_summary"]["check_log"]] == path


def test_wait(tsvc):
    for seconds in (0.05, "0.05", "{0.01 * 5}"):
        result = tsvc.run({"type": "wait", "arguments": {"seconds": seconds}})
        assert result["first_call_summary"]["duration"] >= 0.05
    assert tsvc.run({"type": "wait", "arguments": {"seconds": 0}})["verdict"] == "pass"


@pytest.mark.parametrize("type_", ["wait", "halt"])
@pytest.mark.parametrize("value", ["undef", "'soon'", "''", "'1_0'", "'3 s'"])
def test_what_is_no_number_is_no_wait_of_nothing(tsvc, type_, value):
    entry = {"type": type_, "arguments": {"seconds": "{$v->{x}}"}}
    result = tsvc.run(evaluate(f"$v->{{x}} = {value}"), entry)
    assert "is no number of seconds from 0 to" in reason(result)


@pytest.mark.parametrize("seconds", ["-1", "'NaN' + 0", "9**9**9", "1e8"])
def test_a_wait_that_is_none_aborts(tsvc, seconds):
    wait = {"type": "wait", "arguments": {"seconds": "{$v->{x}}"}}
    result = tsvc.run(evaluate(f"$v->{{x}} = {seconds}"), wait)
    assert "is no number of seconds from 0 to" in reason(result)
    constant = {"type": "wait", "arguments": {"seconds": f"{{{seconds}}}"}}
    assert list(tsvc.refused(constant)) == ["params.operations[0].arguments.seconds"]


@pytest.mark.parametrize(
    ("operation", "member"),
    [
        ({"type": "wait", "arguments": {}}, "seconds"),
        ({"type": "wait", "arguments": {"seconds": -1}}, "seconds"),
        ({"type": "wait", "arguments": {"seconds": "soon"}}, "seconds"),
        ({"type": "wait", "arguments": {"seconds": 1e8}}, "seconds"),
        ({"type": "wait", "arguments": {"seconds": True}}, "seconds"),
        ({"type": "wait", "arguments": {"seconds": 1, "minutes": 1}}, "minutes"),
        ({"type": "halt", "arguments": {"seconds": 601}}, "seconds"),
        ({"type": "halt", "arguments": {"coment": "x"}}, "coment"),
        ({"type": "log", "arguments": {"txt": "x"}}, "txt"),
    ],
)
def test_wrong_arguments(tsvc, operation, member):
    assert list(tsvc.refused(operation)) == [f"params.operations[0].arguments.{member}"]


@pytest.mark.parametrize("type_", ["eval", "branch", "wait", "log"])
def test_what_is_required(tsvc, type_):
    (path,) = tsvc.refused({"type": type_})
    assert path.startswith("params.operations[0].")


def test_log_writes_at_every_trace_level(tsvc):
    log = {"type": "log", "arguments": {"text": "{'count is ' . $v->{n}}"}}
    for level in (0, 1, 2, 3):
        result = tsvc.run(log, vars={"n": 3}, trace_level=level)
        texts = [entry["text"] for entry in result["first_call_summary"]["trace_log"]]
        assert texts == ["count is 3"]
        assert checks(result) == []


def test_level_3_traces_the_values_of_expressions(tsvc):
    test = {"kpath": "n", "type": "integer", "value": 3}
    result = tsvc.run(
        evaluate("$v->{n} = 2"),
        evaluate("$v->{n} += 1", tests=[test]),
        {"type": "branch", "expression": "$v->{n} += 4", "on_true": "end"},
        {"type": "fail"},
        evaluate("[$v->{n}]", label="end"),
        trace_level=3,
    )
    log = result["first_call_summary"]["trace_log"]
    assert [(entry["text"], entry["detail"]) for entry in log if entry["level"] == 3] == [
        ("eval $v->{n} = 2", 2),
        ("eval $v->{n} += 1", 3),
        ("branch $v->{n} += 4", 7),
        ("eval [$v->{n}]", [7]),
    ]
    assert (result["verdict"], variables(result)) == ("pass", {"n": 7}), "evaluated once"


def test_pass_fail_abort(tsvc):
    result = tsvc.run(
        {"type": "pass"},
        {"type": "pass", "arguments": {"text": "{'n is ' . $v->{n}}"}},
        {"type": "fail"},
        {"type": "abort", "arguments": {"text": "enough"}},
        {"type": "pass"},
        vars={"n": 1},
    )
    assert checks(result) == [
        ("pass", "pass"),
        ("pass", "n is 1"),
        ("fail", "fail"),
        ("abort", "enough"),
    ]
    assert (reason(result), result["first_aborts"][0]["cause"]) == ("enough", "enough")
    assert tsvc.run({"type": "fail"})["first_fails"][0]["cause"] == "fail"
    assert reason(tsvc.run({"type": "abort"})) == "abort"


def test_more_steps_than_allowed_abort(daemon):
    tsvc = daemon(max_steps=50)
    loop = {"type": "branch", "expression": "$v->{n} += 1", "on_true": "x", "label": "x"}
    result = tsvc.run(loop)
    assert variables(result) == {"n": 50}
    assert reason(result) == "more than 50 operations executed"
