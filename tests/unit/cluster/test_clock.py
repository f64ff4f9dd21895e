"""A worker measures the coordinator's clock, and reports the result."""

import math

import pytest

from tsvc.clock import SYSTEM_CLOCK
from tsvc.cluster.moments import SETTLING, ClockWatch
from tsvc.cluster.worker import CoordinatorClock


class Told:
    """A watch, and what it has reported."""

    def __init__(self, *, is_same: bool = False) -> None:
        self.told: list[tuple[float, float]] = []
        self.watch = ClockWatch(lambda *what: self.told.append(what), is_same=is_same)

    def echo(self, at: float, round_trip_s: float, *, is_busy: bool = False) -> None:
        """Handle an echo that arrives at `at`, from a clock that is 100 s ahead."""
        sent = at - round_trip_s
        self.watch.echoed(sent, sent + round_trip_s / 2 + 100, at)
        self.watch.look(at, is_busy=is_busy)


def test_settled_after_so_many() -> None:
    one = Told()
    for at in range(SETTLING):
        assert not one.watch.is_settled
        one.echo(at, 0.01)
    assert one.watch.is_settled


def test_the_first_is_told_at_once_with_the_longest_way() -> None:
    one = Told()
    one.watch.echoed(0.0, 100.25, 0.5)
    one.echo(1.0, 0.01)
    assert one.told == [(pytest.approx(0.005), 0.5)]


def test_an_idle_one_tells_seldom_unless_there_is_news() -> None:
    one = Told()
    for at in range(1, 26):
        one.echo(at, 0.01)
    assert len(one.told) == 3, "at once, and every ten seconds"
    one.echo(26, 0.002)
    assert one.told[3] == pytest.approx((0.001, 0.01))
    one.echo(26.5, 0.0002)
    assert len(one.told) == 4, "not within a second"


def test_a_busy_one_tells_each_second() -> None:
    one = Told()
    for half in range(20):
        one.echo(half / 2, 0.01, is_busy=True)
    assert len(one.told) == 10


def test_ways_of_long_ago_are_forgotten() -> None:
    one = Told()
    one.echo(1, 0.8)
    for at in range(2, 30):
        one.echo(at, 0.01)
    assert one.told[-1][1] == pytest.approx(0.01)


def test_the_same_clock_has_no_error() -> None:
    one = Told(is_same=True)
    one.echo(1, 0.5)
    assert one.told == [(0.0, 0.5)]


def test_the_clock_is_the_coordinators() -> None:
    one = Told()
    clock = CoordinatorClock(one.watch.offset)
    with pytest.raises(ValueError, match="nothing is known"):
        clock.now()
    now = SYSTEM_CLOCK.now()
    one.watch.echoed(now, now + 1000, now)
    assert now + 1000 <= clock.now() < math.nextafter(SYSTEM_CLOCK.now() + 1000, math.inf)
