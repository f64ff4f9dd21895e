"""Two results side by side."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine import run
from tsvc.engine.result.metrics import METRICS
from tsvc.engine.result.result_example import RESULT
from tsvc.results.compare import MEASURES, VERDICTS, compare, differences, worse


def changed(**members):
    """Return the example's result with other members; `__` in a name separates the steps."""
    result = copy.deepcopy(RESULT)
    for name, value in members.items():
        *path, last = name.split("__")
        holder = result
        for step in path:
            holder = holder[step]
        holder[last] = value
    return result


def of(compared, name):
    (found,) = (one for one in compared["metrics"] if one["name"] == name)
    return found


def test_the_same_differs_in_nothing():
    compared = compare(RESULT, RESULT)
    assert worse(compared, 0.0) == []
    assert compared["check"] is None
    assert compared["verdict"]["is_worse"] == 0
    for one in compared["metrics"]:
        assert one["a"] == one["b"]
        assert one["a"] is None or one["delta"] == 0


def test_every_measure_stands_in_a_result():
    for one in compare(RESULT, RESULT)["metrics"]:
        nothing = ("achieved_cps", "peak_cps")  # a single instance has no rate
        assert one["a"] is not None or one["name"] in nothing, one["name"]


def test_verdicts_and_metrics_are_those_of_the_engine():
    assert VERDICTS == run.VERDICTS
    counts = {one.name for one in MEASURES}
    # `late` and `never_started` are the starts that were not on time.
    shares = {name for name in METRICS if name.endswith("_percent")} - {"on_time_percent"}
    assert METRICS.keys() - shares - {"on_time_percent"} <= counts
    assert {name.removesuffix("_percent") for name in shares} <= counts, "what they are shares of"


def test_a_percentile():
    was = changed(latency__response__p99_ms=200.0)
    now = changed(latency__response__p99_ms=250.0)
    found = of(compare(was, now), "response_p99_ms")
    assert (found["a"], found["b"], found["delta"], found["percent"]) == (200.0, 250.0, 50.0, 25.0)
    assert worse(compare(was, now), 0.1) == ["response_p99_ms: 200 became 250 (+25.0 %)"]
    assert worse(compare(was, now), 0.25) == []
    assert worse(compare(now, was), 0.0) == [], "less is better"


def test_less_of_a_rate_is_worse():
    compared = compare(changed(rate__achieved=100.0), changed(rate__achieved=80.0))
    assert worse(compared, 0.1) == ["achieved_cps: 100 became 80 (-20.0 %)"]


def test_from_none_to_some_is_worse_whatever_the_tolerance():
    compared = compare(RESULT, changed(counts__failed=1))
    assert of(compared, "failed")["percent"] is None
    assert worse(compared, 10.0) == ["failed: 0 became 1"]


def test_what_any_two_runs_differ_in_is_not_worse():
    was = changed(latency__service__p50_ms=0.5, rate__late=0, counts__started=1000)
    now = changed(latency__service__p50_ms=1.3, rate__late=9, counts__started=1000)
    assert worse(compare(was, now), 0.1) == []
    now = changed(latency__service__p50_ms=1.5, rate__late=10, counts__started=1000)
    told = ["late: 0 became 10", "service_p50_ms: 0.5 became 1.5 (+200.0 %)"]
    assert worse(compare(was, now), 0.1) == told


@pytest.mark.parametrize("was", VERDICTS)
@pytest.mark.parametrize("now", VERDICTS)
def test_verdicts(was, now):
    compared = compare(changed(verdict=was), changed(verdict=now))
    is_worse = VERDICTS.index(now) > VERDICTS.index(was)
    assert compared["verdict"] == {"a": was, "b": now, "is_worse": int(is_worse)}
    assert worse(compared, 0.0) == ([f"verdict: {was} became {now}"] if is_worse else [])


def test_thresholds():
    limit = {"metric": "failed", "op": "==", "value": 0, "got": 0}
    was = changed(thresholds=[{**limit, "is_met": True}])
    now = changed(thresholds=[{**limit, "is_met": False}, {**limit, "op": "<", "is_met": True}])
    compared = compare(was, now)
    told = {"metric": "failed", "value": 0}
    assert compared["thresholds"] == [
        {**told, "op": "==", "a": True, "b": False},
        {**told, "op": "<", "a": None, "b": True},
    ]
    assert worse(compared, 0.0) == ["threshold failed == 0 is missed"]
    assert worse(compare(now, was), 0.0) == []


def test_failures_by_what_changed_most():
    def failure(cause, count):
        return {"state": "failed", "op": 1, "cause": cause, "count": count}

    was = changed(failures=[failure("x", 50), failure("gone", 3)])
    now = changed(failures=[failure("new", 7), failure("x", 51)])
    found = [(one["cause"], one["a"], one["b"]) for one in compare(was, now)["failures"]]
    assert found == [("new", 0, 7), ("gone", 3, 0), ("x", 50, 51)]


def test_the_first_check_that_differs():
    def check(level, text):
        return {"t": 0.1, "op": 0, "type": "x", "level": level, "text": text}

    same, other = check("pass", "a"), check("fail", "b")
    was = changed(first_call_summary={"check_log": [same, check("pass", "b")]})
    now = changed(first_call_summary={"check_log": [{**same, "t": 9.9}, other, same]})
    found = compare(was, now)["check"]
    assert (found["index"], found["a"]["level"], found["b"]["level"]) == (1, "pass", "fail")
    short = changed(first_call_summary={"check_log": [same]})
    assert compare(short, now)["check"] == {"index": 1, "a": None, "b": other}


def test_a_run_that_was_lost_has_no_numbers():
    lost = {"verdict": "abort", "counts": RESULT["counts"]}
    compared = compare(RESULT, lost)
    assert of(compared, "response_p99_ms")["b"] is None
    assert worse(compared, 0.0) == ["verdict: pass became abort"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(JSON, JSON)
def test_differences_are_found_where_there_are_any(a, b):
    assert differences(a, a) == []
    for one in differences(a, b):
        assert (one["a"], type(one["a"])) != (one["b"], type(one["b"]))


def test_differences_by_pointer():
    found = differences({"a/b": [1, 2], "c": {"~": True}}, {"a/b": [1, 3, 4], "c": {"~": 1}})
    assert found == [
        {"pointer": "/a~1b/1", "a": 2, "b": 3},
        {"pointer": "/a~1b/2", "a": None, "b": 4},
        {"pointer": "/c/~0", "a": True, "b": 1},
    ]
    assert len(differences([0] * 500, [1] * 500)) == 100
