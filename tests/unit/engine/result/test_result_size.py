"""A result that is too large loses its least important members first, and says so."""

import json
from typing import Any

import pytest

from tsvc.engine.load.counters import Counters, InstanceState
from tsvc.engine.result.result_size import MAX_OCTETS, STEPS, fit

MIB = 1024 * 1024
KEPT = {"run_id": "a", "counts": {"started": 5}, "rate": {"late": 1}, "latency": {}, "seed": 7}


def detail(**more: Any) -> dict[str, Any]:
    base = {"idx": "1", "vars": {}, "check_log": [], "trace_log": [], "messages": [], "ladder": ""}
    return {**base, **more}


def result(**more: Any) -> dict[str, Any]:
    """Return a result with all members that can be large; they are small unless given."""
    base: dict[str, Any] = {
        **KEPT,
        "halted": [],
        "operations": [],
        "globals": {},
        "first_call_summary": detail(),
        "first_fails": [],
        "first_aborts": [],
        "slowest": [],
        "bucket_s": 1.0,
        "buckets": [],
        "problems": [],
        "thresholds": [],
    }
    return {**base, **more}


def octets(value: Any) -> int:
    return len(json.dumps(value))


def notes(value: dict[str, Any]) -> list[str]:
    return [problem["text"].removeprefix("too large: ") for problem in value["problems"]]


def test_what_fits_stays_as_it_is() -> None:
    small = result(slowest=[detail()], globals={"a": "x" * 1000})
    assert fit(small, Counters()) is small


LOG = [{"t": 0.5, "text": "x" * 1000}] * 5000
LARGE: list[tuple[dict[str, Any], set[str]]] = [
    ({"halted": [{"instance_id": str(n), "idx": n} for n in range(100_000)]}, {"halted"}),
    ({"slowest": [detail(reason="x" * MIB)] * 3}, {"slowest"}),
    ({"first_fails": [detail(messages=LOG)] * 2}, {"messages", "ladder"}),
    ({"first_aborts": [detail(check_log=LOG)]}, {"check_log"}),
    ({"globals": {"a": "x" * 3 * MIB, "b": 5}}, {"globals"}),
    ({"first_call_summary": detail(vars={"a": ["x" * 3 * MIB]})}, {"vars"}),
    ({"first_call_summary": detail(messages=LOG, trace_log=LOG, check_log=LOG)}, {"logs"}),
    ({"first_call_summary": detail(check_log=[{"text": "x" * 3 * MIB}])}, {"text"}),
    ({"first_fails": [detail(reason="\u0001" * MIB)]}, {"reason"}),
    ({"thresholds": [{"metric": "x" * 1000}] * 4000}, {"thresholds"}),
    ({"operations": [{"op": n, "name": "x" * 300} for n in range(10_000)]}, {"operations"}),
]


@pytest.mark.parametrize(("large", "_"), LARGE, ids=[str(sorted(names)) for _, names in LARGE])
def test_whatever_is_large_it_fits(large: dict[str, Any], _: set[str]) -> None:
    given = result(**large)
    before = json.dumps(given)
    fitted = fit(given, Counters())
    assert octets(fitted) <= MAX_OCTETS
    assert notes(fitted), "it says what is missing"
    assert {name: fitted[name] for name in KEPT} == KEPT
    assert json.dumps(given) == before, "details are kept by the run, and must not change"


def test_all_at_once() -> None:
    everything: dict[str, Any] = {}
    for large, _ in LARGE:
        everything |= large
    fitted = fit(result(**everything), Counters())
    assert octets(fitted) <= MAX_OCTETS
    order = [what for what, _ in STEPS]
    assert notes(fitted) == sorted(notes(fitted), key=order.index)
    assert {name: fitted[name] for name in KEPT} == KEPT


def test_the_least_important_goes_first() -> None:
    """Without the slowest instances the result fits: nothing else is changed."""
    given = result(slowest=[detail(reason="x" * MIB)] * 2, globals={"a": "x" * 1000})
    fitted = fit(given, Counters())
    assert notes(fitted) == ["the slowest instances are left out"]
    assert {**fitted, "slowest": 0, "problems": 0} == {**given, "slowest": 0, "problems": 0}


def test_buckets_are_merged_from_what_was_counted() -> None:
    counters = Counters()
    for second in range(1000):
        counters.start(second)
        counters.finish(InstanceState.PASSED, second + 0.5, 0.001 * (second % 50))
    given = result(buckets=counters.buckets(), bucket_s=counters.bucket_s)
    fitted = fit(given, counters, limit=octets(given) - 40_000)
    assert "buckets are merged" in notes(fitted)
    buckets = fitted["buckets"]
    assert len(buckets) <= 60
    assert sum(bucket["num_calls_started"] for bucket in buckets) == 1000
    assert [bucket["t"] for bucket in buckets][:2] == [0, fitted["bucket_s"]]
    assert buckets[0]["p99_ms"] <= buckets[0]["max_ms"] <= 49
