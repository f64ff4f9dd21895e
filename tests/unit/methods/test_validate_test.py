"""ValidateTest: it makes the checks of ExecuteTest, and starts nothing."""

from support.scripted_scp import INITIAL_DP, evaluate, expect


def test_a_valid_definition(daemon):
    tsvc = daemon()
    operations = [INITIAL_DP, expect("Connect"), {"type": "inap.scp_to_ssp.ReleaseCall"}]
    found = tsvc.call("ValidateTest", operations=operations, locks=[{"key": "k"}], ssp_ac="camel3")
    assert found == {
        "valid": True,
        "problems": [],
        "operations": [
            "inap.ssp_to_scp.InitialDP",
            "inap.ssp_from_scp.Connect",
            "inap.ssp_from_scp.ReleaseCall",
        ],
    }
    tsvc.assert_nothing_left()
    assert tsvc.scp.received == []
    assert tsvc.call("DescribeService")["counters"]["runs_started"] == 0


def test_it_needs_no_run_id_and_looks_at_none(daemon):
    tsvc = daemon()
    running = tsvc.execute({"type": "halt"})
    for run_id in (None, "", running, "new"):
        given = {"operations": [{"type": "pass"}], "run_id": run_id}
        assert tsvc.call("ValidateTest", **given)["valid"] is True


def test_what_would_only_keep_it_from_starting_is_no_problem(daemon):
    tsvc = daemon()
    tsvc.execute({"type": "halt"}, locks=[{"key": "k"}])
    tsvc.gateway.kill()
    found = tsvc.call("ValidateTest", operations=[INITIAL_DP], locks=[{"key": "k"}])
    assert (found["valid"], found["problems"]) == (True, [])


def test_a_lock_key_that_fails_is_a_warning(daemon):
    found = daemon().call(
        "ValidateTest", operations=[{"type": "pass"}], locks=[{"key": "{1 / $v->{zero}}"}]
    )
    assert found["valid"] is True
    (problem,) = found["problems"]
    assert (problem["path"], problem["severity"]) == ("params.locks", "warning")


def test_warnings_of_a_definition_that_is_not_valid_stay_warnings(daemon):
    found = daemon().call(
        "ValidateTest",
        operations=[evaluate("1")],
        distribution={"type": "single", "total": 3},
        vars={"n": {"$sequence": {}}},
        locks=[{"key": "{$v->{n}}"}],
    )
    assert found["valid"] is False
    severities = {problem["path"]: problem["severity"] for problem in found["problems"]}
    assert severities == {
        "params.distribution.total": "warning",
        "params.locks[0].key": "error",
    }


def test_without_params_it_says_what_is_missing(daemon):
    answer = daemon().ask("ValidateTest")["result"]
    assert answer["valid"] is False
    assert [problem["path"] for problem in answer["problems"]] == ["params.operations"]
