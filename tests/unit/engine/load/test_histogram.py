from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.histogram import Histogram

SHARES = (0.5, 0.9, 0.99, 0.999)
MICROS = st.lists(st.integers(0, 10_000_000_000), min_size=1, max_size=300)


def histogram_of(micros):
    histogram = Histogram()
    for one in micros:
        histogram.add((one + 0.5) / 1_000_000)  # middle of a microsecond: no rounding
    return histogram


def exact(micros, share):
    ordered = sorted(micros)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]


@given(MICROS)
def test_percentiles_are_within_a_percent_of_the_exact_ones(micros):
    found = histogram_of(micros).percentiles_us(SHARES)
    for share, value in zip(SHARES, found, strict=True):
        assert value == pytest.approx(exact(micros, share), rel=0.01, abs=0.5)


@given(MICROS, MICROS)
def test_merge_is_the_union(ours, theirs):
    merged = histogram_of(ours)
    merged.merge(histogram_of(theirs))
    union = histogram_of(ours + theirs)
    assert merged.summary("x") == union.summary("x")
    assert (merged.count, merged.sum_us, merged.lowest_us, merged.highest_us) == (
        union.count,
        union.sum_us,
        union.lowest_us,
        union.highest_us,
    )


@given(MICROS)
def test_a_percentile_lies_between_the_extremes(micros):
    histogram = histogram_of(micros)
    for share in (0.0, *SHARES, 1.0):
        assert min(micros) <= histogram.percentile_us(share) <= max(micros)


def test_small_durations_are_exact():
    histogram = histogram_of(range(128))
    assert [histogram.percentile_us((k + 1) / 128) for k in range(128)] == list(range(128))


def test_memory_is_bounded_by_the_range_and_not_by_the_count():
    histogram = Histogram()
    for one in range(200_000):
        histogram.add(one / 1000)
    assert len(histogram._buckets) < 64 * 28


def test_nothing_yet():
    assert Histogram().summary("instance") == {
        "name": "instance",
        "count": 0,
        "mean_ms": 0.0,
        "p50_ms": 0.0,
        "p90_ms": 0.0,
        "p99_ms": 0.0,
        "p999_ms": 0.0,
        "max_ms": 0.0,
    }


def test_merging_nothing_changes_nothing():
    histogram = histogram_of([5])
    histogram.merge(Histogram())
    assert (histogram.count, histogram.lowest_us) == (1, 5)
    empty = Histogram()
    empty.merge(histogram)
    assert (empty.count, empty.lowest_us, empty.highest_us) == (1, 5, 5)


def test_a_summary_is_in_milliseconds():
    summary = histogram_of([1000, 3000]).summary("x")
    assert summary["mean_ms"] == 2.0
    assert summary["max_ms"] == 3.0


def test_a_clock_that_goes_back_counts_as_0():
    histogram = Histogram()
    histogram.add(-1.0)
    assert (histogram.count, histogram.highest_us) == (1, 0)


@given(MICROS, st.lists(st.integers(1, 10_000_000_000), min_size=1, max_size=20, unique=True))
def test_counts_up_to_bounds_lie_between_those_of_bounds_that_are_a_percent_off(micros, bounds):
    bounds = tuple(sorted(bounds))
    found = histogram_of(micros).counts_up_to(bounds)
    for bound, count in zip(bounds, found, strict=True):
        assert sum(one < bound * 0.99 - 1 for one in micros) <= count
        assert count <= sum(one <= bound * 1.01 + 1 for one in micros)
