"""Even and Poisson arrivals: the sums of variates, their statistics, and their cost."""

import statistics
from collections import Counter
from itertools import pairwise
from math import exp, sqrt
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc import memo
from tsvc.engine.load.arrivals import EVEN, KINDS, POISSON, Arrivals, ExponentialSums
from tsvc.engine.load.grid import grid_of, grid_of_stages

KOLMOGOROV = 1.63  # / sqrt(n): chance exceeds this difference once in a hundred


def is_distributed(values, cumulative):
    """Return True if values pass the test of Kolmogorov and Smirnov."""
    values, count = sorted(values), len(values)
    most = max(
        max(cumulative(value) - at / count, (at + 1) / count - cumulative(value))
        for at, value in enumerate(values)
    )
    return most < KOLMOGOROV / sqrt(count)


def exponential(value):
    return 1 - exp(-value)


# -- the statistics -------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 511, 100_000, 10**9, 10**12])
def test_gaps_are_exponential_and_independent(first):
    sums = ExponentialSums(1)
    found = [sums.of(count) for count in range(first, first + 5001)]
    gaps = [late - early for early, late in pairwise(found)]
    # From 10**12 on a gap is only accurate to a thousandth.
    assert is_distributed(gaps, exponential)
    assert abs(statistics.correlation(gaps[:-1], gaps[1:])) < 3 / sqrt(len(gaps))


def test_gaps_of_a_constant_rate():
    grid = grid_of(250.0).with_arrivals(Arrivals(POISSON, 42))
    times = [0.0, *(grid.time_of(start) for start in range(20_000))]
    assert is_distributed([250 * (late - early) for early, late in pairwise(times)], exponential)
    assert not is_distributed([250 / 251] * 100, exponential), "even gaps don't pass"


def test_a_ramp_has_its_rate():
    """The moments of a Poisson process are distributed as its rate: as t² over this ramp."""
    grid = grid_of(1000.0, 0.0, 10.0).with_arrivals(Arrivals(POISSON, 2))
    times = [grid.time_of(start) for start in range(grid.planned_by(10.0))]
    assert len(times) == pytest.approx(5000, abs=4 * sqrt(5000))
    assert is_distributed(times, lambda t: (t / 10) ** 2)


def test_stages_have_their_rates():
    stages = grid_of_stages([(100.0, 10.0), (0.0, 10.0), (400.0, 10.0, 10.0), (50.0, 20.0)])
    grid = stages.with_arrivals(Arrivals(POISSON, 6))
    ends = [grid.planned_by(end) for end in (10.0, 20.0, 30.0, 50.0)]
    counts = [late - early for early, late in pairwise([0, *ends])]
    assert counts[1] == 0
    for count, mean in zip(counts, [1000, 0, 2000, 1000], strict=True):
        assert abs(count - mean) <= 4 * sqrt(mean)


@pytest.mark.parametrize("length", [1, 30, 1000])
def test_counts_vary_as_those_of_a_poisson_process(length):
    """Their variance equals their mean, in intervals shorter and longer than a block."""
    sums, stretches = ExponentialSums(3), 400
    ends = [sums.below(at * length) for at in range(stretches + 1)]
    counts = [late - early for early, late in pairwise(ends)]
    dispersion = statistics.variance(counts) / statistics.mean(counts)
    assert dispersion == pytest.approx(1, abs=4 * sqrt(2 / stretches))


@pytest.mark.parametrize("count", [1000, 1024, 70_000, 10**9, 2**50, 10**15])
def test_far_sums_are_those_of_so_many_variates(count):
    """Their distribution is nearly normal, with the mean and variance of that many variates."""
    normal = NormalDist(count, sqrt(count))
    assert is_distributed([ExponentialSums(seed).of(count) for seed in range(400)], normal.cdf)


def test_far_stretches_do_not_depend_on_those_before():
    ends = [(one.of(300_000), one.of(1_000_000)) for one in map(ExponentialSums, range(400))]
    firsts, seconds = [end[0] for end in ends], [end[1] - end[0] for end in ends]
    assert abs(statistics.correlation(firsts, seconds)) < 3 / sqrt(len(ends))
    assert is_distributed(seconds, NormalDist(700_000, sqrt(700_000)).cdf)


# -- sums and positions ---------------------------------------------------------------------------


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(), st.integers(0, 10**15))
def test_sums_only_grow_and_below_is_their_inverse(seed, count):
    sums = ExponentialSums(seed)
    found = [sums.of(one) for one in range(count, count + 600)]
    assert found == sorted(found)
    for one, value in zip(range(count, count + 600), found, strict=True):
        below = sums.below(value)
        assert below <= max(one - 1, 0)
        if one:
            assert sums.of(below) < value or below == 0
            assert sums.of(below + 1) >= value


def test_the_seed_decides_and_nothing_else():
    counts = [*range(0, 3000, 7), 10**6, 10**12, 5, 10**15]
    found = [ExponentialSums(8).of(count) for count in counts]
    backwards = ExponentialSums(8)
    assert [backwards.of(count) for count in reversed(counts)] == found[::-1]
    with memo.off():
        assert [ExponentialSums(8).of(count) for count in counts] == found
    assert [ExponentialSums(9).of(count) for count in counts] != found


def test_any_start_is_found_with_little_work(monkeypatch):
    """Finding start 10**15 takes hardly any time or memory."""
    made = Counter()
    ordinary = ExponentialSums._random

    def counted(sums: ExponentialSums, what: str, number: int) -> Random:
        made[what] += 1
        return ordinary(sums, what, number)

    monkeypatch.setattr(ExponentialSums, "_random", counted)
    sums = ExponentialSums(4)
    value = sums.of(10**15)
    assert made["block"] == 1
    assert made.total() < 100
    made.clear()
    assert sums.below(value) == 10**15 - 1
    assert made.total() == 0, "it is remembered"
    for count in range(0, 10**12, 10**9 + 7):
        sums.of(count)
    made.clear()
    for count in range(10**9, 10**9 + 10 * 512):
        sums.of(count)
    assert made["block"] <= 11, "one block after the other"
    assert len(sums._blocks) <= sums._blocks.most
    assert len(sums._splits) <= sums._splits.most


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(100), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(KINDS), st.floats(0, 300)), max_size=5),
    st.floats(0, 2000),
)
def test_arrivals_that_change(kind, changes, count):
    """Positions only grow; those before a change stay as they are, and before() counts them."""
    arrivals, reached = Arrivals(kind, 1), 0.0
    for following, more in changes:
        reached += more
        passed = arrivals.before(reached)
        old = [arrivals.position(start) for start in range(passed)]
        arrivals = arrivals.changed(following, reached)
        assert arrivals.kind == following
        assert [arrivals.position(start) for start in range(passed)] == old
        assert arrivals.position(passed + 1) >= reached
    found = [arrivals.position(start) for start in range(int(reached) + 200)]
    assert found == sorted(found)
    before = arrivals.before(count)
    assert before == 0 or arrivals.position(before - 1) < count
    assert arrivals.position(before) >= count


def test_even_starts_after_random_ones_keep_their_distance():
    arrivals = Arrivals(POISSON, 1)
    start = arrivals.before(50.0)
    last = arrivals.position(start - 1)
    changed = arrivals.changed(EVEN, last + 0.25)
    assert [changed.position(start + at) for at in range(3)] == [last + 1, last + 2, last + 3]


def test_forgotten_starts_lie_before_all_others():
    arrivals = Arrivals(EVEN, 1).changed(POISSON, 10.0).changed(EVEN, 20.0)
    start = arrivals.before(20.0)
    known = arrivals.since(start + 2)
    assert known.position(start - 1) == float("-inf")
    assert known.position(start + 5) == arrivals.position(start + 5)
    assert known.before(0.0) == start
