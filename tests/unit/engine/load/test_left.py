"""The time for which a run will still start instances."""

import pytest

from tsvc.engine.compiler.parameters import Plan
from tsvc.engine.load.grid import grid_of
from tsvc.engine.load.starter import Starter


class Clock:
    def __init__(self):
        self.s = 100.0

    def now(self):
        return self.s


@pytest.fixture
def clock():
    return Clock()


def linear(clock, total=100, cps=10.0, **more):
    return Starter(Plan("linear", total, 10, grid_of(cps, 0.0, 0.0), **more), clock)


def test_of_a_rate_it_is_the_last_planned_start(clock):
    starter = linear(clock)
    assert starter.left_s() == pytest.approx(9.9)
    clock.s += 4
    assert starter.left_s() == pytest.approx(5.9)
    clock.s += 100
    assert starter.left_s() == 0.0


def test_max_seconds_end_it_before(clock):
    starter = linear(clock, total=10**15, max_seconds=3.0)
    assert starter.left_s() == pytest.approx(3.0)


def test_another_rate_changes_it(clock):
    starter = linear(clock)
    clock.s += 2
    starter.schedule.change(2.0, grid_of(1.0, 0.0, 0.0), 20)
    assert 75 < starter.left_s() < 81


def test_in_a_pause_nobody_knows(clock):
    starter = linear(clock)
    starter.set_paused(True)
    assert starter.left_s() is None
    clock.s += 5
    starter.set_paused(False)
    assert starter.left_s() == pytest.approx(9.9, abs=0.2)


def test_without_a_rate_only_max_seconds_tell(clock):
    assert Starter(Plan("load", 100, 10), clock).left_s() is None
    assert Starter(Plan("load", 100, 10, max_seconds=7.0), clock).left_s() == pytest.approx(7.0)
