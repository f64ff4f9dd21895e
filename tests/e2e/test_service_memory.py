"""A daemon with a small memory limit: runs end before the daemon does, and it recovers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.daemons import DaemonProcess, example, running
from support.waiting import GUARD_S, until

pytestmark = pytest.mark.e2e

CEILING_MIB = 240
HOLD = {
    "operations": [{"type": "halt", "arguments": {"seconds": 600}}],
    "distribution": {"type": "load", "total": 100, "backlog": 100},
}
# Each instance stays below its own limit of 64 MiB: only together they use too much. Texts are
# long, so that memory grows and not the work.
GROW = {
    "operations": [
        {
            "type": "eval",
            "expression": "push @{$v->{a}}, map { uuid() . 'x' x 4000 } 1 .. 10",
            "label": "on",
        },
        {"type": "wait", "arguments": {"seconds": 0.02}},
        {"type": "branch", "expression": "1", "on_true": "on"},
    ],
    "distribution": {"type": "load", "total": 40, "backlog": 40},
}


def resident_mib(daemon: DaemonProcess) -> int:
    status = Path(f"/proc/{daemon.process.pid}/status").read_text()
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1]) // 1024


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[DaemonProcess]:
    with running(tmp_path, f"[engine]\nmax_memory_mib = {CEILING_MIB}\n") as made:
        yield made


@pytest.mark.slow
def test_the_run_that_takes_all_memory_is_ended(daemon: DaemonProcess) -> None:
    assert daemon.result("ExecuteTest", {**HOLD, "run_id": "other"}) == "ok"
    for number in range(3):
        run_id = f"growing {number}"
        assert daemon.result("ExecuteTest", {**GROW, "run_id": run_id}) == "ok"
        seen = [0.0]

        def is_over(seen: list[float] = seen) -> bool:
            seen.append(resident_mib(daemon))
            return bool(daemon.result("QueryAllTests")["tests"][-1]["completed"])

        until(is_over, 4 * GUARD_S, what=lambda: "it grows and grows")
        assert max(seen) < 2 * CEILING_MIB
        result = daemon.result("QueryTest", {"run_id": run_id})
        assert result["verdict"] == "abort"
        assert "ended to save the service" in result["first_aborts"][0]["reason"]
        assert result["counts"]["aborted"] == 40
        # The memory that it held is free again, for other runs and for the next run.
        assert daemon.run(example("extension_dialing"))["verdict"] == "pass"
    counts = daemon.result("CancelTest", {"run_id": "other"})["counts"]
    assert counts["cancelled"] == 100, "the others never noticed"
    assert daemon.result("DescribeService")["memory"]["runs_ended"] == 3
    assert daemon.log.count("run ended for lack of memory") == 3
    assert daemon.stop() == 0
    assert "incident" not in daemon.log
