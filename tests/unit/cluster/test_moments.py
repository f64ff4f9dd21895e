"""The coordinator's time at a worker, against simulated clocks with an offset and a drift."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.cluster.lease import DRIFT
from tsvc.cluster.moments import KEPT, SETTLING, SLEW, Offset

TINY_S = 1e-9  # the rounding error of doubles for such times


def test_nothing_is_known_before_an_exchange() -> None:
    offset = Offset()
    assert offset.bound_s(5) == math.inf
    with pytest.raises(ValueError, match="nothing is known"):
        offset.to_coordinator(5)


@pytest.mark.parametrize(
    "exchange",
    [(2, 5, 1), (math.nan, 5, 6), (1, math.inf, 2), (1, 5, math.inf), (-math.inf, 5, 6)],
)
def test_what_is_no_exchange(exchange: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="no exchange"):
        Offset().note(*exchange)


def test_one_exchange() -> None:
    offset = Offset()
    offset.note(10.0, 110.25, 10.5)
    assert offset.to_coordinator(11) == 111
    assert offset.bound_s(10.5) == 0.25
    assert offset.bound_s(20.5) == pytest.approx(0.25 + 10 * DRIFT)


def test_the_shortest_round_trip_counts() -> None:
    offset = Offset()
    offset.note(0.0, 100.3, 1.0)
    offset.note(1.0, 101.1, 1.01)
    offset.note(2.0, 102.9, 3.0)
    assert offset.to_coordinator(3) == pytest.approx(3 + 101.1 - 1.005)
    assert offset.bound_s(3) == pytest.approx(0.005 + 1.99 * DRIFT)


def test_what_is_old_is_forgotten() -> None:
    offset = Offset()
    offset.note(0.0, 100.0, 0.0)
    for at in range(1, KEPT + 1):
        offset.note(at - 0.2, at + 99.9, at)
    assert offset.bound_s(KEPT) == pytest.approx(0.1)


def settled() -> Offset:
    """Return an offset of 100 s that has settled."""
    offset = Offset()
    for at in range(SETTLING):
        offset.note(at, 100.001 + at, at + 0.002)
    return offset


def test_slewed_never_stepped() -> None:
    offset = settled()
    before = offset.to_coordinator(20)
    offset.note(20, 120.0055, 20)  # known exactly: 4.5 or 5.5 ms more than before
    assert offset.to_coordinator(20) == pytest.approx(before)
    assert offset.to_coordinator(24) == pytest.approx(before + 4 * (1 + SLEW))
    assert offset.bound_s(24) == pytest.approx(0.0055 - 4 * SLEW + 4 * DRIFT)
    assert offset.to_coordinator(40) == pytest.approx(140.0055)


waits = st.floats(0.01, 10)
ways = st.floats(0.0001, 0.05)


@given(
    apart=st.floats(-5, 5),
    drift=st.floats(-DRIFT, DRIFT),
    exchanges=st.lists(st.tuples(waits, ways, ways), min_size=1, max_size=150),
)
def test_the_bound_holds_whatever_the_ways_take(
    apart: float, drift: float, exchanges: list[tuple[float, float, float]]
) -> None:
    def theirs(mine: float) -> float:
        return mine * (1 + drift) + apart

    offset = Offset()
    now, last = 1000.0, -math.inf
    for nth, (wait, there, back) in enumerate(exchanges):
        now += wait
        if nth > SETTLING:
            assert offset.to_coordinator(now) > last
        offset.note(now, theirs(now + there), now + there + back)
        now += there + back
        for moment in (now, now + wait / 3):
            told = offset.to_coordinator(moment)
            assert abs(told - theirs(moment)) <= offset.bound_s(moment) + TINY_S
        last = offset.to_coordinator(now)


@settings(max_examples=examples(40))
@given(
    apart=st.floats(-5, 5),
    drift=st.sampled_from([-DRIFT, 0.0, DRIFT]),
    ways=st.lists(st.tuples(st.floats(0.0002, 0.01), st.floats(0.0002, 0.01)), min_size=1),
)
def test_the_offset_keeps_up_with_a_clock_that_drifts(
    apart: float, drift: float, ways: list[tuple[float, float]]
) -> None:
    """Sixteen exchanges, then two a second for two minutes. The error stays below 5 ms if
    some delays in both directions are as short as on the loopback."""
    offset = Offset()
    now = 50.0
    for nth in range(256):
        there, back = (0.0003, 0.0002) if nth % 8 == 0 else ways[nth % len(ways)]
        offset.note(now, (now + there) * (1 + drift) + apart, now + there + back)
        assert offset.bound_s(now + 0.5) < 0.005
        now += 0.01 if nth < SETTLING else 0.5
    assert abs(offset.to_coordinator(now) - (now * (1 + drift) + apart)) < 0.002
