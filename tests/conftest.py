"""A daemon in the process, for the tests of any part of it; what workers of pytest share."""

import os

import pytest
from support.alone import Alone
from unit.engine.in_process import Daemon


def pytest_configure(config: pytest.Config) -> None:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is not None:
        config.pluginmanager.register(Alone(run))


@pytest.fixture
def daemon(tmp_path):
    """Make daemons: daemon(*reactions of the SCP, **settings); stopped after the test."""
    made = []

    def make(*reactions, **settings):
        made.append(Daemon(tmp_path, *reactions, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()
