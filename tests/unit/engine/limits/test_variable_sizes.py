"""The sizes of variables of any shape."""

import pytest

from tsvc.engine.limits.variable_sizes import MAX_INSTANCE, MAX_RUN, Weights, weigh


def no_tick():
    pass


def test_a_text_is_counted():
    assert 1000 < weigh([{"a": "x" * 1000}], 1 << 20, no_tick) < 2000


def test_a_large_text_is_counted_once():
    text = "x" * 100_000
    assert weigh([[text] * 1000], 1 << 30, no_tick) < 120_000


def test_a_cycle_ends():
    cycle = {}
    cycle["a"] = [cycle, cycle]
    assert weigh([cycle], 1 << 20, no_tick) < 2000


def test_values_that_double_are_counted_as_they_are_held():
    value = []
    for _ in range(60):
        value = [value, value]
    assert weigh([value], 1 << 20, no_tick) < 10_000


def test_it_stops_at_the_limit():
    ticks = []
    assert weigh([list(range(1_000_000))], 100, lambda: ticks.append(1)) >= 100
    assert ticks == []


def test_others_run_meanwhile_and_may_change_it():
    values = [[n] for n in range(5000)]
    ticks = []

    def tick():
        ticks.append(1)
        values.clear()

    assert weigh([values], 1 << 30, tick) > 5000 * 50
    assert len(ticks) == 10


@pytest.mark.parametrize(
    ("own", "shared", "part"),
    [
        (0, 0, None),
        (MAX_INSTANCE - 1, 0, None),
        (MAX_INSTANCE, 0, "64 MiB"),
        (1, MAX_RUN - 1, "512 MiB"),
    ],
)
def test_what_is_too_much(own, shared, part):
    weights = Weights()
    weights.note(7, own)
    problem = weights.problem(own, shared)
    assert problem is None if part is None else part in problem


def test_many_instances_are_too_much_together():
    weights = Weights()
    for idx in range(9):
        weights.note(idx, MAX_RUN // 10)
        weights.note(idx, MAX_RUN // 10)
    assert weights.problem(1, 0) is None
    weights.note(9, MAX_RUN // 8)
    assert weights.problem(1, 0) is not None
    weights.forget(0)
    weights.forget(0)
    assert weights.problem(1, 0) is None
