"""Benches of the service control point, and the flows and messages of its tests."""

from types import SimpleNamespace

import pytest
from unit.scp import bench, expected, flows

VARIANTS = ["cs1", "camel2", "camel3", "camel4"]


@pytest.fixture
def bench_of():
    """A function that makes benches; after the test each must have nothing left."""
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
    """All names of the modules with flows to run and messages to expect, and Bench."""
    return SimpleNamespace(**{**vars(flows), **vars(expected), "Bench": bench.Bench})
