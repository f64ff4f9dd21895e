"""Whole daemons for the tests of this folder."""

import pytest
from support.daemons import FLOW, DaemonProcess, StartDaemon
from support.ports import free_port


@pytest.fixture(scope="module")
def daemon(start_daemon: StartDaemon) -> DaemonProcess:
    """The usual daemon: loopback to the embedded SCP with the sample flow."""
    return start_daemon()


@pytest.fixture(scope="module")
def m3ua_pair(start_daemon: StartDaemon) -> tuple[DaemonProcess, DaemonProcess]:
    """A tester and, in another process, an SCP, with M3UA over TCP between them."""
    port = free_port()
    scp = start_daemon(
        f'[scp]\nflows = ["{FLOW}"]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n', loopback=False
    )
    tester = start_daemon(
        f"""
[application.LAB]
module = "sigtran"
opc = 1
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{{ name = "scp", type = "m3ua", role = "asp", remote_port = {port} }}]
""",
        loopback=False,
    )
    tester.until_up()
    return tester, scp
