"""A short expression is evaluated without a break: `$g` does not change meanwhile."""

from contextlib import suppress
from copy import deepcopy

import pytest
from support.each import each
from unit.expr.perl_cases import CASES, G, I, R, V

from tsvc.errors import ExpressionError
from tsvc.expr import Environment, compile_expression
from tsvc.expr.environment import SMALL_TEXT, TICK_STEPS
from tsvc.expr.values import plain

LONG = TICK_STEPS * SMALL_TEXT  # octets that an evaluation of TICK_STEPS steps counts


def ticks_of(source: str) -> tuple[int, int]:
    """Return how often other greenlets could have run, and how much the evaluation has counted."""
    ticks = 0

    def tick() -> None:
        nonlocal ticks
        ticks += 1

    v, i, g, r = deepcopy((V, I, G, R))
    env = Environment(v, i, g, r, lambda: 0.5, lambda: 0.0, tick, 0, LONG)
    with suppress(ExpressionError):
        compile_expression(source).evaluate(env)
    return ticks, env.made


@each("source", CASES)
def test_others_run_in_the_middle_of_long_ones_only(source: str) -> None:
    ticks, made = ticks_of(source)
    assert ticks == 0 or made >= LONG


@pytest.mark.parametrize(
    "source",
    [
        "max(1 .. 5000)",
        "sum(1 .. 5000)",
        "join(',', map { $_ + 1 } 1 .. 3000)",
        "join(',', sort(1 .. 3000))",
    ],
)
def test_others_run_in_the_middle_of_long_ones(source: str) -> None:
    ticks, _ = ticks_of(source)
    assert ticks > 0


@pytest.mark.parametrize(
    ("elements", "ticks"), [(0, 0), (1, 0), (3_999, 0), (4_000, 1), (9_000, 3)]
)
def test_short_values_are_copied_in_one_go(elements: int, ticks: int) -> None:
    had: list[None] = []
    value = [1] * elements
    assert plain(value, tick=lambda: had.append(None)) == value
    assert len(had) == ticks
