"""Even if messages are late or lost, a worker stops before the coordinator calls it lost."""

import heapq
import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.cluster.lease import DRIFT, Heard, Lease, check_times

STAMP_S = 0.5
LEASE_S, LOST_AFTER_S = 2.0, 3.0
END_S = 20.0


def test_a_lease_runs_from_when_the_echoed_stamp_was_sent() -> None:
    lease = Lease(2)
    assert not lease.is_held(0)
    assert lease.until == -math.inf
    lease.echoed(10)
    assert lease.is_held(11.99)
    assert not lease.is_held(12)
    lease.echoed(11.5)
    lease.echoed(11)  # a late echo, of an older stamp
    assert lease.until == 13.5


def test_who_was_lost_once_stays_lost() -> None:
    heard = Heard(3, now=100)
    assert heard.note(102.9)
    assert not heard.is_lost(105.8)
    assert heard.is_lost(105.9)
    assert not heard.note(106)
    assert heard.is_lost(106)


def test_who_speaks_too_late_is_lost_though_nobody_has_looked() -> None:
    assert not Heard(3, now=0).note(3)


@pytest.mark.parametrize(
    ("lease_s", "lost_after_s"),
    [(3, 3), (3, 2), (2.9999, 3), (0, 3), (-1, 3), (2, math.inf), (math.nan, 3), (2, math.nan)],
)
def test_times_that_do_not_fit(lease_s: float, lost_after_s: float) -> None:
    with pytest.raises(ValueError, match="lost_after_s"):
        check_times(lease_s, lost_after_s)


def test_times_that_fit() -> None:
    check_times(LEASE_S, LOST_AFTER_S)
    check_times(2.99, 3)


class Network(NamedTuple):
    """One direction of a network: the n-th message is late by the n-th delay, or lost."""

    delays: list[float]
    cuts: list[tuple[float, float]]  # (begin, end) of the times in which messages are lost

    def arrival(self, at: float, nth: int) -> float | None:
        """Return the time at which a message arrives, None if it is lost."""
        if any(begin <= at < end for begin, end in self.cuts):
            return None
        return at + self.delays[nth % len(self.delays)]


moments = st.floats(0, END_S)
networks = st.builds(
    Network,
    st.lists(st.floats(0, 6), min_size=1, max_size=12),
    st.lists(st.tuples(moments, moments), max_size=3),
)
rates = st.floats(1 - DRIFT / 2, 1 + DRIFT / 2)


@given(there=networks, back=networks, worker=rates, hub=rates, skew=st.floats(-5, 5))
def test_who_is_called_lost_holds_no_lease(
    there: Network, back: Network, worker: float, hub: float, skew: float
) -> None:
    lease = Lease(LEASE_S)
    heard = Heard(LOST_AFTER_S, now=0.0)
    # (real time, order, event, stamp); the coordinator may check at any time, here every 40 ms
    events: list[tuple[float, int, str, float]] = []
    for nth in range(int(END_S / STAMP_S)):
        at = nth * STAMP_S
        arrival = there.arrival(at, nth)
        if arrival is not None:
            heapq.heappush(events, (arrival, nth, "stamp", at * worker + skew))
    for nth in range(int(END_S * 25)):
        heapq.heappush(events, (nth / 25, 0, "look", 0.0))
    while events:
        at, nth, what, stamp = heapq.heappop(events)
        if what == "stamp":
            if heard.note(at * hub) and (arrival := back.arrival(at, nth)) is not None:
                heapq.heappush(events, (arrival, nth, "echo", stamp))
        elif what == "echo":
            lease.echoed(stamp)
        if heard.is_lost(at * hub):
            assert not lease.is_held(at * worker + skew)
