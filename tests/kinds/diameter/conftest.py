"""Fixtures that several tests of Diameter share."""

import pytest
from kinds.diameter.testbed import World


@pytest.fixture
def world(tmp_path):
    """Make services with an OCS: members of the gateway, settings of the OCS."""
    made = []

    def make(members=(), **settings):
        made.append(World(tmp_path, dict(members), settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()
