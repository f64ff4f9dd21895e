"""A schedule while the run is in progress: new rates, pauses, shares of several daemons."""

from itertools import pairwise
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.arrivals import KINDS, POISSON, Arrivals
from tsvc.engine.load.grid import Grid, Stage, grid_of, grid_of_stages
from tsvc.engine.load.schedule import Schedule
from tsvc.engine.load.share import Share
from tsvc.engine.load.token_bucket import TokenBucket


def schedule(grid: Grid, total: int = 1_000_000) -> Schedule:
    return Schedule(grid, Share(total))


class TestShare:
    def test_every_start_belongs_to_one(self) -> None:
        parts = [Schedule(grid_of(10), Share(23, 3, (index,))) for index in range(3)]
        played = [start for part in parts for start in part.share]
        assert sorted(played) == list(range(23))
        for part in parts:
            times = [part.time_of(nth) for nth in range(len(part.share))]
            assert times == [start / 10 for start in part.share]

    @given(st.integers(1, 5), st.floats(0, 10))
    def test_shares_add_up_to_the_whole(self, of: int, seconds: float) -> None:
        grid = grid_of(7, 1, 3)
        parts = [Schedule(grid, Share(1_000_000, of, (index,))) for index in range(of)]
        assert sum(part.planned_by(seconds) for part in parts) == grid.planned_by(seconds)

    def test_tokens_are_those_of_the_share(self) -> None:
        """With a bucket for the whole grid, a share would catch up at the rate of all shares."""
        bucket = TokenBucket(Schedule(grid_of(100), Share(1000, 2, (1,))))
        bucket.skip_to(49)
        taken = [step / 1000 for step in range(1000, 2000) if bucket.take(step / 1000)]
        assert 49 <= len(taken) <= 51


class TestRate:
    def test_goes_on_from_the_count_that_was_reached(self) -> None:
        changing = schedule(grid_of(10))
        changing.change(0.95, grid_of(100), 10)
        # 9.5 starts were planned by then: number 10, the next one, is half an interval away.
        assert changing.time_of(10) == pytest.approx(0.955)
        assert changing.time_of(11) == pytest.approx(0.965)
        assert changing.time_of(9) == pytest.approx(0.9), "what is past stays"
        assert changing.rate(1.0) == 100

    def test_a_far_plan_comes_near(self) -> None:
        changing = schedule(grid_of(0.001))
        changing.change(1.0, grid_of(100), 1)
        assert changing.time_of(1) == pytest.approx(1.0 + 0.999 / 100)

    def test_a_ramp_in_the_middle_of_a_ramp(self) -> None:
        changing = schedule(grid_of(100, 0, 10))
        assert changing.rate(5) == 50
        changing.change(5.0, grid_of(0.5, changing.rate(5), 10), 0)
        assert changing.rate(5) == pytest.approx(50)
        assert changing.rate(15) == changing.rate(100) == 0.5
        assert changing.grid.count(15) == pytest.approx(5 * 50 / 2 + 10 * (50 + 0.5) / 2)

    def test_before_the_beginning(self) -> None:
        changing = schedule(grid_of(1))
        changing.change(-5.0, grid_of(4), 0)
        assert [changing.time_of(nth) for nth in range(3)] == [0, 0.25, 0.5]

    def test_overdue_starts_keep_their_plans(self) -> None:
        changing = schedule(grid_of(10))
        changing.change(2.0, grid_of(1), 3)
        assert [changing.time_of(nth) for nth in (3, 4, 19, 20, 21)] == pytest.approx(
            [0.3, 0.4, 1.9, 2.0, 3.0]
        )

    def test_changes_for_days_take_no_memory(self) -> None:
        changing = schedule(grid_of(10))
        for second in range(1, 5000):
            changing.change(float(second), grid_of(10 + second % 3), changing.planned_by(second))
        assert len(changing.grid._placed) < 5
        assert changing.planned_by(5000.0) == pytest.approx(5000 * 11, rel=1e-3)


class TestArrivals:
    def test_a_new_rate_keeps_the_random_sequence(self) -> None:
        changing = schedule(grid_of(10).with_arrivals(Arrivals(POISSON, 7)))
        still = [changing.time_of(nth) for nth in range(40)]
        made = changing.planned_by(2.0)
        changing.change(2.0, grid_of(20), made)
        for nth, planned in enumerate(still):
            expected = planned if planned <= 2.0 else 2.0 + (planned - 2.0) / 2
            assert changing.time_of(nth) == pytest.approx(expected)

    def test_a_new_rate_may_change_the_arrivals(self) -> None:
        changing = schedule(grid_of(10))
        changing.change(0.95, grid_of(10), 10, POISSON)
        assert [changing.time_of(nth) for nth in range(10)] == [nth / 10 for nth in range(10)]
        coming = [changing.time_of(nth) for nth in range(9, 200)]
        assert coming == sorted(coming)
        gaps = {round(late - early, 6) for early, late in pairwise(coming)}
        assert len(gaps) > 180
        changing.change(10.0, grid_of(10), changing.planned_by(10.0), "even")
        made = changing.planned_by(10.0)
        last = changing.time_of(made - 1)
        first = max(last + 0.1, 10.0)
        assert [changing.time_of(made + nth) for nth in range(5)] == pytest.approx(
            [first + nth / 10 for nth in range(5)]
        )

    def test_changes_for_days_take_no_memory(self) -> None:
        changing = schedule(grid_of(10))
        for second in range(1, 3000):
            made = changing.planned_by(second)
            changing.change(float(second), grid_of(10 + second % 3), made, KINDS[second % 2])
        assert len(changing.grid._placed) < 5
        assert len(changing.grid.arrivals._pieces) < 5

    def test_a_pause_moves_random_starts(self) -> None:
        still = grid_of(10).with_arrivals(Arrivals(POISSON, 3))
        paused = schedule(still)
        paused.pause(4.0)
        paused.resume(7.0, still.planned_by(4.0))
        for start in range(100):
            planned = still.time_of(start)
            expected = planned if planned <= 4.0 else planned + 3
            assert paused.time_of(start) == pytest.approx(expected)

    def test_shares_are_of_one_sequence(self) -> None:
        alone = schedule(grid_of(10).with_arrivals(Arrivals(POISSON, 3)))
        for index in range(3):
            grid = grid_of(10).with_arrivals(Arrivals(POISSON, 3))
            part = Schedule(grid, Share(1_000_000, 3, (index,)))
            for nth in range(400):
                assert part.time_of(nth) == alone.time_of(3 * nth + index)


class TestPause:
    def test_moves_what_is_to_come(self) -> None:
        paused = schedule(grid_of(10))
        paused.pause(0.95)
        assert paused.is_paused
        assert [paused.planned_by(seconds) for seconds in (0.9, 0.95, 5.0)] == [10, 10, 10]
        paused.resume(5.95, 10)
        assert not paused.is_paused
        assert [paused.time_of(nth) for nth in (10, 11)] == pytest.approx([6.0, 6.1])
        assert paused.planned_by(5.99) == 10

    def test_moves_what_is_overdue_too(self) -> None:
        """Starts 4 to 9 were waiting for a slot; otherwise the pause would make them late."""
        paused = schedule(grid_of(10))
        paused.pause(0.95)
        assert paused.planned_by(2.0) == 10, "they stay planned"
        paused.resume(2.95, 4)
        assert [paused.time_of(nth) for nth in range(4)] == pytest.approx([0, 0.1, 0.2, 0.3])
        assert [paused.time_of(nth) for nth in (4, 9, 10)] == pytest.approx([2.4, 2.9, 3.0])
        assert paused.planned_by(2.95) == 10, "and none is forgotten"

    def test_in_a_ramp(self) -> None:
        still = grid_of(100, 0, 10)
        paused = schedule(still)
        paused.pause(4.0)
        paused.resume(7.0, still.planned_by(4.0))
        for start in (200, 300, 500, 700):
            assert paused.time_of(start) == pytest.approx(still.time_of(start) + 3)

    def test_twice_is_once(self) -> None:
        paused = schedule(grid_of(1))
        paused.resume(1.0, 1)
        paused.pause(2.5)
        paused.pause(3.5)
        paused.resume(4.5, 3)
        paused.resume(9.9, 3)
        assert paused.time_of(3) == 5.0

    def test_before_the_beginning(self) -> None:
        paused = schedule(grid_of(1))
        paused.pause(-3.0)
        paused.resume(-1.0, 0)
        assert paused.time_of(0) == 0, "nothing was planned in it"
        paused.pause(-0.5)
        paused.resume(2.0, 0)
        assert [paused.time_of(nth) for nth in (0, 1)] == [2.0, 3.0]

    def test_what_was_made_before_it_stays_planned(self) -> None:
        """Nothing was planned between the pauses, and the grid no longer knows the past."""
        paused = schedule(grid_of(50, 1, 1.5))
        paused.pause(1.0)
        made = paused.planned_by(1.0)
        for until in (2.0, 3.0, 4.0):
            paused.resume(until, made)
            assert paused.planned_by(until) == paused.all_planned_by(until) == made == 18
            paused.pause(until)
        assert paused.planned_by(0.5) == made, "what is forgotten is planned"

    def test_with_a_new_rate_inside(self) -> None:
        paused = schedule(grid_of(10))
        paused.pause(0.95)
        paused.change(3.0, grid_of(100), 10)
        assert paused.planned_by(4.0) == 10
        paused.resume(4.95, 10)
        assert paused.time_of(10) == pytest.approx(4.955)

    def test_while_the_rate_is_zero(self) -> None:
        paused = schedule(grid_of_stages([(10, 1), (0, 2), (10, 1)]))
        assert paused.time_of(10) == pytest.approx(3.0)
        paused.pause(2.0)
        paused.resume(7.0, 10)
        assert paused.time_of(10) == pytest.approx(8.0)


doings = st.lists(
    st.tuples(
        st.sampled_from(["rate", "pause", "resume"]),
        st.sampled_from([0.0, 1.0]) | st.floats(0, 2),
        st.integers(1, 500),
        st.sampled_from([None, None, *KINDS]),
    ),
    max_size=12,
)
kinds = st.builds(Arrivals, st.sampled_from(KINDS), st.integers(0, 9))


@given(doings, st.sampled_from([1.0, 1.0, 0.9, 0.5, 0.0]), st.integers(1, 3), kinds)
def test_whatever_is_done_the_plan_only_grows(
    doings: list[tuple[str, float, int, str | None]],
    behind: float,
    of: int,
    arrivals: Arrivals,
) -> None:
    grid = grid_of(50, 1, 1.5).with_arrivals(arrivals)
    changing = Schedule(grid, Share(1_000_000, of, (of - 1,)))
    now, made, planned = 0.0, 0, 0
    for doing, step, cps, kind in doings:
        now += step
        hair = 1e-9  # for rounding errors
        assert changing.planned_by(now + hair) >= max(planned, made), "nothing is taken back"
        planned = changing.planned_by(now)
        made = max(made, int(planned * behind))
        overdue = [changing.time_of(nth) for nth in range(made, planned)]
        if doing == "rate":
            changing.change(now, grid_of(cps), made, kind)
        elif doing == "pause":
            changing.pause(now)
        else:
            changing.resume(now, made)
        assert abs(changing.planned_by(now) - planned) <= 1, "nothing jumps"
        planned = max(planned, changing.planned_by(now))
        if doing != "resume":
            again = [changing.time_of(nth) for nth in range(made, made + len(overdue))]
            assert again == pytest.approx(overdue, abs=1e-6)
        coming = [changing.time_of(nth) for nth in range(made, made + 30)]
        assert coming == sorted(coming)
    if not changing.is_paused:
        for nth in range(planned + 1, planned + 10):
            at = changing.time_of(nth)
            assert now - 1e-6 <= at < inf
            assert changing.planned_by(at) == nth + 1


def test_a_stage_knows_its_rate() -> None:
    assert Stage(2, 4, 10).rate(5) == 3
    assert Stage(2, 2, inf).rate(1e9) == 2
