"""Whole daemons for the tests of this folder; all are stopped at the end, by process."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from support.daemons import FLOW, HANG_GUARD_S, ROOT, Daemon, StartDaemon, wait_until_ready
from support.ports import free_port


@pytest.fixture(scope="session")
def start_daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartDaemon]:
    """Start daemons from configuration text; all are stopped at the end, by process."""
    daemons: list[Daemon] = []

    def start(config: str = "", *, loopback: bool = True) -> Daemon:
        folder = tmp_path_factory.mktemp("daemon")
        port = free_port()
        text = f'[service]\nstate_dir = "{folder}"\n[rpc]\nport = {port}\n'
        if loopback:
            text += f'[scp]\nflows = ["{FLOW}"]\n[application.SIGTRAN]\nmodule = "sigtran"\n'
        file = folder / "tsvc.toml"
        file.write_text(text + config)
        file.chmod(0o600)
        environ = {k: v for k, v in os.environ.items() if not k.startswith("TSVC_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(file)],
            cwd=ROOT,
            env=environ,
            stderr=(folder / "log").open("wb"),
        )
        daemon = Daemon(process, port, folder)
        daemons.append(daemon)
        wait_until_ready(daemon)
        return daemon

    yield start
    for daemon in daemons:
        if daemon.process.poll() is None:
            daemon.process.terminate()
    for daemon in daemons:
        daemon.process.wait(HANG_GUARD_S)


@pytest.fixture(scope="session")
def daemon(start_daemon: StartDaemon) -> Daemon:
    """The usual daemon: loopback to the embedded SCP with the sample flow."""
    return start_daemon()


@pytest.fixture(scope="session")
def m3ua_pair(start_daemon: StartDaemon) -> tuple[Daemon, Daemon]:
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
    deadline = time.monotonic() + HANG_GUARD_S
    while time.monotonic() < deadline:
        status = tester.result("DescribeService")["gateways"][0]
        if status["state"] == "up":
            return tester, scp
        time.sleep(0.05)
    raise AssertionError(status)
