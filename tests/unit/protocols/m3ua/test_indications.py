"""State changes as indications: one for each new state, contexts grouped."""

from tsvc.protocols.m3ua.asp import AspState
from tsvc.protocols.m3ua.indications import (
    ActiveInd,
    DownInd,
    InactiveInd,
    state_indications,
)

DOWN, INACTIVE, ACTIVE = AspState


def test_nothing_moved():
    assert state_indications({}, "x") == []


def test_contexts_are_grouped_by_state():
    moved = {1: ACTIVE, 2: INACTIVE, 3: ACTIVE}
    assert state_indications(moved, "x") == [InactiveInd((2,), "x"), ActiveInd((1, 3))]
    assert state_indications({1: DOWN, 2: DOWN}, "gone") == [DownInd("gone")]
