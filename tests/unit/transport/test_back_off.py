"""Pauses between attempts."""

import pytest

from tsvc.transport.back_off import pause_s


@pytest.mark.parametrize(
    ("failures", "seconds"), [(1, 0.2), (2, 0.4), (3, 0.8), (10, 60), (999, 60)]
)
def test_a_pause_is_twice_the_one_before_up_to_the_longest(failures, seconds):
    assert pause_s(failures, 60, lambda: 1.0) == pytest.approx(seconds)


def test_chance_halves_it_at_most():
    assert pause_s(1, 60, lambda: 0.0) == pytest.approx(0.1)
