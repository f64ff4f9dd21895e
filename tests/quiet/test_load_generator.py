"""limited_by: the tester itself keeps a linear run from its rate, and says so."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import DaemonProcess, running
from support.loads import play_linear

pytestmark = pytest.mark.e2e

BUSY = [
    {"type": "eval", "label": "again", "expression": "$v->{n} += 1"},
    {"type": "branch", "expression": "$v->{n} < 40000", "on_true": "again"},
]


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    with running(tmp_path) as made:
        yield made


def test_a_busy_loop(daemon: DaemonProcess) -> None:
    """Starts are late although there is a place: by more than the usual 5 ms."""
    loop = {"type": "load", "total": 10_000, "backlog": 8}
    busy = {"run_id": "busy", "operations": BUSY, "distribution": loop}
    assert daemon.result("ExecuteTest", busy) == "ok"
    noop = [{"type": "eval", "expression": "$v->{a} = 1"}]
    result = play_linear(daemon, noop, total=500, backlog=500, cps=250)
    daemon.result("CancelTest", {"run_id": "busy"})
    assert result["rate"]["limited_by"] == "generator"
    assert result["rate"]["late"] > 5
    assert result["generator"]["cpu"] > 0.3, "even if others have the processor as well"
