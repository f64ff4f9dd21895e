"""Drawn definitions and random peers: results are the same with and without the fast path.

`make generated` runs such definitions for an hour.
"""

import os
from collections import Counter
from collections.abc import Iterator

import pytest
from kinds.together.generated import Players, players
from kinds.together.generator import Plan, plan_of

from tsvc.kinds.sigtran.fast_path.paths import DialoguePath

SEEDS = int(os.environ.get("TSVC_GENERATED", "12"))


@pytest.fixture(scope="module")
def shared() -> Iterator[Players]:
    """Players whose worlds last for all tests of this module."""
    with pytest.MonkeyPatch.context() as patch:
        made = players(patch)
        yield made
        made.stop()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_both_ways_are_the_same(shared: Players, seed: int) -> None:
    assert shared.play(seed) is None


def test_a_wrong_octet_is_a_difference(shared: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a replayed instance accepts a message that an ordinary one refuses, it is found."""
    seed = next(seed for seed in range(10**4) if _is_plain_call(plan_of(seed)))
    assert shared.play(seed) is None
    monkeypatch.setattr(DialoguePath, "fits", lambda *_: True)
    try:
        found = shared.play(seed)
    except AssertionError as error:  # the received messages can't give an ordinary instance
        found = str(error)
    assert found is not None


def _is_plain_call(plan: Plan) -> bool:
    return plan.sorts == {"inap"} and plan.odd > 0.05 and not plan.is_crowd


def test_what_is_drawn() -> None:
    """A seed always gives the same plan; plans use each kind of gateway alone and with others."""
    plans = [plan_of(seed) for seed in range(300)]
    assert [one.operations for one in plans] == [
        plan_of(seed).operations for seed in range(len(plans))
    ]
    sorts = Counter(plan.sorts for plan in plans)
    assert len(sorts) == 15
