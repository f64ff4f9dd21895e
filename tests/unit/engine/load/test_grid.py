from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.arrivals import KINDS, Arrivals
from tsvc.engine.load.grid import grid_of, grid_of_stages

RATES = st.floats(0.01, 100_000)
RAMPS = st.floats(0.01, 1000)


ARRIVALS = st.builds(Arrivals, st.sampled_from(KINDS), st.integers())


@st.composite
def grids(draw):
    return draw(rates()).with_arrivals(draw(ARRIVALS))


@st.composite
def rates(draw):
    if draw(st.booleans()):
        return grid_of(draw(RATES), draw(st.one_of(st.none(), st.just(0.0), RATES)), draw(RAMPS))
    ramped = st.sampled_from([0.0, 0.0, 0.3, 1.0])  # fraction of the stage that is a ramp
    held = st.tuples(st.one_of(st.just(0.0), RATES), RAMPS, ramped)
    stages = [*draw(st.lists(held, max_size=4)), draw(st.tuples(RATES, RAMPS, ramped))]
    before = draw(st.one_of(st.just(0.0), RATES))
    return grid_of_stages(
        [(cps, seconds, part * seconds) for cps, seconds, part in stages], before
    )


def test_a_constant_rate_plans_the_first_start_at_once():
    grid = grid_of(4.0)
    assert [grid.time_of(k) for k in range(4)] == [0.0, 0.25, 0.5, 0.75]
    assert [grid.planned_by(t) for t in (-0.1, 0.0, 0.24, 0.25, 1.0)] == [0, 1, 1, 2, 5]


def test_a_ramp_is_the_integral_of_its_rate():
    grid = grid_of(100.0, 0.0, 10.0)
    assert grid.count(5.0) == pytest.approx(125)  # 10 per s², half of t²
    assert grid.count(10.0) == pytest.approx(500)
    assert grid.time_of(125) == pytest.approx(5.0)
    assert grid.time_of(500 + 100) == pytest.approx(11.0)  # then the rate is constant


def test_a_ramp_may_go_down():
    grid = grid_of(10.0, 30.0, 2.0)
    assert grid.count(2.0) == pytest.approx(40)
    assert grid.time_of(50) == pytest.approx(3.0)


def test_without_initial_or_ramp_the_rate_is_the_target():
    for grid in (grid_of(8.0, None, 5.0), grid_of(8.0, 0.0, 0.0), grid_of(8.0, 8.0, 5.0)):
        assert grid.time_of(80) == 10.0


def test_stages_hold_their_rate_and_the_last_stays():
    grid = grid_of_stages([(10.0, 2.0), (0.0, 3.0), (5.0, 1.0)])
    assert grid.count(2.0) == 20
    assert grid.count(5.0) == 20  # a stage of rate 0 is a pause
    assert grid.time_of(20) == 5.0
    assert grid.time_of(19) == pytest.approx(1.9)
    assert grid.time_of(25) == 6.0
    assert grid.time_of(25 + 500) == pytest.approx(106.0)


def test_a_first_stage_of_rate_0_delays_the_first_start():
    grid = grid_of_stages([(0.0, 3.0), (1.0, 1.0)])
    assert grid.planned_by(2.9) == 0
    assert grid.time_of(0) == 3.0


def test_a_stage_may_ramp_from_the_rate_before_it():
    grid = grid_of_stages([(100.0, 30.0), (200.0, 60.0, 10.0)])
    assert [grid.rate(t) for t in (29.0, 30.0, 35.0, 40.0, 90.0, 1e6)] == [
        *(100.0, 100.0, 150.0, 200.0, 200.0, 200.0)
    ]
    assert grid.count(40.0) == pytest.approx(3000 + 1500)
    assert grid.count(90.0) == pytest.approx(4500 + 50 * 200)


def test_a_ramp_may_fill_its_stage_and_the_target_stays():
    grid = grid_of_stages([(50.0, 10.0, 10.0), (0.0, 5.0, 5.0), (20.0, 4.0, 4.0)])
    assert [grid.rate(t) for t in (0.0, 5.0, 12.5, 15.0, 17.0, 19.0, 1e6)] == pytest.approx(
        [0.0, 25.0, 25.0, 0.0, 10.0, 20.0, 20.0]
    )
    assert grid.count(19.0) == pytest.approx(250 + 125 + 40)
    assert grid.time_of(0) == 0.0


def test_the_ramp_of_a_first_stage_begins_at_the_rate_before():
    grid = grid_of_stages([(100.0, 10.0, 4.0)], before=300.0)
    assert [grid.rate(t) for t in (0.0, 2.0, 4.0, 20.0)] == [300.0, 200.0, 100.0, 100.0]
    assert grid.highest(20.0) == 300.0


@given(grids(), st.integers(0, 1_000_000))
def test_count_and_time_of_are_inverse(grid, start):
    seconds = grid.time_of(start)
    assert seconds < inf
    position = grid.arrivals.position(start)
    assert grid.count(seconds) == pytest.approx(position, rel=1e-6, abs=1e-5)


@given(grids(), st.integers(0, 1_000_000))
def test_planned_by_is_exact_at_the_grid_points(grid, start):
    seconds = grid.time_of(start)
    assert grid.planned_by(seconds) > start
    assert grid.planned_by(nextafter(seconds, -inf)) <= start


@given(grids(), st.lists(st.floats(0, 5000), min_size=2, max_size=6))
def test_planned_by_never_goes_back(grid, moments):
    counts = [grid.planned_by(moment) for moment in sorted(moments)]
    assert counts == sorted(counts)


@given(grids(), st.integers(0, 100_000))
def test_starts_come_in_order(grid, start):
    assert grid.time_of(start) <= grid.time_of(start + 1)


def test_it_does_not_drift():
    grid = grid_of(3.0)
    assert grid.time_of(30_000_000) == 10_000_000.0
