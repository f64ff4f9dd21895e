import click
import pytest

from tsvc.cli.runs.load_options import (
    LoadOptions,
    check_vars,
    distribution_of,
    stages_of,
    thresholds_of,
    vars_of,
)

LINEAR = {"type": "linear", "cps": {"target": 10}, "total": 100, "backlog": 50}


def test_without_options_the_file_decides() -> None:
    assert distribution_of(LoadOptions(), None) is None
    assert distribution_of(LoadOptions(), LINEAR) is LINEAR


def test_cps_makes_a_linear_load() -> None:
    found = distribution_of(LoadOptions(cps=5.0, total=20), None)
    assert found == {"type": "linear", "cps": {"target": 5.0}, "total": 20, "backlog": 20}


def test_cps_with_a_time_fixes_the_total() -> None:
    found = distribution_of(LoadOptions(cps=2.5, max_seconds=3), None)
    assert (found["total"], found["max_seconds"]) == (8, 3)


def test_backlog_alone_makes_a_load() -> None:
    found = distribution_of(LoadOptions(backlog=7), {"type": "single"})
    assert found == {"type": "load", "backlog": 7, "total": 7}


def test_ramp_begins_at_zero() -> None:
    found = distribution_of(LoadOptions(cps=5.0, ramp_s=2, total=20, backlog=3), None)
    assert found["cps"] == {"target": 5.0, "initial": 0, "ramp_s": 2}


def test_options_go_before_the_file_and_leave_it_alone() -> None:
    found = distribution_of(LoadOptions(total=5, ramp_s=1), LINEAR)
    assert found == {
        "type": "linear",
        "cps": {"target": 10, "initial": 0, "ramp_s": 1},
        "total": 5,
        "backlog": 50,
    }
    assert LINEAR["total"] == 100


def test_the_default_backlog_is_bounded() -> None:
    found = distribution_of(LoadOptions(cps=5.0, total=1_000_000), None)
    assert found["backlog"] == 10_000


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (LoadOptions(total=5), "need --cps or --backlog"),
        (LoadOptions(ramp_s=5), "need --cps or --backlog"),
        (LoadOptions(max_seconds=5), "need --cps or --backlog"),
        (LoadOptions(warm_up_s=5), "--warm-up need --cps or --backlog"),
        (LoadOptions(ramp_s=5, backlog=3), "--ramp needs --cps"),
        (LoadOptions(cps=5.0), "--cps needs --total or --max-seconds"),
    ],
)
def test_options_that_lack_others(options: LoadOptions, text: str) -> None:
    with pytest.raises(click.UsageError, match=text):
        distribution_of(options, None)


STAGES = ("100/30s", "200/60s:ramp", "50/10:ramp=5s")


def test_stages_are_a_linear_load_that_ends_with_the_last_one() -> None:
    found = distribution_of(LoadOptions(stages=STAGES), None)
    assert found == {
        "type": "linear",
        "cps": {
            "stages": [
                {"target": 100, "seconds": 30},
                {"target": 200, "seconds": 60, "ramp_s": 60},
                {"target": 50, "seconds": 10, "ramp_s": 5},
            ]
        },
        "total": 3000 + 9000 + 625 + 250,
        "backlog": 10_000,
    }


@pytest.mark.parametrize(
    ("options", "total", "max_seconds"),
    [
        ({"total": 7}, 7, None),
        ({"max_seconds": 60}, 3000 + 3750, 60),  # half of the ramp
        ({"max_seconds": 120}, 3000 + 9000 + 625 + 250 + 20 * 50, 120),  # the last rate stays
        ({"total": 7, "max_seconds": 60}, 7, 60),
    ],
)
def test_stages_with_other_ends(options, total, max_seconds) -> None:
    given = {**LINEAR, "max_seconds": 5}
    found = distribution_of(LoadOptions(stages=STAGES, backlog=9, **options), given)
    assert (found["total"], found.get("max_seconds"), found["backlog"]) == (total, max_seconds, 9)


def test_stages_replace_the_rate_of_the_file_and_what_bounds_it() -> None:
    found = distribution_of(LoadOptions(stages=("0.1/30s",)), {**LINEAR, "max_seconds": 5})
    assert found == {
        "type": "linear",
        "cps": {"stages": [{"target": 0.1, "seconds": 30}]},
        "total": 3,
        "backlog": 50,
    }


@pytest.mark.parametrize(
    "options", [{"cps": 5.0, "total": 9}, {"backlog": 7}, {"stages": ("1/60",)}]
)
def test_a_warm_up_goes_with_each_load(options) -> None:
    found = distribution_of(LoadOptions(warm_up_s=10, **options), None)
    assert found["warm_up_s"] == 10


@pytest.mark.parametrize("options", [{"cps": 5.0}, {"ramp_s": 5}])
def test_stages_do_not_go_with_another_rate(options) -> None:
    with pytest.raises(click.UsageError, match="--stage does not go with --cps or --ramp"):
        distribution_of(LoadOptions(stages=("1/1",), **options), None)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "write RATE/SECONDS, such as 100/30s"),
        ("100", "write RATE/SECONDS, such as 100/30s"),
        ("100/", "write RATE/SECONDS, such as 100/30s"),
        ("-1/30s", "write RATE/SECONDS, such as 100/30s"),
        ("100/30m", "write RATE/SECONDS, such as 100/30s"),
        ("1.2.3/30s", "could not convert string to float: '1.2.3'"),
        ("100/30s:", "'' is not known"),
        ("100/30s:rmap", "'rmap' is not known; did you mean \"ramp\"?"),
        ("100/30s:ramp=", "'' is not a number of seconds"),
        ("100/30s:ramp=1m", "'1m' is not a number of seconds"),
        ("100/30s:ramp=1.2.3", "could not convert string to float: '1.2.3'"),
        ("100/30s:ramp=31", "the ramp is longer than the stage"),
    ],
)
def test_wrong_stages(text: str, problem: str) -> None:
    with pytest.raises(click.UsageError) as raised:
        stages_of(["1/1", text])
    assert raised.value.message == f"--stage {text}: {problem}"


def test_vars_are_strings_unless_they_are_json() -> None:
    found = vars_of(["a=0123", "b:=0.5", 'c:={"x": [1]}', "d=x=y", "e="])
    assert found == {"a": "0123", "b": 0.5, "c": {"x": [1]}, "d": "x=y", "e": ""}


@pytest.mark.parametrize("setting", ["a", "=1", ":=1", "a:=01", "a:=oops"])
def test_wrong_vars(setting: str) -> None:
    with pytest.raises(click.UsageError, match="--var"):
        vars_of([setting])


def test_thresholds() -> None:
    assert thresholds_of(["service_p99_ms<=50", " failed == 0 ", "achieved_cps>9.5e1"]) == [
        {"metric": "service_p99_ms", "op": "<=", "value": 50.0},
        {"metric": "failed", "op": "==", "value": 0.0},
        {"metric": "achieved_cps", "op": ">", "value": 95.0},
    ]


@pytest.mark.parametrize(
    ("text", "metric", "op", "value", "patience"),
    [
        ("failed<=1%", "failed_percent", "<=", 1, None),
        ("failed_percent < 0.5 %", "failed_percent", "<", 0.5, None),
        ("operations[7].p99_ms<=50", "operations[7].p99_ms", "<=", 50, None),
        ("service_p99.9_ms<=50", "service_p99.9_ms", "<=", 50, None),
        ("operations[a b].p97.5_ms<=50", "operations[a b].p97.5_ms", "<=", 50, None),
        ("operations[let it go].max_ms<1e3", "operations[let it go].max_ms", "<", 1000, None),
        ("failed<=1% abort 3", "failed_percent", "<=", 1, 3),
        ("aborted==0 abort 0.5 ", "aborted", "==", 0, 0.5),
    ],
)
def test_rich_thresholds(text: str, metric: str, op: str, value: float, patience: float) -> None:
    more = {} if patience is None else {"abort_after_s": patience}
    assert thresholds_of([text]) == [{"metric": metric, "op": op, "value": value, **more}]


@pytest.mark.parametrize(
    "text",
    ["", "x", "x=5", "x<=", "x<=1.2.3", "<=5", "x<5 abort", "x<5abortion", "x<5 abort 1.2.3"],
)
def test_wrong_thresholds(text: str) -> None:
    with pytest.raises(click.UsageError, match="--threshold"):
        thresholds_of([text])


READS = {"operations": [{"type": "eval", "expression": "$v->{called} . $v->{'x y'}"}]}


@pytest.mark.parametrize(
    ("setting", "definitions"),
    [
        ("calling=1", [{"vars": {"calling": "2"}}]),
        ("called=1", [READS]),
        ("called=1", [{"vars": {}}, READS]),
        ("any=1", [{"operations": [{"expression": "$v->{$v->{which}}"}]}]),
        ("any=1", [{"operations": [{"expression": "join(',', keys %{$v})"}]}]),
    ],
)
def test_vars_that_a_definition_has_or_reads(setting, definitions):
    check_vars([setting], definitions)


@pytest.mark.parametrize(
    ("setting", "hint"),
    [("calle=1", '; did you mean "called"'), ("xyz:=1", ""), ("Called=1", "")],
)
def test_a_var_that_no_definition_knows(setting, hint):
    with pytest.raises(click.UsageError, match="no file has a variable of that name") as raised:
        check_vars(["called=0", setting], [READS, {"vars": {"calling": "1"}}])
    assert hint in str(raised.value.message)


def test_a_rate_to_be_kept_goes_with_a_rate_and_with_stages():
    rate = distribution_of(LoadOptions(cps=50, total=10, keep_rate="99%"), None)
    stages = distribution_of(LoadOptions(stages=("50/2s",), keep_rate="99%"), None)
    assert rate["keep_rate"] == stages["keep_rate"] == "99%"
    with pytest.raises(click.UsageError, match="--keep-rate needs --cps"):
        distribution_of(LoadOptions(backlog=5, keep_rate="99%"), None)
