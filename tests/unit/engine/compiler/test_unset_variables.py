"""Reading a variable that nothing sets is reported, and refused with `strict`."""

import pytest
from support.scripted_scp import INITIAL_DP, evaluate, expect

from tsvc.operations.operation import name_of, type_of

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
        *("v.orig_called", "orig_called", "g.seen", "result", "result.x", "r.x"),
        *("v.own", "own.x", "v.other.default('')", "[0].nothing"),
    ],
)
def test_kpaths_of_what_is_set_or_may_be_absent(daemon, kpath):
    steps = [evaluate("$v->{own} = 1; $g->{seen} = 1")]
    steps.append({**evaluate("1"), "tests": [{"kpath": kpath, "type": "exists", "value": 1}]})
    assert judged(daemon(), steps)["problems"] == []


RECEIVING = {
    "inap.ssp_from_scp.Connect": "Connect",
    "inap.ssp_from_scp.ContinueWithArgument": "ContinueWithArgument",
    "map.hlr_from_scp.ProcessUnstructuredSSRequest": "ProcessUnstructuredSSRequest",
    "map.hlr_from_scp.AnyTimeInterrogation": "AnyTimeInterrogationRequest",
    "tcap.ssp_from_scp.End": "End",
    "smpp.smsc_from_esme.Request": "submit_sm",
    "smpp.smsc_to_esme.Request": "deliver_sm_resp",
    "rest.Request": "REST",
    "db.crm.Subscriber": "DB",
    "diameter.to_server.Request": "DIAMETER",
    "diameter.from_server.Request": "DIAMETER",
    "pi.Request": "PI",
    "osd.Request": "OSD",
}


def reads_of(tsvc, type_, source):
    """Return the warnings about `$i` of a definition with a type and an expression."""
    receiving = dict(type_of(name_of(type_)).example)
    found = tsvc.call("ValidateTest", operations=[receiving, evaluate(source)])["problems"]
    return [one["text"] for one in found if one["text"].startswith("reads $i")]


@pytest.mark.parametrize("type_", RECEIVING)
def test_a_name_that_no_operation_receives(daemon, type_):
    tsvc = daemon()
    name = RECEIVING[type_]
    assert reads_of(tsvc, type_, f"$i->{{{name}}}{{x}}") == []
    (text,) = reads_of(tsvc, type_, f"$i->{{{name}s}}{{x}}")
    assert text.startswith(f"reads $i->{{{name}s}}, which no operation receives")
    assert name in text.split("did you mean")[-1]


@pytest.mark.parametrize(
    "source",
    [
        "defined $i->{Nothing}",
        "$i->{Nothing} // 1",
        "$i->{Own} = 1; $i->{Own}",
        "$i->{$r->{idx}} = 1; $i->{Nothing}",
    ],
)
def test_what_may_be_absent_or_is_set_in_i(daemon, source):
    assert reads_of(daemon(), "rest.Request", source) == []


def test_a_kpath_of_i(daemon):
    steps = [{**evaluate("1"), "tests": [{"kpath": "i.REST.code", "type": "exists"}]}]
    (problem,) = judged(daemon(), steps)["problems"]
    assert problem["path"].endswith("tests[0].kpath")
    assert problem["text"] == "reads $i->{REST}, which no operation receives"
