from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tsvc.engine.load.counters import MAX_BUCKETS, Counters, InstanceState

ENDS = [
    InstanceState.PASSED,
    InstanceState.FAILED,
    InstanceState.ABORTED,
    InstanceState.CANCELLED,
]
STEPS = st.lists(
    st.tuples(st.floats(0, 2000), st.one_of(st.none(), st.sampled_from(ENDS))), max_size=80
)


def play(steps):
    """Start (None) and finish instances in order of time; yield the counters after each step."""
    counters = Counters()
    moments = sorted(moment for moment, _ in steps)
    for moment, (_, end) in zip(moments, steps, strict=True):
        if end is None:
            counters.start(moment)
        elif counters.in_progress:
            counters.finish(end, moment, 0.25)
        yield counters


@given(STEPS)
def test_counts_always_add_up(steps):
    for counters in play(steps):
        counts = counters.as_dict(planned=counters.started)
        ends = sum(counts[state.value] for state in ENDS)
        assert counts["finished"] == ends
        assert counts["started"] == counts["finished"] + counts["in_progress"]
        series = counters.buckets()
        assert sum(bucket["num_calls_started"] for bucket in series) == counts["started"]
        assert sum(bucket["num_calls_finished"] for bucket in series) == counts["finished"]
        assert sum(bucket["failed"] for bucket in series) == counts["failed"]
        assert sum(bucket["aborted"] for bucket in series) == counts["aborted"]
        if series:
            assert series[-1]["in_progress"] == counts["in_progress"]


@given(STEPS)
def test_each_bucket_ends_with_those_in_progress_then(steps):
    counters = [Counters(), *play(steps)][-1]
    in_progress = 0
    for bucket in counters.buckets():
        in_progress += bucket["num_calls_started"] - bucket["num_calls_finished"]
        assert bucket["in_progress"] == in_progress


def test_a_quiet_stretch_shows_what_was_in_progress():
    counters = Counters()
    counters.start(0.0)
    counters.start(3.5)
    assert [bucket["in_progress"] for bucket in counters.buckets()] == [1, 1, 1, 2]
    assert [bucket["t"] for bucket in counters.buckets()] == [0, 1, 2, 3]


def test_a_bucket_has_the_p99_of_those_that_finished_in_it():
    counters = Counters()
    for _ in range(99):
        counters.start(0.0)
        counters.finish(InstanceState.PASSED, 0.1, 0.010)
    counters.start(0.0)
    counters.finish(InstanceState.PASSED, 0.2, 5.0)
    (bucket,) = counters.buckets()
    assert 9.9 <= bucket["p99_ms"] <= 10.1


def test_a_long_run_has_bounded_buckets_that_keep_the_sums():
    counters = Counters()
    ends = Counter()
    for second in range(0, 4 * MAX_BUCKETS, 3):
        counters.start(float(second))
        end = ENDS[second % 4]
        ends[end] += 1
        counters.finish(end, second + 0.5, second / 1000)
    series = counters.buckets()
    assert len(series) <= MAX_BUCKETS
    assert counters.bucket_s == 4.0
    assert [bucket["t"] for bucket in series[:3]] == [0.0, 4.0, 8.0]
    assert sum(bucket["num_calls_started"] for bucket in series) == counters.started
    assert sum(bucket["failed"] for bucket in series) == ends[InstanceState.FAILED]
    assert sum(bucket["aborted"] for bucket in series) == ends[InstanceState.ABORTED]
    assert series[-1]["in_progress"] == 0
    assert series[-1]["p99_ms"] > series[0]["p99_ms"]
