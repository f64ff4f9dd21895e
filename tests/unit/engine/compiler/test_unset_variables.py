"""Reading a variable that nothing sets is reported, and refused with `strict`."""

import pytest
from support.scripted_scp import INITIAL_DP, evaluate, expect

TYPO = "$v->{orig_caled}"
PLACES = {
    "operations[0].arguments.originalCalledPartyID_digits": [
        expect("Connect", arguments={"originalCalledPartyID_digits": f"{{{TYPO}}}"})
    ],
    "operations[0].tests[0].value": [
        {**evaluate("1"), "tests": [{"kpath": "result", "value": f"{{{TYPO}}}"}]}
    ],
    "operations[0].tests[0].kpath": [
        {**evaluate("1"), "tests": [{"kpath": f"{{'v.' . {TYPO}}}", "value": "1"}]}
    ],
    "operations[0].tests[0].kpath ": [
        {**evaluate("1"), "tests": [{"kpath": "v.orig_caled.x", "type": "exists", "value": 0}]}
    ],
    "operations[0].tests[0].kpath  ": [
        {**evaluate("1"), "tests": [{"kpath": "orig_caled[0]", "value": None}]}
    ],
    "operations[0].expression": [evaluate(f"{TYPO} + 1")],
    "operations[0].seconds": [{"type": "wait", "seconds": f"{{{TYPO}}}"}],
}
PLACES["operations[1].expression"] = [{"type": "pass"}, *PLACES["operations[0].expression"]]


def judged(tsvc, operations, **params):
    if operations[0]["type"] == "wait":
        operations = [{"type": "wait", "arguments": {"seconds": operations[0]["seconds"]}}]
    if operations[0]["type"].startswith("inap."):
        operations = [*operations, INITIAL_DP][::-1]
    return tsvc.call("ValidateTest", operations=operations, vars={"orig_called": "61"}, **params)


@pytest.mark.parametrize("place", PLACES)
def test_a_misspelt_variable_is_a_warning_with_what_may_be_meant(daemon, place):
    found = judged(daemon(), PLACES[place])
    assert found["valid"] is True, found
    (problem,) = found["problems"]
    assert problem["severity"] == "warning"
    assert problem["text"].startswith("reads $v->{orig_caled}, which nothing sets")
    assert "orig_called" in problem["text"]
    assert problem["path"].split(".")[-1] == place.strip().split(".")[-1]


@pytest.mark.parametrize("place", PLACES)
def test_strict_makes_it_an_error(daemon, place):
    tsvc = daemon()
    found = judged(tsvc, PLACES[place], strict=1)
    assert found["valid"] is False
    assert [problem["severity"] for problem in found["problems"]] == ["error"]


def test_a_strict_run_is_refused(daemon):
    tsvc = daemon()
    operations = [evaluate("$g->{countr} + 1"), evaluate("$g->{counter}++")]
    error = tsvc.ask("ExecuteTest", run_id="r", operations=operations, strict=1)["error"]
    assert error["code"] == 2002
    assert "did you mean" in str(error)
    assert tsvc.run(*operations)["verdict"] == "pass", "on the wire it is a warning"


@pytest.mark.parametrize(
    "operations",
    [
        [evaluate("$v->{b} = 1"), evaluate("$v->{b}")],
        [evaluate("$v->{b} // 1")],
        [evaluate("$v->{'b' . $r->{idx}} = 1"), evaluate("$v->{anything}")],
        [evaluate("$v->{__INBOUND}")],
        [evaluate("$v->{orig_called}")],
        [evaluate("$v->{later}"), evaluate("$v->{later} = 2")],
    ],
)
def test_what_is_set_or_may_be_is_no_mistake(daemon, operations):
    assert judged(daemon(), operations, strict=1)["problems"] == []


def test_variables_see_those_of_the_definition(daemon):
    found = daemon().call(
        "ValidateTest",
        operations=[evaluate("$v->{b}")],
        vars={"a": "1", "b": "{$v->{a} . $v->{aa}}"},
    )
    (problem,) = found["problems"]
    assert problem["path"] == "params.vars.b"


@pytest.mark.parametrize(
    "kpath",
    [
        *("v.orig_called", "orig_called", "g.seen", "result", "result.x", "i.Connect", "r.x"),
        *("v.own", "own.x", "v.other.default('')", "[0].nothing"),
    ],
)
def test_kpaths_of_what_is_set_or_may_be_absent(daemon, kpath):
    steps = [evaluate("$v->{own} = 1; $g->{seen} = 1")]
    steps.append({**evaluate("1"), "tests": [{"kpath": kpath, "type": "exists", "value": 1}]})
    assert judged(daemon(), steps)["problems"] == []
