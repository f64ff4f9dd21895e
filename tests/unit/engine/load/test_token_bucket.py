"""The bucket with simulated time: any plan and any stalls, against an exact model."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.arrivals import KINDS, Arrivals
from tsvc.engine.load.grid import Grid, Stage, grid_of
from tsvc.engine.load.schedule import Schedule
from tsvc.engine.load.share import Share
from tsvc.engine.load.token_bucket import JITTER_S, TokenBucket

EPSILON = 1e-6


def schedule_of(grid, *, total=1_000_000, modulus=1, stripes=(0,)):
    return Schedule(grid, Share(total, modulus, stripes))


def bucket_of(cps, burst=1, catch_up=2.0, **share):
    schedule = schedule_of(grid_of(cps), **share)
    return schedule, TokenBucket(schedule, burst, catch_up)


def ramp(seconds=4.0, cps=20.0):
    return Grid([Stage(0.0, cps, seconds), Stage(cps, cps, float("inf"))])


def takes(bucket, seconds):
    """Take all tokens that are available at a moment; return their number."""
    count = 0
    while bucket.take(seconds):
        count += 1
    return count


def made_of(bucket, until, stalls=(), *, total=10**9):
    """Take each token as soon as it is released, except during stalls; return the moments.

    `stalls`: (begin, end) of the times in which nothing is taken, in order, not overlapping.
    """
    moments, now = [], 0.0
    while len(moments) < total:
        now = max(now, bucket.next_at())
        for begin, end in stalls:
            if begin <= now < end:
                now = end
        if now > until:
            break
        assert bucket.take(now)
        moments.append(now)
    return moments


# -- single cases ---------------------------------------------------------------------------------


def test_one_token_for_each_planned_start():
    _, bucket = bucket_of(10.0)
    assert takes(bucket, -0.01) == 0
    assert takes(bucket, 0.0) == 1
    assert takes(bucket, 0.05) == 0
    assert bucket.next_at() == pytest.approx(0.1)
    assert takes(bucket, bucket.next_at()) == 1


@pytest.mark.parametrize("late_s", [0.009, 0.011, 0.015, 0.03, 0.08])
def test_a_late_first_start_of_a_ramp_holds_nothing_back(late_s):
    schedule = schedule_of(ramp())
    bucket = TokenBucket(schedule)
    assert bucket.take(late_s)
    assert bucket.next_at() == schedule.time_of(1)
    assert [late_s, *made_of(bucket, 4.0)[1:]] == pytest.approx(
        [late_s, *(schedule.time_of(nth) for nth in range(2, 41))]
    )


@pytest.mark.parametrize("catch_up", [1.01, 1.2, 1.5, 2.0, 4.0, 100.0])
def test_a_rate_above_the_plan_catches_up_as_fast_as_it_says(catch_up):
    """50/s and a stall of 1 s: caught up after 1 / (catch_up - 1) s."""
    schedule, bucket = bucket_of(50.0, 1, catch_up)
    caught_up_at = 2.0 + 1.0 / (catch_up - 1.0)
    moments = made_of(bucket, caught_up_at + 2.0, [(1.0, 2.0)])
    late = [at - schedule.time_of(nth) for nth, at in enumerate(moments)]
    assert max(late) == pytest.approx(1.0, abs=0.03)
    assert all(one < EPSILON for one, at in zip(late, moments, strict=True) if at > caught_up_at)
    slow = caught_up_at - 0.02 / (catch_up - 1.0) - 0.05
    assert all(one > 0 for one, at in zip(late, moments, strict=True) if 2.0 <= at < slow)


def test_a_rate_that_is_the_plan_keeps_the_rate_and_loses_no_ground():
    schedule, bucket = bucket_of(50.0, 1, 1.0)
    moments = made_of(bucket, 60.0, [(1.0, 2.0)])
    late = [at - schedule.time_of(nth) for nth, at in enumerate(moments)]
    assert max(late) == pytest.approx(1.0)
    assert late[-1] == pytest.approx(1.0)


def test_late_timers_do_not_add_up():
    """While catching up, each start is 9 ms later than its token; the rate is still achieved."""
    _, bucket = bucket_of(50.0, 1, 1.0)
    now, moments = 1.0, []
    while now < 21.0:
        assert bucket.take(now)
        moments.append(now)
        now = bucket.next_at() + 0.9 * JITTER_S
    assert len(moments) == 1000


@pytest.mark.parametrize("burst", [1, 3, 20])
def test_after_a_stall_burst_tokens_come_at_once(burst):
    _, bucket = bucket_of(100.0, burst)
    takes(bucket, 0.0)
    # Timers that are 10 ms late allow two more starts at twice the rate.
    assert burst <= takes(bucket, 5.0) <= burst + 2


def test_a_new_rate_is_not_held_back_by_a_late_start_at_the_old_one():
    """At 0.001/s the first start is 50 ms late; a second later RateTest asks for 1000/s."""
    schedule = schedule_of(grid_of(0.001))
    bucket = TokenBucket(schedule)
    assert bucket.take(0.05)
    schedule.change(1.0, grid_of(1000.0), 1)
    for nth in range(1, 50):
        assert bucket.next_at() == schedule.time_of(nth) < 1.1
        assert bucket.take(schedule.time_of(nth))


def test_overdue_starts_of_a_stage_that_is_over_are_made_in_a_stage_without_starts():
    stages = [Stage(100.0, 100.0, 1.0), Stage(0.0, 0.0, 5.0), Stage(1.0, 1.0, float("inf"))]
    bucket = TokenBucket(schedule_of(Grid(stages)))
    moments = made_of(bucket, 6.5, [(0.5, 1.5)])
    assert len(moments) == 101
    assert moments[50] == pytest.approx(1.5)
    assert moments[99] == pytest.approx(1.5 + 0.49 / 2)
    assert moments[100] == pytest.approx(6.0)


def test_a_skipped_start_is_gone():
    _, bucket = bucket_of(100.0, 1, 0.0)
    bucket.skip_to(500)
    assert takes(bucket, 5.0) == 1
    assert bucket.next_at() == pytest.approx(5.01)


def test_a_segment_has_tokens_for_its_own_starts_only():
    _, bucket = bucket_of(100.0, modulus=4, stripes=(1,))
    assert takes(bucket, 0.009) == 0  # its first start is planned at 10 ms
    assert len(made_of(bucket, 1.0)) == 25


# -- any plan, any stalls, any catch-up -----------------------------------------------------------

RATES = st.one_of(st.just(0.0), st.floats(0.5, 300.0))


@st.composite
def plans(draw):
    """Return stages of any rates, with ramps and pauses; the last stage has no end."""
    stages, rate = [], draw(RATES)
    for _ in range(draw(st.integers(0, 4))):
        target = draw(st.one_of(st.just(rate), RATES))
        stages.append(Stage(rate, target, draw(st.floats(0.05, 2.0))))
        rate = draw(st.one_of(st.just(target), RATES))
    last = draw(st.floats(0.5, 300.0))
    arrivals = Arrivals(draw(st.sampled_from(KINDS)), draw(st.integers(0, 9)))
    return Grid([*stages, Stage(last, last, float("inf"))], arrivals)


@st.composite
def stalls_of(draw):
    found, now = [], 0.0
    for _ in range(draw(st.integers(0, 4))):
        begin = now + draw(st.floats(0.0, 1.5))
        now = begin + draw(st.floats(0.001, 1.5))
        found.append((begin, now))
    return found


def stalled_before(stalls, seconds):
    return sum(min(end, seconds) - begin for begin, end in stalls if begin < seconds)


@given(
    plans(),
    stalls_of(),
    st.one_of(st.just(1.0), st.floats(1.0, 5.0)),
    st.integers(1, 5),
    st.integers(1, 4),
)
def test_starts_are_those_of_the_plan(plan, stalls, catch_up, burst, modulus):
    total = 400
    schedule = schedule_of(plan, total=total, modulus=modulus)
    bucket = TokenBucket(schedule, burst, catch_up)
    own = schedule.share.count
    moments = made_of(bucket, 1e6, stalls, total=own)
    planned = [schedule.time_of(nth) for nth in range(own)]

    assert len(moments) == own
    assert all(one <= other for one, other in pairwise(moments))
    for at, due in zip(moments, planned, strict=True):
        assert due - EPSILON <= at, "no start before its plan"
        # At the latest: its plan, plus all stalls until then.
        assert at <= due + stalled_before(stalls, at) + EPSILON
    assert_speed(moments, planned, catch_up, burst, [end for _, end in stalls])


def assert_speed(moments, planned, catch_up, burst, again):
    """Assert that overdue starts come at most catch_up times as fast as they were planned.

    A sequence of overdue starts may also have a burst: `burst` starts, and the starts that are
    planned within the jitter of a timer. Each moment in `again`, the end of a stall, allows
    another burst.
    """
    for first in range(len(moments)):
        for last in range(first + burst, min(first + 60, len(moments))):
            if moments[first] - planned[first] <= JITTER_S:
                break  # not overdue: the plan itself allows it
            if moments[last] - planned[last] <= EPSILON:
                break
            if any(moments[first] < end <= moments[last] for end in again):
                break
            spaced = planned[last] - planned[first + burst - 1]
            taken = moments[last] - moments[first]
            assert spaced <= catch_up * (taken + JITTER_S) + EPSILON


@given(plans(), st.lists(st.floats(0.005, 0.08), max_size=6), st.randoms(use_true_random=False))
def test_short_stops_of_the_tester_leave_the_rest_on_the_grid(plan, stops, chance):
    """After stops of 5 to 80 ms at random moments, starts are soon on the grid again."""
    stalls, now = [], 0.0
    for seconds in stops:
        now += chance.uniform(0.1, 1.0)
        stalls.append((now, now + seconds))
        now += seconds
    schedule = schedule_of(plan, total=300)
    moments = made_of(TokenBucket(schedule), 1e6, stalls, total=300)
    for nth, at in enumerate(moments):
        due = schedule.time_of(nth)
        # At twice the rate, catching up takes as long as the stop, or the time that the
        # delayed starts need at twice their rate.
        recent = [end for begin, end in stalls if begin <= at and end + 6 * (end - begin) >= due]
        assert at - due <= EPSILON or recent


def simulate(cps, burst, catch_up, backlog, hold_s, total):
    """Simulate a run; return (planned, made), the two moments of each start."""
    schedule, bucket = bucket_of(cps, burst, catch_up, total=total)
    ends, made, now = [], [], 0.0
    for nth in range(total):
        planned = schedule.time_of(nth)
        now = max(now, planned)
        ends = [end for end in ends if end > now]
        if len(ends) >= backlog:
            now = min(ends)
            ends.remove(now)
        while not bucket.take(now):
            now = max(bucket.next_at(), now + 1e-9)
        ends.append(now + hold_s)
        made.append((planned, now))
    return made


@given(
    st.floats(1, 2000),
    st.integers(1, 8),
    st.sampled_from([1.0, 2.0, 4.0]),
    st.integers(1, 10),
    st.floats(0.0001, 0.5),
    st.integers(1, 150),
)
def test_a_full_backlog_delays_and_loses_nothing(cps, burst, catch_up, backlog, hold_s, total):
    made = simulate(cps, burst, catch_up, backlog, hold_s, total)
    moments = [at for _, at in made]
    assert all(at >= planned for planned, at in made)
    assert moments == sorted(moments)


def test_a_backlog_that_is_never_full_makes_every_start_on_time():
    made = simulate(1000.0, 1, 2.0, 10, 0.0005, 500)
    assert all(planned == at for planned, at in made)
