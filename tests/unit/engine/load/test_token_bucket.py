"""The bucket with a clock that moves when told, and a model of the backlog around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.grid import Schedule, grid_of
from tsvc.engine.load.token_bucket import TokenBucket


def bucket_of(cps, burst=1, *, total=1_000_000, first=0, stride=1):
    schedule = Schedule(grid_of(cps), total, first, stride)
    return schedule, TokenBucket(schedule, burst)


def takes(bucket, seconds):
    """Take what there is at a moment."""
    count = 0
    while bucket.take(seconds):
        count += 1
    return count


def test_one_token_for_each_planned_start():
    _, bucket = bucket_of(10.0)
    assert takes(bucket, -0.01) == 0
    assert takes(bucket, 0.0) == 1
    assert takes(bucket, 0.05) == 0
    assert bucket.next_at() == pytest.approx(0.1)
    assert takes(bucket, bucket.next_at()) == 1


def test_a_busy_processor_loses_nothing():
    _, bucket = bucket_of(10.0)
    assert takes(bucket, 0.95) == 10


@pytest.mark.parametrize("burst", [1, 3, 20])
def test_after_a_full_backlog_no_more_than_burst_start_at_once(burst):
    _, bucket = bucket_of(100.0, burst)
    takes(bucket, 0.0)
    bucket.overflow(5.0)  # the backlog was full for 5 s: 500 starts are overdue
    assert takes(bucket, 5.0) == burst
    assert bucket.next_at() == pytest.approx(5.01)


def test_overflow_gives_no_tokens():
    _, bucket = bucket_of(10.0, 5)
    takes(bucket, 1.0)
    bucket.overflow(1.0)
    assert takes(bucket, 1.0) == 0


def test_the_rate_after_an_overflow_is_the_rate():
    _, bucket = bucket_of(100.0)
    bucket.overflow(5.0)
    moments = []
    now = 5.0
    for _ in range(50):
        if not bucket.take(now):
            now = bucket.next_at()
            assert bucket.take(now)
        moments.append(now)
    assert moments[-1] - moments[0] == pytest.approx(0.49)


def test_a_segment_has_tokens_for_its_own_starts_only():
    _, bucket = bucket_of(100.0, first=1, stride=4)
    assert takes(bucket, 0.009) == 0  # its first start is planned at 10 ms
    assert takes(bucket, 1.0) == 25
    bucket.overflow(3.0)
    assert takes(bucket, 3.0) == 1
    assert bucket.next_at() == pytest.approx(3.01)


def simulate(cps, burst, backlog, hold_s, total):
    """Play a run against a clock of its own: (planned, made, was the backlog full) of each."""
    schedule, bucket = bucket_of(cps, burst, total=total)
    ends, made, now = [], [], 0.0
    for nth in range(total):
        planned = schedule.time_of(nth)
        now = max(now, planned)
        ends = [end for end in ends if end > now]
        was_full = len(ends) >= backlog
        if was_full:
            now = min(ends)
            ends.remove(now)
            bucket.overflow(now)
        while not bucket.take(now):
            now = bucket.next_at()
        ends.append(now + hold_s)
        made.append((planned, now, was_full))
    return made


@given(
    st.floats(1, 2000),
    st.integers(1, 8),
    st.integers(1, 10),
    st.floats(0.0001, 0.5),
    st.integers(1, 150),
)
def test_no_start_before_its_plan_and_no_more_than_burst_at_once(
    cps, burst, backlog, hold_s, total
):
    made = simulate(cps, burst, backlog, hold_s, total)
    moments = [at for _, at, _ in made]
    assert all(at >= planned for planned, at, _ in made)
    assert moments == sorted(moments)
    for moment in set(moments):
        # A place that frees up at the very moment of a grid point may bring that one too.
        assert moments.count(moment) <= burst + 1


def test_a_backlog_that_is_never_full_makes_every_start_on_time():
    made = simulate(1000.0, 1, 10, 0.0005, 500)
    assert all(planned == at for planned, at, _ in made)
