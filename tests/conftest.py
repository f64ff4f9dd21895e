"""Daemons for the tests of any part; what workers of pytest have in common."""

import os
from collections.abc import Iterator

import pytest
from support.alone import Alone
from support.daemons import FLOW, HANG_GUARD_S, DaemonProcess, StartDaemon, configure, launch
from support.scripted_scp import ScriptedDaemon


def pytest_configure(config: pytest.Config) -> None:
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is not None:
        config.pluginmanager.register(Alone(run))


@pytest.fixture
def daemon(tmp_path):
    """Make daemons: daemon(*reactions of the SCP, **settings); stopped after the test."""
    made = []

    def make(*reactions, **settings):
        made.append(ScriptedDaemon(tmp_path, *reactions, **settings))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="session")
def start_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """Start daemons as processes: start_daemon(text of the configuration, loopback=True: with
    the usual SIGTRAN instance and the sample flow); all are stopped at the end."""
    started: list[DaemonProcess] = []

    def start(text: str = "", *, loopback: bool = True) -> DaemonProcess:
        folder = tmp_path_factory.mktemp("daemon")
        if loopback:
            text = f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n{text}'
        started.append(launch(folder, configure(folder, text)))
        return started[-1]

    yield start
    for daemon in started:
        if daemon.process.poll() is None:
            daemon.process.terminate()
    for daemon in started:
        daemon.process.wait(HANG_GUARD_S)
