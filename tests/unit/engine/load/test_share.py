"""Shares: each start belongs to exactly one player, after any change of the run."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.engine.load.arrivals import KINDS, Arrivals
from tsvc.engine.load.grid import grid_of
from tsvc.engine.load.schedule import Schedule
from tsvc.engine.load.share import STRIPES, Share, dealt, divided

TOTAL = 3000


def played(share: Share) -> list[int]:
    return [share[nth] for nth in range(share.count)]


class TestShare:
    @given(st.integers(1, 64))
    def test_dealt_stripes_are_all_of_them_once(self, players: int) -> None:
        hands = dealt([1] * players)
        assert sorted(stripe for hand in hands for stripe in hand) == list(range(STRIPES))
        assert max(map(len, hands)) - min(map(len, hands)) <= 1

    def test_more_than_64_players_have_more_stripes(self) -> None:
        assert sum(map(len, dealt([1] * 64))) == STRIPES
        hands = dealt([1] * 65)
        assert sorted(stripe for hand in hands for stripe in hand) == list(range(4096))
        assert hands[64] == tuple(range(64, 4096, 65))

    @given(st.lists(st.integers(1, 16), min_size=1, max_size=40))
    def test_a_weight_is_more_stripes(self, weights: list[int]) -> None:
        hands = dealt(weights)
        count = sum(map(len, hands))
        assert count == (STRIPES if sum(weights) <= 64 else 4096)
        assert sorted(stripe for hand in hands for stripe in hand) == list(range(count))
        for weight, hand in zip(weights, hands, strict=True):
            share = weight / sum(weights)
            assert len(hand) == pytest.approx(1 + (count - len(weights)) * share, abs=1)
            # Stripes are spread over the grid, so that a player's starts come in no burst.
            half = sum(stripe < count / 2 for stripe in hand)
            assert half == pytest.approx(len(hand) / 2, abs=2 + len(weights) / 4)

    @given(st.integers(1, 300), st.data())
    def test_it_is_what_the_modulus_says(self, modulus: int, data: st.DataObject) -> None:
        held = data.draw(st.sets(st.integers(0, modulus - 1)))
        total = data.draw(st.integers(0, 700))
        share = Share(total, modulus, sorted(held))
        expected = [idx for idx in range(total) if idx % modulus in held]
        assert played(share) == expected
        assert share.part == len(held) / modulus
        for start in range(0, 800, 7):
            count = sum(start_ % modulus in held for start_ in range(start))
            assert share.before(start) == count

    def test_beyond_its_end(self) -> None:
        share = Share(10, 4, (1, 2))
        assert played(share) == [1, 2, 5, 6, 9]
        assert share.start(5) == 10, "the grid goes on"
        with pytest.raises(IndexError):
            share[5]
        assert Share(10, 4, ()).start(0) is None

    def test_a_total_above_any_len(self) -> None:
        assert Share(10**30).count == 10**30

    @settings(max_examples=examples(60))
    @given(st.lists(st.tuples(st.integers(0, 600), st.sets(st.integers(0, 7))), max_size=5))
    def test_changed_from_a_start_on(self, changes: list[tuple[int, set[int]]]) -> None:
        share = Share(700, 8, range(8))
        owned = dict.fromkeys(range(700), True)
        for start, held in sorted(changes, key=lambda change: change[0]):
            share = share.changed(start, sorted(held))
            owned |= {idx: idx % 8 in held for idx in range(start, 700)}
        assert played(share) == [idx for idx, is_own in owned.items() if is_own]


@given(st.integers(0, 10**6), st.lists(st.integers(0, 100), min_size=1).filter(any))
def test_what_is_divided_adds_up(whole: int, weights: list[int]) -> None:
    parts = divided(whole, weights)
    assert sum(parts) == whole
    for part, weight in zip(parts, weights, strict=True):
        assert abs(part - whole * weight / sum(weights)) < 1


doings = st.lists(
    st.tuples(
        st.sampled_from(["rate", "pause", "resume", "lose"]),
        st.sampled_from([0.0, 1.0]) | st.floats(0, 2),
        st.integers(1, 500),
        st.sampled_from([None, None, *KINDS]),
    ),
    max_size=10,
)
kinds = st.tuples(st.sampled_from(KINDS), st.integers(0, 9))


@settings(max_examples=examples(150), deadline=None)
@given(doings, st.integers(1, 64), kinds)
def test_all_players_together_are_one(
    doings: list[tuple[str, float, int, str | None]], players: int, arrivals: tuple[str, int]
) -> None:
    """Rates, pauses and losses apply at shared moments: the union is the plan of one daemon.

    This holds even if players were behind.
    """
    ramp = grid_of(50, 1, 1.5)
    alone = Schedule(ramp.with_arrivals(Arrivals(*arrivals)), Share(TOTAL))
    parts = [
        Schedule(ramp.with_arrivals(Arrivals(*arrivals)), Share(TOTAL, STRIPES, stripes))
        for stripes in dealt([1] * players)
    ]
    live = list(range(players))
    made_by: dict[int | None, int] = {}
    now = 0.0
    for doing, step, value, kind in doings:
        now += step
        for player, one in [(None, alone), *((at, parts[at]) for at in live)]:
            behind = 0 if player is None else (value * (player + 1)) % 5
            made = max(one.planned_by(now) - behind, made_by.get(player, 0))
            made_by[player] = made  # the number of made starts never falls
            if doing == "rate":
                one.change(now, grid_of(value), made, kind)
            elif doing == "pause":
                one.pause(now)
            elif doing == "resume":
                one.resume(now, made)
        if doing == "lose" and len(live) > 1:
            lost = live.pop(value % len(live))
            for nth, stripe in enumerate(parts[lost].share.stripes):
                heir = parts[live[nth % len(live)]]
                made = made_by.get(live[nth % len(live)], 0)
                heir.take(now, [*heir.share.stripes, stripe], made)
            parts[lost].take(now, (), made_by.get(lost, 0))
    alone.resume(now, alone.planned_by(now))
    for at in range(players):
        parts[at].resume(now, parts[at].planned_by(now))
    union = sorted(start for part in parts for start in played(part.share))
    assert union == list(range(TOTAL)), "each start once"
    for at in live:
        coming = parts[at].share.before(alone.planned_by(now))
        for nth in range(coming, min(coming + 20, parts[at].share.count)):
            planned = parts[at].time_of(nth)
            assert planned == pytest.approx(alone.time_of(parts[at].share[nth]), abs=1e-6)
    later = now + 10.0  # a player that is behind still makes overdue starts at their old rate
    assert sum(parts[at].rate(later) * parts[at].share.part for at in live) == pytest.approx(
        alone.rate(later)
    )
