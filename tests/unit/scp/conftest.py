"""Benches of the service control point, and what its tests run and expect."""

from types import SimpleNamespace

import pytest
from unit.scp import bench, expected, flows

VARIANTS = ["cs1", "camel2", "camel3", "camel4"]


@pytest.fixture
def bench_of():
    """Return a maker of benches; each has to have nothing left when the test is over."""
    made = []

    def make(*arguments, **settings):
        made.append(bench.Bench(*arguments, **settings))
        return made[-1]

    yield make
    for one in made:
        one.check_nothing_left()


@pytest.fixture(params=VARIANTS)
def variant(request):
    return request.param


@pytest.fixture
def wire():
    """Return flows to run and messages to expect, and the bench: the names of these modules."""
    return SimpleNamespace(**{**vars(flows), **vars(expected), "Bench": bench.Bench})
