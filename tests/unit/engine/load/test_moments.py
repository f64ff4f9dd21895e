"""Changes with a moment: players that receive them at different times make the same plan."""

import gevent
import pytest
from support.clock import FakeClock
from support.waiting import GUARD_S, idle, stays, until

from tsvc.clock import SYSTEM_CLOCK, Clock
from tsvc.engine.compiler.parameters import Plan, pace_of
from tsvc.engine.load.arrivals import EVEN, KINDS
from tsvc.engine.load.grid import grid_of
from tsvc.engine.load.share import STRIPES, dealt
from tsvc.engine.load.starter import Start, Starter

STEP_S = 0.001  # by which the tests move the clock


def players(
    count: int, cps: float, total: int, clock: Clock = SYSTEM_CLOCK, arrivals: str = EVEN
) -> list[Starter]:
    """Return the starters of one run, which begins in 50 ms."""
    begins_at = clock.now() + 0.05
    found = []
    for stripes in dealt([1] * count):
        plan = Plan(
            *("linear", total, 100, grid_of(cps)),
            modulus=STRIPES,
            stripes=stripes,
            arrivals=arrivals,
        )
        starter = Starter(plan, clock, seed=5)
        starter.begins_at = begins_at
        found.append(starter)
    return found


def play(starter: Starter, into: list[tuple[int, float]]) -> None:
    into.extend(moment(starter, start) for start in starter.starts(lambda: None))


def moment(starter: Starter, start: Start) -> tuple[int, float]:
    return start.idx, start.planned_at - starter.begins_at


def all_of(
    clock: FakeClock, starters: list[Starter], told: list[tuple[float, int, str, float]]
) -> dict[int, float]:
    """Run the starters; return the planned moment of each start.

    told: (time when a player gets the change, index of the player, change, its moment).

    The clock moves on when all starters have made what is due.
    """
    made: list[tuple[int, float]] = []
    walks = [gevent.spawn(play, starter, made) for starter in starters]
    began = starters[0].begins_at

    def pass_time() -> None:
        gevent.idle()
        clock.advance(STEP_S)
        for starter in starters:
            starter._changed.set()  # starters wait by another clock: wake them
        gevent.idle()

    for at, player, what, change_at in sorted(told):
        while clock.now() < began + at:
            pass_time()
        starter = starters[player]
        if what == "pause":
            starter.set_paused(True, change_at)
        elif what == "resume":
            starter.set_paused(False, change_at)
        elif what == "end":
            starter.end_at(change_at)
        else:
            starter.set_pace(pace_of({"target": float(what)}), change_at)
    with gevent.Timeout(GUARD_S):
        while not all(walk.dead for walk in walks):
            pass_time()
    gevent.joinall(walks, raise_error=True)
    assert len(dict(made)) == len(made), "each start once"
    return dict(sorted(made))


@pytest.mark.parametrize("arrivals", KINDS)
def test_told_early_and_late_they_plan_the_same(arrivals: str) -> None:
    changes = [("800", 0.2), ("pause", 0.35), ("resume", 0.6), ("200", 0.7)]
    alone = [(0.0, 0, what, at) for what, at in changes]
    told = [
        # Player 1: long before, in another order. Player 2: in turn, each before its moment.
        *((0.0, 0, what, at) for what, at in changes),
        *((0.0, 1, what, at) for what, at in reversed(changes)),
        *((number / 100, 2, what, at) for number, (what, at) in enumerate(changes)),
    ]
    clock = FakeClock()
    expected = all_of(clock, players(1, 400, 400, clock, arrivals), alone)
    found = all_of(clock, players(3, 400, 400, clock, arrivals), told)
    assert list(found) == list(expected) == list(range(400))
    for plan in (found, expected):
        for idx, planned in plan.items():
            # The clock moves in steps: the pause comes before this start is made, and moves it.
            if 0.35 - STEP_S <= planned < 0.35:
                plan[idx] = planned + 0.25
    assert found == pytest.approx(expected, abs=1e-9)


def test_a_moment_at_which_it_ends() -> None:
    clock = FakeClock()
    told = [(0.0, 0, "end", 0.2), (0.1, 1, "end", 0.2)]
    found = all_of(clock, players(2, 500, 10_000, clock), told)
    assert set(found) == set(range(100))


def test_who_is_not_allowed_starts_nothing() -> None:
    (starter,) = players(1, 1000, 100)
    starter.is_allowed = lambda: False
    made: list[tuple[int, float]] = []
    walk = gevent.spawn(play, starter, made)
    stays(lambda: not made, 0.3)
    starter.is_allowed = lambda: True
    walk.join(timeout=GUARD_S)
    assert len(made) == 100


def test_who_stays_plays_what_it_is_given_later() -> None:
    first, second = players(2, 1000, 256)
    first.stays = True
    told: list[float] = []
    first.on_made = lambda: told.append(SYSTEM_CLOCK.now())
    first.set_share(range(256), 10, 0.1)
    second.set_share((), 10, 0.1)
    made: list[tuple[int, float]] = []
    walks = [gevent.spawn(play, starter, made) for starter in (first, second)]
    until(lambda: len(made) >= 256)
    idle()
    assert sorted(idx for idx, _ in made) == list(range(256))
    assert len(told) == 1
    assert not walks[0].dead, "it waits for more"
    first.stop()
    gevent.joinall(walks, timeout=GUARD_S, raise_error=True)
    assert walks[0].dead
