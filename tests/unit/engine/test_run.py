"""Runs of each distribution through the dispatcher: their starts, counts and results."""

import pytest
from support.loads import ABORT, FAIL, PASS, WAIT, assert_adds_up, linear, load
from support.scripted_scp import (
    CONTINUE,
    INITIAL_DP,
    checks,
    evaluate,
    expect,
    reason,
    variables,
)

from tsvc.engine.run import Run


@pytest.fixture
def tsvc(daemon):
    return daemon(CONTINUE)


def test_single_is_the_default(tsvc):
    result = tsvc.run(INITIAL_DP, expect("Continue"), {"type": "tcap.ssp_to_scp.End"})
    assert (result["verdict"], result["state"], result["completed"]) == ("pass", "completed", 1)
    assert result["counts"]["started"] == result["counts"]["passed"] == 1
    assert result["first_call_summary"]["state"] == "passed"
    assert result["first_call_summary"]["idx"] == "0"
    assert result["rate"]["limited_by"] is None
    assert result["duration"] >= result["first_call_summary"]["duration"] > 0
    assert result["time_finish"] >= result["time_start"]
    assert_adds_up(result)


def test_single_notes_what_it_does_not_use(tsvc):
    given = {"type": "single", "total": 5, "backlog": 2, "cps": 3}
    result = tsvc.run(PASS, distribution=given)
    assert result["counts"]["started"] == 1
    assert [problem["path"] for problem in result["problems"]] == [
        "params.distribution.total",
        "params.distribution.backlog",
        "params.distribution.cps",
    ]


@pytest.mark.parametrize(
    ("cps", "is_noted"),
    [
        ({"target": 100, "ramp_s": 1}, True),
        ({"target": 100, "ramp_s": 0}, False),
        ({"target": 100, "ramp_s": 1, "initial": 0}, False),
        (100, False),
    ],
)
def test_a_ramp_from_nowhere_is_noted(tsvc, cps, is_noted):
    given = {"operations": [PASS], "distribution": linear(2, 2, cps)}
    problems = tsvc.ask("ValidateTest", **given)["result"]["problems"]
    assert [one["path"] for one in problems] == ["params.distribution.cps.ramp_s"] * is_noted


@pytest.mark.parametrize(
    ("operations", "state", "verdict"),
    [
        ([PASS], "passed", "pass"),
        ([FAIL, PASS], "failed", "fail"),
        ([FAIL, ABORT, PASS], "aborted", "abort"),
        ([evaluate("1 / 0")], "aborted", "abort"),
    ],
)
def test_states_and_verdicts(tsvc, operations, state, verdict):
    result = tsvc.run(*operations)
    assert (result["first_call_summary"]["state"], result["verdict"]) == (state, verdict)
    assert result["counts"][state] == 1


def test_the_worst_instance_decides_the_verdict(tsvc):
    by_index = evaluate(
        "$v->{x} = 1", tests=[{"kpath": "r.idx", "type": "integer", "value": "{$r->{idx} % 2}"}]
    )
    result = tsvc.run(
        by_index,
        {"type": "branch", "expression": "$r->{idx} != 4", "on_true": "end"},
        ABORT,
        {**PASS, "label": "end"},
        distribution=load(10),
    )
    counts = result["counts"]
    assert (counts["passed"], counts["failed"], counts["aborted"]) == (2, 7, 1)
    assert result["verdict"] == "abort", "one abort outweighs the fails that came after it"
    assert_adds_up(result)


@pytest.mark.parametrize("backlog", [1, 3, 10, 50])
def test_load_keeps_the_backlog_and_plays_exactly_total(tsvc, backlog):
    most = min(backlog, 37)
    result = tsvc.run(
        evaluate("$g->{now} += 1; $g->{most} = max($g->{most} // 0, $g->{now})"),
        {**WAIT, "label": "until all of them are here"},
        {
            "type": "branch",
            "expression": f"$g->{{most}} < {most}",
            "on_true": "until all of them are here",
        },
        evaluate("$g->{now} -= 1"),
        distribution=load(37, backlog),
    )
    assert result["globals"] == {"now": 0, "most": most}
    assert result["counts"]["passed"] == 37
    assert_adds_up(result)


def test_nothing_that_instances_count_together_is_lost(tsvc, monkeypatch):
    """Others run between operations, but not in the middle of a short expression."""
    monkeypatch.setattr("tsvc.engine.instance.SLICE_S", -1.0)  # any work counts as long
    result = tsvc.run(
        evaluate("$g->{n} = sum($g->{n} // 0, 1); $g->{l} = [max(@{$g->{l} // [0]}) + 1]"),
        WAIT,
        distribution=load(200, 100),
    )
    assert result["globals"] == {"n": 200, "l": [200]}


def test_load_of_real_dialogues(tsvc):
    end = {"type": "tcap.ssp_to_scp.End"}
    result = tsvc.run(INITIAL_DP, expect("Continue"), end, distribution=load(300, 20))
    assert result["counts"]["passed"] == 300
    assert result["latency"]["service"]["count"] == 300
    assert result["latency"]["response"]["p99_ms"] <= result["latency"]["response"]["max_ms"]
    (point,) = result["operations"]
    assert (point["op"], point["name"], point["count"]) == (1, "Continue", 300)
    assert tsvc.open_dialogues == (0, 0)


@pytest.mark.parametrize(
    "cps",
    [
        400,
        "400",
        {"target": 400},
        {"target": 400, "initial": 200, "ramp_s": 0.1},
        {"stages": [{"target": 200, "seconds": 0.1}, {"target": 600, "seconds": 1}]},
    ],
)
def test_linear_makes_every_planned_start(tsvc, cps):
    result = tsvc.run(PASS, distribution=linear(60, 50, cps))
    assert result["counts"]["passed"] == result["rate"]["planned"] == 60
    assert result["rate"]["never_started"] == 0
    # No start comes before its plan, nor here before that of the steady rate. `achieved` does not
    # show this: it counts from the first start, which may be late.
    assert result["duration"] >= 59 / 400
    assert_adds_up(result)


def test_linear_never_overtakes_its_grid(tsvc):
    result = tsvc.run(PASS, distribution=linear(41, 10, {"target": 200}))
    assert result["rate"]["asked"] == 200
    assert result["duration"] >= 40 / 200
    assert result["latency"]["response"]["count"] == 41


def test_linear_with_a_backlog_too_small_is_late_and_says_why(daemon):
    # An SCP that never answers. On a busy machine a start may be late by less than `late_ms`.
    tsvc = daemon(late_ms=1000)
    waiting = expect("Continue", seconds=1.2, optional=True)
    result = tsvc.run(INITIAL_DP, waiting, distribution=linear(4, 2, 1000))
    rate = result["rate"]
    assert result["counts"]["passed"] == 4
    assert rate["late"] >= 2  # all but the first two, whose lateness is not asserted
    assert rate["limited_by"] == "sut"
    assert rate["lateness_ms"]["max"] > 1000
    response, service = result["latency"]["response"], result["latency"]["service"]
    assert response["p99_ms"] > service["p99_ms"], "waiting for a place counts"
    assert_adds_up(result)


def test_linear_limited_by_the_definition_itself_is_limited_by_the_backlog(daemon):
    wait = {"type": "wait", "arguments": {"seconds": 1.2}}
    result = daemon(late_ms=1000).run(wait, distribution=linear(2, 1, 1000))
    assert result["rate"]["limited_by"] == "backlog"


def test_max_seconds_stops_starting_and_the_rest_was_never_planned(tsvc):
    result = tsvc.run(PASS, distribution=linear(1_000_000, 10, 100, max_seconds=0.2))
    assert result["rate"]["planned"] == 20
    assert_adds_up(result)
    result = tsvc.run(WAIT, distribution=load(1_000_000, 2, max_seconds=0.1))
    # At least one: a busy machine may need all the time for the first start.
    assert 1 <= result["counts"]["passed"] < 1_000_000
    assert_adds_up(result)


def test_max_seconds_with_a_full_backlog_counts_what_was_never_started(tsvc):
    slow = {"type": "wait", "arguments": {"seconds": 1.5}}
    result = tsvc.run(slow, distribution=linear(1000, 1, 100, max_seconds=1))
    assert (result["counts"]["started"], result["rate"]["never_started"]) == (1, 99)
    assert_adds_up(result)


@pytest.mark.parametrize("distribution", [load(10, 3), linear(10, 3, 1000)])
def test_segments_share_the_starts(tsvc, distribution):
    collect = evaluate("$g->{seen} //= []; push(@{$g->{seen}}, $r->{idx})")
    seen = []
    for index in range(3):
        segment = {"index": index, "of": 3}
        result = tsvc.run(collect, distribution=distribution, segment=segment)
        assert_adds_up(result)
        seen.append(result["globals"]["seen"])
    assert seen == [[0, 3, 6, 9], [1, 4, 7], [2, 5, 8]]


def test_start_at_delays_the_first_start(tsvc):
    at = tsvc.service.clock.wall() + 0.2
    result = tsvc.run(PASS, start_at=at)
    seconds, micros = result["first_call_summary"]["time_start"]
    assert seconds + micros / 1e6 >= at - 0.001
    assert result["time_start"] <= result["first_call_summary"]["time_start"]


def test_start_at_in_the_past_means_now(tsvc):
    assert tsvc.run(PASS, start_at=1)["counts"]["passed"] == 1


# -- variables -----------------------------------------------------------------------------------

RANDOM = evaluate("$g->{x}{$r->{idx}} = join('-', map { int(rand(1000000)) } 1 .. 3)")


def test_the_same_seed_and_index_give_the_same_numbers(tsvc):
    given = {"vars": {"n": {"$random": {"max": 1000000}}}, "distribution": load(5, 2)}
    keep = evaluate("$g->{n}{$r->{idx}} = $v->{n}")
    first = tsvc.run(RANDOM, keep, seed=7, **given)
    again = tsvc.run(RANDOM, keep, seed=7, **{**given, "distribution": load(5, 5)})
    other = tsvc.run(RANDOM, keep, seed=8, **given)
    assert first["globals"] == again["globals"]
    assert first["globals"] != other["globals"]
    assert len(set(first["globals"]["x"].values())) == 5, "each index has its own"
    assert (first["seed"], other["seed"]) == (7, 8)


def test_a_run_without_a_seed_reports_the_one_it_got(tsvc):
    first = tsvc.run(RANDOM)
    again = tsvc.run(RANDOM, seed=first["seed"])
    assert first["globals"] == again["globals"]
    assert tsvc.run(RANDOM)["seed"] != first["seed"]


def test_vars_are_each_instances_own_and_globals_are_shared(tsvc):
    result = tsvc.run(
        evaluate("$v->{list}[0] += 1; $v->{n} += 1; $g->{sum} += $v->{n}"),
        vars={"list": [0], "n": "{$r->{idx} * 10}"},
        distribution=load(4, 2),
    )
    assert result["globals"] == {"sum": 0 + 10 + 20 + 30 + 4}
    assert variables(result) == {"list": [1], "n": 1}


def test_generators(tsvc):
    result = tsvc.run(
        evaluate("push(@{$g->{all} //= []}, [$v->{s}, $v->{c}, $v->{r}])"),
        vars={
            "s": {"$sequence": {"start": 8, "step": 2, "width": 3}},
            "c": {"$choice": ["a"]},
            "r": {"$random": {"min": 5, "max": 5}},
        },
        distribution=load(3, 1),
    )
    assert result["globals"]["all"] == [["008", "a", 5], ["010", "a", 5], ["012", "a", 5]]


def test_run_facts(tsvc):
    run_id = tsvc.execute(evaluate("$v->{r} = $r->{run_id} . ' ' . $r->{seed}"), seed=5)
    assert variables(tsvc.finish(run_id)) == {"r": f"{run_id} 5"}


# -- details -------------------------------------------------------------------------------------

LETTER = "substr('abcdefghijklmnopqrstuvwxyz', $r->{idx} % 26, 1)"
BY_CAUSE = {"type": "fail", "arguments": {"text": f"{{'cause ' . {LETTER}}}"}}


def test_an_instance_began_at_the_moment_that_was_counted(tsvc, monkeypatch):
    """This holds even if the process stands still between the count and the first step."""
    counted, began = [], []
    note_start, play = Run.note_start, Run.play

    def noted(run, idx, now, *rest):
        counted.append(now)
        note_start(run, idx, now, *rest)

    def played(run, instance):
        play(run, instance)
        began.append(instance.started_at)

    monkeypatch.setattr(Run, "note_start", noted)
    monkeypatch.setattr(Run, "play", played)
    tsvc.run(PASS, distribution=load(5, backlog=1), track=0)
    assert began == counted
    assert len(began) == 5


def test_first_fails_and_aborts_are_kept_for_each_distinct_cause(tsvc):
    result = tsvc.run(BY_CAUSE, distribution=load(50, 5))
    assert len(result["first_fails"]) == 20
    assert len({item["cause"] for item in result["first_fails"]}) == 20
    assert {item["state"] for item in result["first_fails"]} == {"failed"}
    assert all(item["check_log"] for item in result["first_fails"])
    abort = {**BY_CAUSE, "type": "abort"}
    result = tsvc.run(abort, distribution=load(3, 1))
    causes = [f"cause {letter}" for letter in "abc"]
    assert [item["cause"] for item in result["first_aborts"]] == causes
    assert [item["idx"] for item in result["first_aborts"]] == ["0", "1", "2"]


def test_without_load_details_only_the_first_instance_is_kept(tsvc):
    result = tsvc.run(BY_CAUSE, distribution=load(10), load_details=0)
    assert [item["idx"] for item in result["first_fails"]] == ["0"]
    assert result["slowest"] == []
    result = tsvc.run(BY_CAUSE, distribution=load(10), load_details=1)
    assert len(result["first_fails"]) == 10


def test_the_ten_slowest(tsvc):
    slow = {"type": "branch", "expression": "$r->{idx} > 3", "on_true": "end"}
    halt = {"type": "halt", "arguments": {"seconds": 600}}
    run_id = tsvc.execute(slow, halt, {**PASS, "label": "end"}, distribution=load(60, 60))
    run = tsvc.service.runs[run_id]
    tsvc.until(lambda: run.counters.passed == 56 and len(run.halted) == 4)
    for idx in "0123":  # they began before all others, and go on when the others are over
        tsvc.call("ResumeInstance", run_id=run_id, instance_id=idx)
    result = tsvc.finish(run_id)
    durations = [item["duration"] for item in result["slowest"]]
    assert len(durations) == 10
    assert durations == sorted(durations, reverse=True)
    assert {item["idx"] for item in result["slowest"][:4]} == {"0", "1", "2", "3"}


def test_turbo_skips_matching_after_the_first_instance(tsvc):
    given = {
        "distribution": load(5, 1),
        "turbo": 1,
    }
    wrong = expect("Continue", tests=[{"kpath": "nothing", "type": "exists", "value": 1}])
    result = tsvc.run(INITIAL_DP, wrong, **given)
    assert (result["counts"]["failed"], result["counts"]["passed"]) == (1, 4)
    result = tsvc.run(INITIAL_DP, expect("Connect"), **given)
    assert result["counts"]["aborted"] == 5, "an unexpected operation aborts all the same"


def test_thresholds_worsen_the_verdict(tsvc):
    thresholds = [
        {"metric": "failed", "op": "==", "value": 0},
        {"metric": "service_p99_ms", "op": "<", "value": 0},
    ]
    result = tsvc.run(PASS, thresholds=thresholds)
    assert result["verdict"] == "fail"
    assert [(item["is_met"], item["got"] >= 0) for item in result["thresholds"]] == [
        (True, True),
        (False, True),
    ]
    assert tsvc.run(PASS, thresholds=thresholds[:1])["verdict"] == "pass"
    assert tsvc.run(ABORT, thresholds=thresholds)["verdict"] == "abort", "never better"


@pytest.mark.parametrize(
    ("op", "value", "is_met"),
    [("<", 1, True), ("<=", 0, True), (">", 0, False), (">=", 0, True), ("==", 1, False),
     ("!=", 1, True)],
)  # fmt: skip
def test_threshold_operators(tsvc, op, value, is_met):
    result = tsvc.run(PASS, thresholds=[{"metric": "aborted", "op": op, "value": value}])
    assert result["thresholds"][0]["is_met"] is is_met


def test_a_threshold_on_what_was_not_measured_is_missed(tsvc):
    result = tsvc.run(PASS, thresholds=[{"metric": "achieved_cps", "op": ">=", "value": 0}])
    assert result["verdict"] == "fail"
    assert result["thresholds"][0]["got"] is None


def test_a_run_compares_what_it_was_told(tsvc):
    result = tsvc.run(
        INITIAL_DP, expect("Continue"), expect("Connect", seconds=0.01), trace_level=3
    )
    assert checks(result)[0] == ("pass", "Received Continue")
    assert reason(result) == "expected Connect, nothing came within 0.01 s"
    assert result["first_call_summary"]["trace_log"]
    assert len(result["first_call_summary"]["messages"]) >= 2
    assert "Continue" in result["first_call_summary"]["ladder"]
