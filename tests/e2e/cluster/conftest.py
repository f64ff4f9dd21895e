"""A daemon with three worker processes."""

import pytest
from e2e.cluster.shared import configuration
from support.daemons import DaemonProcess, StartDaemon
from support.ports import free_port
from support.shared_runs import ready
from support.witness import Witness


@pytest.fixture(scope="module")
def http() -> int:
    """The port of the metrics page."""
    return free_port()


@pytest.fixture(scope="module")
def cluster(start_daemon: StartDaemon, witness: Witness, http: int) -> DaemonProcess:
    return start_daemon(configuration(witness, http))


@pytest.fixture
def daemon(cluster: DaemonProcess) -> DaemonProcess:
    """A daemon whose workers are ready, whatever the previous test has done to them."""
    ready(cluster)
    return cluster


@pytest.fixture
def hasty(start_daemon: StartDaemon, witness: Witness) -> DaemonProcess:
    """A daemon that soon reports a silent worker as lost."""
    lost = "lost_after_s = 4\nlease_s = 2\n"
    made = start_daemon(configuration(witness, free_port(), lost))
    ready(made)
    return made
