"""Starts by a clock that the test moves: the cause of lateness, and ramps that stall."""

from collections.abc import Callable

import pytest
from support.clock import FakeClock

from tsvc.engine.compiler.parameters import Plan
from tsvc.engine.load.grid import Grid, Stage, grid_of
from tsvc.engine.load.starter import Start, Starter


class Playing:
    """A starter whose waits move the clock, and instances that end at given times."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, plan: Plan) -> None:
        self.clock = FakeClock()
        self.starter = Starter(plan, self.clock)
        self.starts: list[tuple[float, Start]] = []
        self.at: list[tuple[float, Callable[[], None]]] = []  # (time, action), in order
        monkeypatch.setattr(self.starter, "_wait", self._wait)
        monkeypatch.setattr(self.starter, "_wait_for_place", self._wait_for_place)

    def _move_to(self, seconds: float) -> None:
        while self.at and self.at[0][0] <= seconds:
            moment, act = self.at.pop(0)
            self.clock.advance(max(moment - self.clock.now(), 0.0))
            act()
        self.clock.advance(max(seconds - self.clock.now(), 0.0))

    def _wait(self, seconds: float) -> None:
        self._move_to(seconds)

    def _wait_for_place(self) -> None:
        assert self.at, "nobody frees a slot"
        self._move_to(self.at[0][0])
        self.starter._last_full_at = self.starter._seconds()

    def play(self) -> list[Start]:
        for start in self.starter.starts(lambda: None):
            self.starts.append((self.clock.now(), start))
            self.starter.pool.hold(start)
        return [start for _, start in self.starts]

    def end_all_at(self, seconds: float) -> None:
        """End at this time all instances that are in progress then."""

        def act() -> None:
            for _, start in self.starts:
                if start in self.starter.pool:
                    self.starter.pool.release(start)

        self.at.append((seconds, act))


def void(_: object) -> None:
    pass


def linear(grid: Grid, total: int, backlog: int) -> Plan:
    return Plan("linear", total, backlog, grid, asked_cps=50.0)


def test_a_stall_of_the_peer_is_the_cause_until_all_is_caught_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """50/s, a backlog of 10, and a peer that does not answer during the first 2 s."""
    playing = Playing(monkeypatch, linear(grid_of(50.0), 400, 10))
    for moment in range(400):
        playing.end_all_at(2.0 + moment * 0.02)
    starts = playing.play()
    late = [one for at, one in playing.starts if at - one.planned_at > 0.01]
    assert len(starts) == 400
    assert len(late) > 150
    assert not any(one.had_place for one in late)
    assert playing.starts[-1][1].had_place, "it is on time again"


def test_a_stall_of_the_tester_is_the_cause_until_all_is_caught_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    playing = Playing(monkeypatch, linear(grid_of(50.0), 200, 1000))
    playing.at.append((1.0, lambda: void(playing.clock.advance(1.0))))
    starts = playing.play()
    late = [one for at, one in playing.starts if at - one.planned_at > 0.01]
    assert len(starts) == 200
    assert len(late) > 50
    assert all(one.had_place for one in late)


@pytest.mark.parametrize("late_s", [0.005, 0.011, 0.04, 0.08, 1.0])
def test_a_ramp_goes_on_after_a_stop_at_its_foot(
    monkeypatch: pytest.MonkeyPatch, late_s: float
) -> None:
    grid = Grid([Stage(0.0, 20.0, 4.0), Stage(20.0, 20.0, float("inf"))])
    playing = Playing(monkeypatch, linear(grid, 80, 1000))
    playing.clock.advance(late_s)
    playing.play()
    late = [one.planned_at for at, one in playing.starts if at > one.planned_at + 1e-9]
    assert len(playing.starts) == 80
    # At twice the planned rate, catching up takes as long as the stop.
    assert max(late) <= 2 * late_s, "the rest is on the grid"
