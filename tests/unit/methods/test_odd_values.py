"""Values that a client may send or should not send: each has one correct answer."""

import pytest

PASS = {"type": "pass"}
BEYOND_ANY_ID = [2**63, 10**30]


@pytest.fixture
def tsvc(daemon):
    return daemon()


@pytest.mark.parametrize("name", ["db_crm", "rest_crm", "db_", "rest_"])
@pytest.mark.parametrize("value", [5, True, 0.5, {}, ["CRM"]])
def test_a_labelled_gateway_is_named_by_a_string(tsvc, name, value):
    fields = tsvc.refused(PASS, **{name: value})
    assert list(fields) == [f"params.{name}"]
    assert fields[f"params.{name}"][0].startswith("must be a string, not ")
    given = {"operations": [PASS], name: value}
    assert tsvc.call("ValidateTest", **given)["valid"] is False


@pytest.mark.parametrize("value", [None, "", "default"])
def test_a_labelled_gateway_may_be_left_open(tsvc, value):
    assert tsvc.run(PASS, db_crm=value, rest_crm=value)["problems"] == []


@pytest.mark.parametrize("unused", [0, -1, "", "x", None, True, {}, {"start": 5}, [], 3])
def test_what_a_distribution_does_not_use_is_ignored_and_noted(tsvc, unused):
    single = {"type": "single", "total": unused, "backlog": unused, "cps": unused}
    result = tsvc.run(PASS, distribution=single)
    assert result["counts"]["started"] == 1
    assert [(one["path"], one["severity"]) for one in result["problems"]] == [
        ("params.distribution.total", "warning"),
        ("params.distribution.backlog", "warning"),
        ("params.distribution.cps", "warning"),
    ]
    load = {"type": "load", "total": 3, "backlog": 2, "cps": unused}
    result = tsvc.run(PASS, distribution=load)
    assert result["counts"]["started"] == 3
    assert [one["text"] for one in result["problems"]] == ["is not used by type load"]


@pytest.mark.parametrize("type_", [None, 5, ["single"], {"single": 1}, "Single", ""])
def test_a_type_that_is_none_uses_nothing_and_ignores_nothing(tsvc, type_):
    fields = tsvc.refused(PASS, distribution={"type": type_, "total": 0})
    assert "params.distribution.type" in fields
    assert "params.distribution.total" in fields


def test_a_misspelt_member_of_a_distribution_is_refused_whatever_the_type(tsvc):
    fields = tsvc.refused(PASS, distribution={"type": "single", "total": 0, "totl": 1})
    assert fields == {"params.distribution.totl": ['unknown member; did you mean "total"?']}


@pytest.mark.parametrize("id_", BEYOND_ANY_ID)
@pytest.mark.parametrize(
    ("method", "member"),
    [("GetResult", "result_id"), ("GetTrace", "result_id"), ("ListResults", "before")],
)
def test_an_id_that_no_database_has_is_refused(tsvc, method, member, id_):
    error = tsvc.refusal(method, **{member: id_})
    assert (error["code"], error["data"]["kind"]) == (1000, "request.invalid")
    assert list(error["data"]["fields"]) == [f"params.{member}"]


def test_the_largest_id_is_only_not_known(tsvc):
    assert tsvc.refusal("GetResult", result_id=2**63 - 1)["code"] == 2004
    assert tsvc.call("ListResults", before=2**63 - 1)["results"] == []


def test_an_optional_run_id_is_one_or_none(tsvc):
    run_id = tsvc.run(PASS)["run_id"]
    listed = tsvc.call("ListResults", run_id=run_id)["results"]
    assert [one["run_id"] for one in listed] == [run_id]
    assert tsvc.call("ListResults", run_id=None)["results"] == listed
    assert tsvc.refusal("ListResults", run_id="")["code"] == 2000
    result_id = listed[0]["result_id"]
    for wrong in (5, "x" * 257, [], True):
        assert tsvc.refusal("ListResults", run_id=wrong)["code"] == 1000
        assert tsvc.refusal("GetTrace", run_id=wrong, result_id=result_id)["code"] == 1000


def test_a_trace_says_whose_it_is(tsvc):
    first = tsvc.run(PASS, run_id="same")["result_id"]
    second = tsvc.run({"type": "fail"}, run_id="same")["result_id"]
    states = {}
    for result_id in (first, second):
        trace = tsvc.call("GetTrace", result_id=result_id, format="json")
        assert trace["run_id"] == "same"
        states[result_id] = trace["content"]["state"]
    assert states == {first: "passed", second: "failed"}


def test_the_result_id_goes_before_the_run_in_memory(tsvc):
    first = tsvc.run(PASS, run_id="same")["result_id"]
    tsvc.execute({"type": "halt"}, run_id="same")
    tsvc.until(lambda: tsvc.service.runs["same"].halted)
    trace = tsvc.call("GetTrace", run_id="same", result_id=first, format="json")
    assert trace["content"]["state"] == "passed"


def test_a_run_in_progress_has_a_trace_by_its_result_id_too(tsvc):
    run_id = tsvc.execute({"type": "halt"})
    tsvc.until(lambda: tsvc.service.runs[run_id].halted)
    result_id = tsvc.call("QueryTest", run_id=run_id)["result_id"]
    trace = tsvc.call("GetTrace", result_id=result_id, format="json")
    assert (trace["run_id"], trace["content"]["state"]) == (run_id, "halted")
