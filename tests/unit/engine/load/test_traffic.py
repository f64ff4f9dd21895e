from tsvc.engine.load.counters import Counters, Traffic
from tsvc.engine.load.histogram import Histogram


def counters(started, passed=0, failed=0, aborted=0, cancelled=0, halted=0):
    one = Counters()
    one.started, one.passed, one.failed = started, passed, failed
    one.aborted, one.cancelled, one.halted = aborted, cancelled, halted
    return one


def test_sums_do_not_fall_when_a_run_ends():
    traffic = Traffic()
    first, second = counters(10, 3, 2, 1, 0, halted=4), counters(5, 5)
    traffic.begin(first, Histogram())
    traffic.begin(second, Histogram())
    before = {
        "started": 15, "passed": 8, "failed": 2, "aborted": 1, "cancelled": 0,
        "replayed": 0, "fell_back": 0, "in_progress": 4, "halted": 4,
    }  # fmt: skip
    assert traffic.as_dict() == before
    traffic.end(second)
    assert traffic.as_dict() == before
    first.cancelled, first.halted = 4, 0
    traffic.end(first)
    traffic.end(first)
    assert traffic.as_dict() == {**before, "cancelled": 4, "in_progress": 0, "halted": 0}


def test_times_are_of_all_runs_and_counted_once():
    traffic = Traffic()
    run, times = counters(2, 2), Histogram()
    traffic.begin(run, times)
    times.add(0.5)
    assert (traffic.service_times().count, traffic.service_times().sum_us) == (1, 500_000)
    times.add(0.25)
    traffic.end(run)
    traffic.end(run)
    assert (traffic.service_times().count, traffic.service_times().sum_us) == (2, 750_000)


def test_a_run_that_never_began_counts_nothing():
    traffic = Traffic()
    traffic.end(counters(3, 3))
    assert not any(traffic.as_dict().values())
