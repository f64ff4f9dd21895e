"""tsvc status and /readyz give one answer: whether a run can start now."""

import signal
import urllib.error
import urllib.request

import pytest
from support.commands import tsvc
from support.daemons import HANG_GUARD_S, StartDaemon
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

HALTED = {"operations": [{"type": "halt", "arguments": {"seconds": 600}}]}


def readiness(port: int) -> tuple[int, str]:
    """Return the status and the text of /readyz."""
    try:
        with urllib.request.urlopen(
            f"http://127.0.0.1:{port}/readyz", timeout=HANG_GUARD_S
        ) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_a_daemon_that_drains_is_not_ready(start_daemon: StartDaemon) -> None:
    port = free_port()
    daemon = start_daemon(f'[http]\nlisten = "127.0.0.1:{port}"\n')
    until(lambda: readiness(port) == (200, "ready\n"))
    found = tsvc(daemon, "status")
    assert found.returncode == 0, found.stdout
    assert "no run can start" not in found.stdout

    daemon.result("ExecuteTest", {"run_id": "halted", **HALTED})
    daemon.signal(signal.SIGTERM)
    until(lambda: readiness(port) == (503, "draining\n"))
    found = tsvc(daemon, "status")
    assert found.returncode == 1
    assert "  no run can start: draining\n" in found.stdout
    daemon.kill()
