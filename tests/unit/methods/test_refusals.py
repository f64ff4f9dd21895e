"""Codes 2000 to 2004: each documented reason, in the order of the checks. No run may remain."""

import json
from dataclasses import replace

import pytest
from support.scripted_scp import INITIAL_DP, evaluate, expect, send

PASS = {"type": "pass"}
HALT = {"type": "halt"}
LINEAR = {"type": "linear", "total": 1, "backlog": 1, "cps": 1}


@pytest.fixture
def tsvc(daemon):
    return daemon()


@pytest.mark.parametrize("given", [{}, {"run_id": None}, {"run_id": ""}])
@pytest.mark.parametrize("method", ["ExecuteTest", "QueryTest", "CancelTest", "ResumeInstance"])
def test_2000_run_id_absent(tsvc, method, given):
    error = tsvc.refusal(method, **given)
    assert (error["code"], error["data"]["kind"]) == (2000, "run_id.missing")


def test_2000_goes_before_what_else_is_wrong(tsvc):
    assert tsvc.refusal("ExecuteTest", operations=3)["code"] == 2000
    assert tsvc.ask("QueryTest")["error"]["code"] == 2000


@pytest.mark.parametrize("run_id", [5, ["x"], {}, True, "ü" * 129])
def test_a_run_id_that_can_not_be_one(tsvc, run_id):
    error = tsvc.refusal("ExecuteTest", run_id=run_id, operations=[PASS])
    assert error["code"] == 2002
    assert list(error["data"]["fields"]) == ["params.run_id"]
    assert tsvc.refusal("QueryTest", run_id=run_id)["code"] == 1000


def test_any_characters_make_a_run_id(tsvc):
    for run_id in ("x" * 256, "ü\n\x00 '\"/", "0"):
        assert tsvc.run(PASS, run_id=run_id)["run_id"] == run_id


def test_2001_in_progress_and_not_collected(tsvc):
    run_id = tsvc.execute(HALT)
    error = tsvc.refusal("ExecuteTest", run_id=run_id, operations=[PASS])
    assert (error["code"], error["data"]["kind"]) == (2001, "run_id.in_use")
    assert "in progress" in error["message"]
    tsvc.until(lambda: tsvc.service.runs[run_id].halted)
    tsvc.call("ResumeInstance", run_id=run_id, instance_id="0")
    tsvc.until(lambda: tsvc.service.runs[run_id].completed.is_set())
    error = tsvc.refusal("ExecuteTest", run_id=run_id, operations=[PASS])
    assert error["code"] == 2001
    assert "not yet collected" in error["message"]


def test_2001_goes_before_2002(tsvc):
    run_id = tsvc.execute(HALT)
    assert tsvc.refusal("ExecuteTest", run_id=run_id, operatons=1)["code"] == 2001


def test_2004_goes_before_nothing_but_1000(tsvc):
    assert tsvc.refusal("QueryTest", run_id="never")["code"] == 2004
    assert tsvc.refusal("CancelTest", run_id="never")["code"] == 2004
    assert tsvc.refusal("ResumeInstance", run_id="never", instance_id="0")["code"] == 2004
    assert tsvc.refusal("QueryTest", run_id="never", wait_s=61)["code"] == 1000
    assert tsvc.refusal("ResumeInstance", run_id="never")["code"] == 1000


# -- 2002 -----------------------------------------------------------------------------------------

BRANCH = {"type": "branch", "expression": "1", "on_true": "there"}
WRONG = {
    "no operations": ([], {}, "params.operations", "must not be empty"),
    "schema": ([PASS], {"trace_level": 4}, "params.trace_level", "from 0 to 3"),
    "no type": ([{"label": "x"}], {}, "params.operations[0].type", "is missing"),
    "type of type": ([{"type": 7}], {}, "params.operations[0].type", "must be a string"),
    "unknown type": (
        [PASS, {"type": "inap.ssp_to_scp.InitialDQ"}],
        {},
        "params.operations[1].type",
        'did you mean "inap.ssp_to_scp.InitialDP"',
    ),
    "ftp": ([{"type": "ftp.Request"}], {}, "params.operations[0].type", "file transfer"),
    "unknown attribute": (
        [{**BRANCH, "on_ture": "there", "label": "there"}],
        {},
        "params.operations[0].on_ture",
        'did you mean "on_true"',
    ),
    "duplicate label": (
        [{**PASS, "label": "a"}, {**PASS, "label": "a"}],
        {},
        "params.operations[1].label",
        "operations[0]",
    ),
    "unresolved label": ([BRANCH], {}, "params.operations[0].on_true", "there"),
    "expression": ([evaluate("1 +")], {}, "params.operations[0].expression", "column 4"),
    "expression in vars": ([PASS], {"vars": {"a": "{1 +}"}}, "params.vars.a", "column"),
    "generator": (
        [PASS],
        {"vars": {"a": {"$random": {"min": 2, "max": 1}}}},
        "params.vars.a.$random.max",
        "below min",
    ),
    "gateway": (
        [INITIAL_DP],
        {"sigtran": "LOOQ"},
        "params.sigtran",
        'did you mean "LOOP"',
    ),
    "scp range": ([INITIAL_DP], {"scp": {"dssn": 256}}, "params.scp.dssn", "from 1 to 255"),
    "scp point code": ([INITIAL_DP], {"scp": {"dpc": 16384}}, "params.scp.dpc", "16383"),
    "ssp point code": ([INITIAL_DP], {"ssp": {"opc": 16384}}, "params.ssp.opc", "16383"),
    "digits": ([INITIAL_DP], {"scp": {"dgt_digits": 64}}, "params.scp.dgt_digits", "zeros"),
    "distribution": (
        [PASS],
        {"distribution": {"type": "load", "backlog": 1}},
        "params.distribution.total",
        "required",
    ),
    "no rate": (
        [PASS],
        {"distribution": {"type": "linear", "total": 1, "backlog": 1}},
        "params.distribution.cps",
        "required",
    ),
    "rate of 0": (
        [PASS],
        {"distribution": {**LINEAR, "cps": {"target": 0}}},
        "params.distribution.cps.target",
        "from 1e-06",
    ),
    "rate beyond planning": (
        [PASS],
        {"distribution": {**LINEAR, "cps": {"target": 1, "initial": 1e300, "ramp_s": 1}}},
        "params.distribution.cps.initial",
        "1000000",
    ),
    "target and stages": (
        [PASS],
        {"distribution": {**LINEAR, "cps": {"target": 1, "stages": []}}},
        "params.distribution.cps.target",
        "one of them",
    ),
    "last stage": (
        [PASS],
        {"distribution": {**LINEAR, "cps": {"stages": [{"target": 0, "seconds": 1}]}}},
        "params.distribution.cps.stages",
        "above 0",
    ),
    "backlog": (
        [PASS],
        {"distribution": {"type": "load", "total": 1, "backlog": 100_001}},
        "params.distribution.backlog",
        "at most 100000",
    ),
    "segment": ([PASS], {"segment": {"index": 2, "of": 2}}, "params.segment.index", "below"),
    "threshold": (
        [PASS],
        {"thresholds": [{"metric": "failed", "op": "<", "value": 1}] * 2
         + [{"metric": "faild", "op": "<", "value": 1}]},
        "params.thresholds[2].metric",
        'did you mean "failed"',
    ),
    "context": ([INITIAL_DP], {"ssp_ac": "camel9"}, "params.ssp_ac", "camel9"),
    "flow": ([INITIAL_DP], {"flow": {"name": "x"}}, "params.", ""),
    "lock key": ([PASS], {"locks": [{"key": "{1 +}"}]}, "params.locks[0].key", "column"),
    "lock of a generator": (
        [PASS],
        {"vars": {"n": {"$sequence": {}}}, "locks": [{"key": "a"}, {"key": "{$v->{n}}"}]},
        "params.locks[1].key",
        "generator",
    ),
    "csv": (
        [PASS],
        {"vars": {"n": {"$csv": {"file": "x.csv", "column": "a"}}}},
        "params.vars.n.$csv.file",
        "data_dir",
    ),
    "unknown param": ([PASS], {"trace_levl": 1}, "params.trace_levl", '"trace_level"'),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_2002_names_the_place_in_the_users_spelling(tsvc, case):
    operations, params, place, words = WRONG[case]
    fields = tsvc.refused(*operations, **params)
    found = [path for path in fields if path.startswith(place)]
    assert found, fields
    assert words in " ".join(fields[found[0]])
    assert len(fields) == 1 or case == "flow"
    assert tsvc.run(PASS, run_id="refused")["verdict"] == "pass", "its run_id is free"


def test_2002_finds_everything_at_once(tsvc):
    fields = tsvc.refused(
        {"type": "evil"},
        {**BRANCH, "tests": []},
        evaluate("("),
        expect("Connect", arguments={"cutAndPast": 1}),
        vars={"a": "{)}"},
        trace_level="high",
        scp={"dri": 2, "dssn": 0},
        distribution={"type": "load"},
        ssp_ac="nonsense",
    )
    assert list(fields) == [
        "params.trace_level",
        "params.distribution.total",
        "params.distribution.backlog",
        "params.scp.dri",
        "params.scp.dssn",
        "params.operations[0].type",
        "params.operations[1].tests",
        "params.operations[2].expression",
        "params.operations[3].arguments.cutAndPast",
        "params.vars.a",
        "params.ssp_ac",
    ]


def test_2002_says_how_many_more(tsvc):
    error = tsvc.refusal("ExecuteTest", run_id="x", operations=[{"type": "a"}, {"type": "b"}])
    assert error["message"].endswith("(and 1 more)")
    assert error["data"]["kind"] == "definition.invalid"


def test_2002_goes_before_2003(tsvc):
    tsvc.service.is_draining = True
    assert tsvc.refusal("ExecuteTest", run_id="x", operations=[])["code"] == 2002


# -- 2003 -----------------------------------------------------------------------------------------


def refusal_to_start(tsvc, **params):
    before = set(tsvc.service.runs)
    error = tsvc.refusal("ExecuteTest", run_id="late", **{"operations": [PASS], **params})
    assert error["code"] == 2003
    assert set(tsvc.service.runs) == before
    return error


def test_2003_lock_taken(tsvc):
    holder = tsvc.execute(HALT, locks=[{"key": "number 1"}, {"key": "number 1"}])
    error = refusal_to_start(
        tsvc, vars={"n": 1}, locks=[{"key": "free"}, {"key": "{'number ' . $v->{n}}"}]
    )
    assert error["data"] == {"kind": "lock.taken", "key": "number 1", "holder": holder}
    assert tsvc.service.locks.held() == {"number 1": holder}, "none of the refused run's"
    tsvc.call("CancelTest", run_id=holder)
    assert tsvc.service.locks.held() == {}
    assert tsvc.run(PASS, run_id="late", locks=[{"key": "number 1"}])["verdict"] == "pass"
    assert tsvc.service.locks.held() == {}


def test_2003_lock_expression(tsvc):
    error = refusal_to_start(tsvc, locks=[{"key": "{1 / 0}"}])
    assert error["data"]["kind"] == "lock.expression"
    assert "locks[0].key" in error["message"]
    assert tsvc.service.locks.held() == {}


def test_a_lock_key_sees_what_needs_no_generator(tsvc):
    run_id = tsvc.execute(
        HALT,
        vars={
            "n": {"$sequence": {}},
            "site": "lab",
            "number": "{$v->{site} . 1}",
            "of_n": "{$v->{n} + 1}",
        },
        locks=[{"key": "{$v->{number}}"}, {"key": "\\{literal}"}],
    )
    assert tsvc.service.locks.held() == {"lab1": run_id, "{literal}": run_id}


def test_a_lock_key_through_a_var_that_needs_a_generator_is_2002(tsvc):
    fields = tsvc.refused(
        PASS,
        vars={"n": {"$random": {"max": 5}}, "m": "{$v->{n} + 1}"},
        locks=[{"key": "{$v->{m}}"}],
    )
    assert "which a generator makes" in fields["params.locks[0].key"][0]


def test_2003_gateway_down(daemon):
    tsvc = daemon()
    tsvc.gateway.kill()
    error = refusal_to_start(tsvc, operations=[INITIAL_DP])
    assert error["data"] == {"kind": "gateway.down", "gateway": "LOOP"}
    assert tsvc.run(PASS)["verdict"] == "pass", "it does not need the gateway"


def test_a_gateway_that_is_down_may_be_no_obstacle(daemon):
    tsvc = daemon(start_when_down=True)
    tsvc.gateway.kill()
    assert tsvc.execute(INITIAL_DP)


def test_2003_overload(daemon):
    tsvc = daemon(max_runs=2, max_instances=10)
    tsvc.execute(HALT)
    big = {"type": "load", "total": 20, "backlog": 10}
    assert refusal_to_start(tsvc, distribution=big)["data"]["kind"] == "overload"
    tsvc.execute(HALT, distribution={**big, "backlog": 9})
    assert refusal_to_start(tsvc)["data"]["kind"] == "overload"


def test_2003_draining(tsvc):
    tsvc.service.is_draining = True
    assert refusal_to_start(tsvc)["data"]["kind"] == "draining"


def test_refusals_are_counted(tsvc):
    tsvc.refusal("ExecuteTest", run_id="x", operations=[])
    tsvc.run(PASS)
    counters = tsvc.call("DescribeService")["counters"]
    assert counters == {"runs_started": 1, "runs_refused": 1, "runs_completed": 1}


# -- unknown members -----------------------------------------------------------------------------


def test_free_members_are_kept_by_every_object(tsvc):
    free = {"comment": "c", "name": "n", "description": "d", "x_mine": [1]}
    result = tsvc.run({**PASS, **free}, scp={**free, "dssn": 146}, **free)
    assert result["verdict"] == "pass"


def test_unknown_members_only_warn_where_configured(daemon):
    tsvc = daemon(rpc={"unknown_params": "warn"})
    given = {
        "operations": [{**PASS, "colour": "red"}],
        "colour": "red",
        "distribution": {"type": "single", "colour": "red"},
    }
    places = ["params.colour", "params.distribution.colour", "params.operations[0].colour"]
    found = tsvc.call("ValidateTest", **given)
    assert found["valid"] is True
    assert sorted(problem["path"] for problem in found["problems"]) == places
    assert {problem["severity"] for problem in found["problems"]} == {"warning"}
    tsvc.call("ExecuteTest", run_id="x", **given)
    result = tsvc.finish("x")
    assert sorted(problem["path"] for problem in result["problems"]) == places
    assert tsvc.call("QueryAllTests", colour="red")["tests"] == []


def test_what_is_wrong_stays_wrong_where_unknown_members_warn(daemon):
    tsvc = daemon(rpc={"unknown_params": "warn"})
    fields = tsvc.refused({**evaluate("("), "colour": 1}, colour="red", trace_level=9)
    assert list(fields) == ["params.trace_level", "params.operations[0].expression"]


# -- hostile -------------------------------------------------------------------------------------


def test_a_hundred_thousand_operations_are_refused(tsvc):
    fields = tsvc.refused(*[PASS] * 100_000)
    assert "100000 operations, at most" in fields["params.operations"][0]


def test_a_hundred_thousand_mistakes_are_answered(tsvc):
    error = tsvc.refusal(
        "ExecuteTest", run_id="x", operations=[PASS], **{f"p{k}": 1 for k in range(100_000)}
    )
    assert error["code"] == 2002
    assert len(error["data"]["fields"]) <= 101


def test_arguments_nested_too_deep_are_refused(tsvc):
    deep = 1
    for _ in range(50):
        deep = {"a": [deep]}
    request = {"jsonrpc": "2.0", "id": 1, "method": "ValidateTest", "params": {"vars": deep}}
    answer = json.loads(tsvc.dispatcher.dispatch(json.dumps(request).encode()))
    assert (answer["id"], answer["error"]["data"]["kind"]) == (None, "json.depth")
    fields = tsvc.refused(send("InitialDP", {"serviceKey": {"a": [{"b": []}]}}))
    assert list(fields) == ["params.operations[0].arguments.serviceKey"]


def test_what_the_config_says_is_read_at_each_request(daemon):
    tsvc = daemon()
    tsvc.service.config = replace(tsvc.config, engine=replace(tsvc.config.engine, max_backlog=5))
    fields = tsvc.refused(PASS, distribution={"type": "load", "total": 9, "backlog": 6})
    assert fields == {"params.distribution.backlog": ["must be at most 5"]}


def test_members_that_are_compared_are_checked_beside_one_that_is_wrong(tsvc):
    """`segment` is compared with `seed` only if each of the two is valid by itself."""
    given = {
        "operations": [PASS],
        "segment": {"index": 0, "of": 2},
        "distribution": {**LINEAR, "cps": {"target": 1, "arrivals": "poisson"}},
    }
    for wrong in ({"seed": "x"}, {"trace_level": 9}):
        found = tsvc.ask("ValidateTest", **given, **wrong)["result"]
        (name,) = wrong
        assert {one["path"] for one in found["problems"]} == {f"params.{name}", "params.segment"}
