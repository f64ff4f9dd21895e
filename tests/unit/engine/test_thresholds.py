"""Thresholds for shares, means, maxima and operations, and thresholds that end a run."""

import pytest
from support.loads import FAIL, PASS, assert_adds_up, linear, load
from support.scripted_scp import CONTINUE, INITIAL_DP, evaluate, expect
from support.waiting import until

END = {"type": "tcap.ssp_to_scp.End"}


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def measured(tsvc, metrics, *operations, **params):
    """Run the operations; return the value of each metric by its name, and the result."""
    thresholds = [{"metric": metric, "op": ">=", "value": -1} for metric in metrics]
    result = tsvc.run(*operations, thresholds=thresholds, **params)
    return {one["metric"]: one["got"] for one in result["thresholds"]}, result


def test_shares_are_of_the_instances_that_ended(tsvc):
    branch = {"type": "branch", "expression": "$g->{n} % 4", "on_true": "well"}
    count = evaluate("$g->{n} += 1")
    well = {**PASS, "label": "well"}
    names = ("passed", "failed", "passed_percent", "failed_percent", "aborted_percent")
    got, result = measured(tsvc, names, count, branch, FAIL, well, distribution=load(40, 1))
    assert got == {
        "passed": 30,
        "failed": 10,
        "passed_percent": 75.0,
        "failed_percent": 25.0,
        "aborted_percent": 0.0,
    }
    assert_adds_up(result)


def test_shares_of_starts(tsvc):
    wait = {"type": "wait", "arguments": {"seconds": 0.05}}
    names = ("never_started_percent", "late_percent", "lateness_max_ms")
    plan = linear(20, 1, {"target": 100, "catch_up": 0})
    got, result = measured(tsvc, names, wait, distribution=plan)
    rate = result["rate"]
    assert rate["never_started"] > 0
    assert got["never_started_percent"] == pytest.approx(100 * rate["never_started"] / 20)
    assert got["late_percent"] == pytest.approx(100 * rate["late"] / rate["started"])
    assert got["lateness_max_ms"] == pytest.approx(rate["lateness_ms"]["max"], abs=0.001)


def test_means_and_maxima(tsvc):
    kinds = ("response", "service")
    names = [f"{kind}_{what}_ms" for kind in kinds for what in ("mean", "max")]
    got, result = measured(tsvc, names, PASS, distribution=load(20, 5))
    for kind in kinds:
        for what in ("mean", "max"):
            shown = result["latency"][kind][f"{what}_ms"]
            assert got[f"{kind}_{what}_ms"] == pytest.approx(shown, abs=0.001)


def test_an_operation_by_number_and_by_label(tsvc):
    named = expect("Continue") | {"label": "let go"}
    parts = ("count", "mean_ms", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    names = [f"operations[{which}].{part}" for which in ("1", "let go") for part in parts]
    got, result = measured(tsvc, names, INITIAL_DP, named, END, distribution=load(10, 2))
    (shown,) = result["operations"]
    assert shown["op"] == 1
    for part in parts:
        assert got[f"operations[1].{part}"] == pytest.approx(shown[part], abs=0.001)
        assert got[f"operations[let go].{part}"] == got[f"operations[1].{part}"]
    assert got["operations[1].count"] == 10


def test_what_was_not_measured_is_missed(tsvc):
    got, result = measured(tsvc, ["operations[0].p99_ms", "lateness_p99_ms"], PASS)
    assert got == {"operations[0].p99_ms": None, "lateness_p99_ms": None}
    assert [one["is_met"] for one in result["thresholds"]] == [False, False]
    assert result["verdict"] == "fail"


# -- what ends a run ------------------------------------------------------------------------------

ENDLESS = linear(100_000, 1000, 100)


def test_a_threshold_ends_the_run_that_misses_it_for_so_long(tsvc):
    never = {"metric": "failed", "op": "<=", "value": 1e9, "abort_after_s": 0}
    ends = {"metric": "failed_percent", "op": "<=", "value": 10, "abort_after_s": 1}
    result = tsvc.run(FAIL, thresholds=[never, ends], distribution=ENDLESS)
    assert result["verdict"] == "fail"
    kept, missed = result["thresholds"]
    assert (kept["is_met"], "ended_run_s" in kept) == (True, False)
    assert (missed["is_met"], missed["got"], missed["abort_after_s"]) == (False, 100.0, 1)
    assert 1 <= missed["ended_run_s"] <= result["duration"] + 0.001
    assert result["counts"]["cancelled"] == 0
    assert result["counts"]["started"] < 5000
    (note,) = [one for one in result["problems"] if one["path"] == "thresholds[1]"]
    assert note["text"].startswith(
        "failed_percent <= 10 was missed for 1 s (got 100): nothing was started after "
    )
    assert_adds_up(result)


def test_what_ended_a_run_is_missed_though_it_is_met_in_the_end(tsvc):
    """No instance passes for a second, which ends the run; those in progress pass afterwards."""
    halt = {"type": "halt", "arguments": {"seconds": 600}}
    once = {"metric": "passed", "op": ">", "value": 0, "abort_after_s": 1}
    run_id = tsvc.execute(halt, thresholds=[once], distribution=linear(100_000, 1000, 10))
    run = tsvc.service.runs[run_id]
    until(lambda: not run.starter.may_start)

    def is_over():
        for idx in list(run.halted):
            tsvc.ask("ResumeInstance", run_id=run_id, instance_id=str(idx))
        return run.completed.is_set()

    until(is_over)
    result = tsvc.finish(run_id)
    (threshold,) = result["thresholds"]
    assert threshold["got"] > 0
    assert not threshold["is_met"]
    assert result["counts"]["passed"] == result["counts"]["started"]
    assert result["verdict"] == "fail"


def test_a_threshold_that_is_met_again_in_time_ends_nothing(tsvc):
    """One threshold is missed for 1.5 s of the 1000 s allowed; the other has no value."""
    patient = {"metric": "passed", "op": ">=", "value": 150, "abort_after_s": 1000}
    silent = {"metric": "operations[0].p99_ms", "op": "<", "value": 0, "abort_after_s": 0}
    result = tsvc.run(PASS, thresholds=[patient, silent], distribution=linear(200, 100, 100))
    assert result["counts"]["passed"] == 200
    assert not [one for one in result["problems"] if one["path"].startswith("thresholds")]
    assert [one["is_met"] for one in result["thresholds"]] == [True, False]


def test_any_percentile_is_a_metric(tsvc):
    wait = {"type": "wait", "arguments": {"seconds": "{$r->{idx} / 1000}"}}
    percents = ("0.5", "5", "25", "50", "95", "97.5", "99.999")
    names = [f"service_p{one}_ms" for one in percents]
    got, result = measured(tsvc, [*names, "service_min_ms"], wait, distribution=load(40, 40))
    values = [got[name] for name in names]
    assert values == sorted(values)
    assert got["service_p50_ms"] == pytest.approx(
        result["latency"]["service"]["p50_ms"], abs=0.001
    )
    assert got["service_min_ms"] <= values[0]
    assert values[-1] <= result["latency"]["service"]["max_ms"] + 0.001
    # Nearest rank: of 40 values, 5 % is the second and 97.5 % the thirty-ninth. The middle of a
    # bucket may be 0.8 % below the value.
    assert got["service_p97.5_ms"] >= 38 * 0.99
    assert got["service_p5_ms"] >= 1 * 0.99


def test_percentiles_of_operations_and_of_lateness(tsvc):
    names = ["operations[0].p95_ms", "operations[end].p0.1_ms", "operations[0].min_ms"]
    names += ["lateness_p95_ms", "lateness_mean_ms"]
    steps = [INITIAL_DP, {**expect("Continue"), "label": "end"}, END]
    got, _ = measured(
        tsvc, names, *steps, distribution=linear(10, 10, 1000), ssp_ac="camel2", strict=1
    )
    assert got["operations[0].p95_ms"] is None, "it does not wait"
    assert got["operations[end].p0.1_ms"] >= 0
    assert got["lateness_p95_ms"] >= 0
    assert got["lateness_mean_ms"] >= 0


@pytest.mark.parametrize(
    "name",
    [
        "service_p0_ms",
        "service_p100_ms",
        "service_p95",
        "service_p9999999_ms",
        "service_p1.12345678_ms",
        "service_p.5_ms",
        "servic_p95_ms",
        "operations[0].p0_ms",
        "operations[0].p95",
        "operations[7].p95_ms",
    ],
)
def test_what_is_no_percentile(tsvc, name):
    threshold = {"metric": name, "op": "<=", "value": 1}
    found = tsvc.call("ValidateTest", operations=[PASS], thresholds=[threshold])
    (problem,) = found["problems"]
    assert problem["path"] == "params.thresholds[0].metric"


# -- thresholds that decide about failed and aborted instances ------------------------------------

WELL = {**PASS, "label": "well"}
# By the index: a counter in $g may grow between two operations of an instance.
OFTEN = {"type": "branch", "expression": "$r->{idx} % 4", "on_true": "well"}
ABORT = {"type": "wait", "arguments": {"seconds": "{'x' . $r->{idx}}"}}


def at_most(metric, value):
    return {"thresholds": [{"metric": metric, "op": "<=", "value": value}]}


@pytest.mark.parametrize(
    ("bad", "params", "verdict", "decided"),
    [
        (FAIL, {}, "fail", []),
        (FAIL, at_most("failed", 10), "pass", ["failed"]),
        (FAIL, at_most("failed", 9), "fail", ["failed"]),
        (FAIL, at_most("failed_percent", 25), "pass", ["failed"]),
        (FAIL, at_most("failed_percent", 24.9), "fail", ["failed"]),
        (FAIL, at_most("aborted", 100), "fail", ["aborted"]),
        (FAIL, at_most("service_p99_ms", 1e6), "fail", []),
        (ABORT, at_most("aborted_percent", 25), "pass", ["aborted"]),
        (ABORT, at_most("aborted_percent", 24), "fail", ["aborted"]),
        (ABORT, at_most("failed_percent", 25), "abort", ["failed"]),
        (
            ABORT,
            {"thresholds": [{"metric": "passed_percent", "op": ">=", "value": 75}]},
            "pass",
            ["aborted", "failed"],
        ),
        (FAIL, {"allow": {"failed": "25%"}}, "pass", ["failed"]),
        (FAIL, {"allow": {"failed": "24%"}}, "fail", ["failed"]),
        (FAIL, {"allow": {"failed": "10"}}, "pass", ["failed"]),
        (FAIL, {"allow": {"failed": "9", "aborted": "1%"}}, "fail", ["aborted", "failed"]),
        (ABORT, {"allow": {"aborted": "25%"}}, "pass", ["aborted"]),
    ],
)
@pytest.mark.parametrize("kind", ["load", "linear"])
def test_a_threshold_decides_about_a_load(tsvc, kind, bad, params, verdict, decided):
    plan = load(40, 1) if kind == "load" else linear(40, 40, 2000)
    result = tsvc.run(OFTEN, bad, WELL, distribution=plan, **params)
    assert (result["verdict"], result["decided"]) == (verdict, decided)
    assert result["counts"]["passed"] == 30
    assert_adds_up(result)


@pytest.mark.parametrize("params", [at_most("failed", 10), {"allow": {"failed": "100%"}}])
def test_single_runs_fail_by_their_instance(tsvc, params):
    result = tsvc.run(FAIL, **params)
    assert (result["verdict"], result["decided"]) == ("fail", [])


def test_allow_beside_a_single_run_is_a_warning(tsvc):
    found = tsvc.call("ValidateTest", operations=[PASS], allow={"failed": "1%"})
    (problem,) = found["problems"]
    assert (problem["path"], problem["severity"]) == ("params.allow", "warning")


@pytest.mark.parametrize("amount", ["x", "1.5", "-1", "101%", "", 1, {}])
def test_what_is_no_amount(tsvc, amount):
    plan = load(4, 1)
    found = tsvc.call(
        "ValidateTest", operations=[PASS], allow={"failed": amount}, distribution=plan
    )
    assert {one["path"] for one in found["problems"]} == {"params.allow.failed"}
