from typing import Any

import pytest
from support.run_results import bucket, load, run

from tsvc.results.html.curves import asked_points, buckets_of, charts_of


def asked(cps: Any, end_s: float = 10.0, asked_cps: float | None = 100.0) -> list[Any]:
    result = run("pass", rate={"asked": asked_cps})
    definition = {"distribution": {"type": "linear", "cps": cps}}
    return list(asked_points(result, definition, end_s))


@pytest.mark.parametrize(
    ("cps", "points"),
    [
        (100, [(0, 100), (10, 100)]),
        ({"target": 100}, [(0, 100), (10, 100)]),
        ({"target": 100, "initial": 0, "ramp_s": 4}, [(0, 0), (4, 100), (10, 100)]),
        ({"target": 100, "initial": 0, "ramp_s": 40}, [(0, 0), (10, 25)]),
        (
            {"stages": [{"target": 50, "seconds": 3}, {"target": 100, "seconds": 3}]},
            [(0, 50), (3, 50), (3, 100), (6, 100), (10, 100)],
        ),
        (
            {
                "stages": [
                    {"target": 50, "seconds": 2, "ramp_s": 1},
                    {"target": 150, "seconds": 3, "ramp_s": 3},
                    {"target": 100, "seconds": 2, "ramp_s": 0},
                ]
            },
            [(0, 0), (1, 50), (2, 50), (5, 150), (5, 100), (7, 100), (10, 100)],
        ),
        ({"target": 80, "arrivals": "poisson"}, [(0, 80), (10, 80)]),  # off by chance
        ({"target": "{$v->{cps}}"}, [(0, 100), (10, 100)]),
        ({"target": 80}, [(0, 100), (10, 100)]),  # the rate was changed while it ran
    ],
)
def test_the_asked_rate_over_time(cps: Any, points: list[Any]) -> None:
    assert asked(cps) == points


def test_a_warm_up_hides_nothing_of_the_asked_rate() -> None:
    """The requested mean only counts the time after the warm-up."""
    rate = {"asked": 100.0, "planned": 401, "started": 401}
    warm_up = {"seconds": 4.0, "planned": 200, "started": 200}
    cps = {"target": 100, "initial": 0, "ramp_s": 4}
    definition = {"distribution": {"type": "linear", "cps": cps}}
    points = [(0, 0), (4, 100), (8, 100)]
    assert list(asked_points(run("pass", rate=rate, warm_up=warm_up), definition, 8.0)) == points
    assert list(asked_points(run("pass", rate=rate), definition, 8.0)) != points


def test_without_a_rate_nothing_was_asked() -> None:
    assert asked(100, asked_cps=None) == []
    assert asked_points(run("pass", rate={"asked": 5.0}), None, 2.0) == ((0.0, 5.0), (2.0, 5.0))


def test_the_last_bucket_ends_with_the_run() -> None:
    result = run("pass", duration=2.5, buckets=[bucket(0, 1, 1), bucket(1, 1, 1), bucket(2, 1, 1)])
    assert [(one.start, one.end) for one in buckets_of(result)] == [(0, 1), (1, 2), (2, 2.5)]


def test_a_short_last_bucket_makes_no_rate_of_its_own() -> None:
    found = load().result
    assert found is not None
    rate, *_ = charts_of(found, None)
    assert "2 s\nstarted: 96.1 calls/s" in rate  # 98 in 1.02 s, not 0 in 0.02 s
    assert "3 s\nstarted" not in rate


def test_failures_have_a_curve_only_if_there_are_any() -> None:
    found = load().result
    assert found is not None
    assert "c-fail" in charts_of(found, None)[0]
    good = run("pass", buckets=[bucket(0, 5, 5), bucket(1, 5, 5)], duration=2.0)
    assert "c-fail" not in charts_of(good, None)[0]


def test_a_long_run_is_drawn_with_fewer_stretches_that_hide_nothing() -> None:
    buckets = [bucket(at, 10, 10, max_ms=1.0, p99_ms=0.5) for at in range(1800)]
    buckets[777].update(failed=3, max_ms=99.0, p99_ms=42.0)
    rate, latency, *_ = charts_of(run("fail", duration=1800.0, buckets=buckets), None)
    assert rate.count("started: 10 calls/s") == 200
    assert "12:54\nslowest: 99 ms\nhighest p99: 42 ms" in latency
    assert "12:54\nstarted: 10 calls/s\nfailed: 0.333 calls/s" in rate  # 3 in 9 s


def test_a_single_call_has_no_charts() -> None:
    assert charts_of(run("pass", buckets=[bucket(0, 1, 1)]), None) == []
