"""limited_by: who keeps a linear run from its rate, and that it says so. The tester itself:
test_load_generator.py.
"""

from collections.abc import Iterator

import pytest
from support.daemons import FLOW, DaemonProcess, configure, launch
from support.loads import play_linear, prompted

pytestmark = pytest.mark.e2e

NOOP = [{"type": "eval", "expression": "$v->{a} = 1"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 0.2}}]
SLOW_SCP = prompted(0.3)
LOOPBACK = f'[scp]\nflows = ["{FLOW}"]\n[application.LAB]\nmodule = "sigtran"\n'


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    """A start is late only when it is grossly late: other work on this machine is no finding."""
    folder = tmp_path_factory.mktemp("daemon")
    daemon = launch(folder, configure(folder, "[engine]\nlate_ms = 100\n" + LOOPBACK))
    yield daemon
    daemon.kill()


def test_nothing_limits(daemon: DaemonProcess) -> None:
    result = play_linear(daemon, NOOP, total=100, backlog=100, cps=50)
    assert result["rate"]["limited_by"] is None
    assert result["rate"]["planned"] == 100
    assert 0 < result["generator"]["cpu"] < 1
    assert result["generator"]["loop_lag_ms"] >= 0, "sampled once a second"


def test_backlog(daemon: DaemonProcess) -> None:
    result = play_linear(daemon, WAIT, total=1000, backlog=10, cps=200, max_seconds=1)
    rate = result["rate"]
    assert rate["limited_by"] == "backlog"
    assert rate["planned"] == 200
    assert rate["never_started"] > 100
    assert rate["late"] >= 30, "all but the first ten"


def test_backlog_that_never_frees_up(daemon: DaemonProcess) -> None:
    forever = [{"type": "wait", "arguments": {"seconds": 1.5}}]
    rate = play_linear(daemon, forever, total=1000, backlog=10, cps=200, max_seconds=1)["rate"]
    assert (rate["started"], rate["late"], rate["never_started"]) == (10, 0, 190)
    assert rate["limited_by"] == "backlog", "no start was late because none was made"


def test_system_under_test(daemon: DaemonProcess) -> None:
    result = play_linear(daemon, SLOW_SCP, total=1000, backlog=20, cps=200, max_seconds=1)
    assert result["rate"]["limited_by"] == "sut"
    assert result["counts"]["aborted"] == result["counts"]["started"]
