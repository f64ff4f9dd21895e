"""The bucket with a clock that moves when told, and a model of the backlog around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.grid import grid_of
from tsvc.engine.load.schedule import Schedule
from tsvc.engine.load.share import Share
from tsvc.engine.load.token_bucket import TokenBucket


def bucket_of(cps, burst=1, catch_up=2.0, *, total=1_000_000, first=0, stride=1):
    schedule = Schedule(grid_of(cps), Share(total, stride, (first,)))
    return schedule, TokenBucket(schedule, burst, catch_up)


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
    """What is overdue after a stall is made, if at no more than twice the rate."""
    _, bucket = bucket_of(10.0)
    made = played(bucket, 0.95, 3.0)
    assert len(made) in (30, 31)  # the last one is planned for the very end


def played(bucket, begin, until):
    """Take each token as soon as there is one, from a moment on; return when each was taken."""
    moments, now = [], begin
    while now <= until:
        if bucket.take(now):
            moments.append(now)
        else:
            now = max(bucket.next_at(), now + 1e-9)
    return moments


@pytest.mark.parametrize("burst", [1, 3, 20])
def test_after_a_stall_no_more_than_burst_start_at_once(burst):
    _, bucket = bucket_of(100.0, burst)
    takes(bucket, 0.0)
    # Ten milliseconds of jitter are two starts at twice the rate.
    assert takes(bucket, 5.0) <= max(burst, 2) + 1


def most_in(moments, window_s):
    return max(sum(1 for one in moments if at <= one < at + window_s) for at in moments)


@given(
    st.sampled_from([3.0, 20.0, 100.0, 777.0]),
    st.sampled_from([1.0, 1.5, 2.0, 5.0]),
    st.floats(0.0, 3.0),
)
def test_a_window_holds_no_more_than_catch_up_times_the_rate(cps, catch_up, stall_s):
    _, bucket = bucket_of(cps, 1, catch_up)
    moments = played(bucket, stall_s, stall_s + 0.5)
    if moments:
        leave = 0.2 if catch_up < 1.2 else 0.0  # of the rate itself: jitter is not held back
        assert most_in(moments, 0.1) <= 0.1 * (catch_up + leave) * cps + 1 + 1e-6


def test_the_rate_after_a_stall_is_the_rate_again_when_all_is_caught_up():
    _, bucket = bucket_of(100.0)
    moments = played(bucket, 1.0, 4.0)
    assert len(moments) == 401
    late = [at - nth / 100 for nth, at in enumerate(moments)]
    assert late[0] == pytest.approx(1.0)
    assert max(late[300:]) == pytest.approx(0.0, abs=1e-6)


def test_once_the_rate_never_catches_up():
    _, bucket = bucket_of(100.0, 1, 1.0)
    moments = played(bucket, 1.0, 3.0)
    assert moments[-1] - moments[0] == pytest.approx((len(moments) - 1) / 100, rel=0.02)


def test_a_skipped_start_is_gone():
    _, bucket = bucket_of(100.0, 1, 0.0)
    bucket.skip_to(500)
    assert takes(bucket, 5.0) == 1
    assert bucket.next_at() == pytest.approx(5.01)


def test_a_segment_has_tokens_for_its_own_starts_only():
    _, bucket = bucket_of(100.0, first=1, stride=4)
    assert takes(bucket, 0.009) == 0  # its first start is planned at 10 ms
    assert len(played(bucket, 0.01, 1.0)) == 25


def simulate(cps, burst, catch_up, backlog, hold_s, total):
    """Play a run against a clock of its own: (planned, made, was the backlog full) of each."""
    schedule, bucket = bucket_of(cps, burst, catch_up, total=total)
    ends, made, now = [], [], 0.0
    for nth in range(total):
        planned = schedule.time_of(nth)
        now = max(now, planned)
        ends = [end for end in ends if end > now]
        was_full = len(ends) >= backlog
        if was_full:
            now = min(ends)
            ends.remove(now)
        while not bucket.take(now):
            now = max(bucket.next_at(), now + 1e-9)
        ends.append(now + hold_s)
        made.append((planned, now, was_full))
    return made


@given(
    st.floats(1, 2000),
    st.integers(1, 8),
    st.sampled_from([1.0, 2.0, 4.0]),
    st.integers(1, 10),
    st.floats(0.0001, 0.5),
    st.integers(1, 150),
)
def test_no_start_before_its_plan_and_in_order(cps, burst, catch_up, backlog, hold_s, total):
    made = simulate(cps, burst, catch_up, backlog, hold_s, total)
    moments = [at for _, at, _ in made]
    assert all(at >= planned for planned, at, _ in made)
    assert moments == sorted(moments)


def test_a_backlog_that_is_never_full_makes_every_start_on_time():
    made = simulate(1000.0, 1, 2.0, 10, 0.0005, 500)
    assert all(planned == at for planned, at, _ in made)
