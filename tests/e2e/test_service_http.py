"""Metrics and health of a whole daemon, while it works and while it drains."""

import os
import re
import signal
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, example, running
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

WAIT_FOREVER = {
    "operations": [{"type": "wait", "arguments": {"seconds": 600}}],
    "distribution": {"type": "load", "total": 7, "backlog": 5},
}


def get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=HANG_GUARD_S) as got:
            return got.status, got.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def metric(page: str, sample: str) -> float:
    match = re.search(rf"^{re.escape(sample)} (\S+)$", page, re.MULTILINE)
    assert match, f"no {sample} in {page}"
    return float(match[1])


def test_what_happened_is_in_the_metrics(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, f'[http]\nlisten = "127.0.0.1:{port}"\n') as daemon:
        daemon.wait_for("daemon ready")  # connections are accepted a moment earlier
        assert get(port, "/healthz") == (200, "ok\n")
        assert get(port, "/readyz") == (200, "ready\n")
        daemon.run(example("extension_dialing"))
        daemon.result("ExecuteTest", {**WAIT_FOREVER, "run_id": "w"})
        assert daemon.call("QueryTest", {"run_id": "never"})["error"]["code"] == 2004
        _, page = get(port, "/metrics")
        assert metric(page, "tsvc_runs_started_total") == 2
        assert metric(page, "tsvc_runs_completed_total") == 1
        assert metric(page, 'tsvc_instances_finished_total{state="passed"}') == 1
        assert metric(page, "tsvc_instances_in_progress") == 5
        assert metric(page, 'tsvc_gateway_state{gateway="SIGTRAN",kind="sigtran",state="up"}') == 1
        assert metric(page, "tsvc_scp_calls_total") == 1
        assert metric(page, 'tsvc_rpc_requests_total{method="QueryTest",code="2004"}') == 1
        assert metric(page, 'tsvc_rpc_requests_total{method="ExecuteTest",code="0"}') == 2
        assert metric(page, "process_resident_memory_bytes") > 10 << 20
        assert metric(page, "tsvc_memory_ceiling_bytes") > 64 << 20, "derived from the machine"
        assert metric(page, "tsvc_runs_ended_for_memory_total") == 0
        # A cancelled run moves from "now" to the sums, and no sum falls.
        daemon.result("CancelTest", {"run_id": "w"})
        _, page = get(port, "/metrics")
        assert metric(page, "tsvc_instances_started_total") == 6
        assert metric(page, 'tsvc_instances_finished_total{state="cancelled"}') == 5
        assert metric(page, "tsvc_instances_in_progress") == 0


def test_a_draining_daemon_is_alive_and_not_ready(tmp_path: Path) -> None:
    port = free_port()
    with running(tmp_path, f'[http]\nlisten = "127.0.0.1:{port}"\n') as daemon:
        daemon.result("ExecuteTest", {**WAIT_FOREVER, "run_id": "w"})
        daemon.signal(signal.SIGTERM)
        daemon.wait_for("stopping signal=SIGTERM")
        assert get(port, "/healthz")[0] == 200
        assert get(port, "/readyz") == (503, "draining\n")
        refused = daemon.call("ExecuteTest", {**WAIT_FOREVER, "run_id": "x"})["error"]
        assert (refused["code"], refused["data"]["kind"]) == (2003, "draining")
        daemon.result("CancelTest", {"run_id": "w"})
        assert daemon.process.wait(HANG_GUARD_S) == 0


def test_memory_ceiling(tmp_path: Path) -> None:
    """A daemon of tens of MiB accepts no run with a limit of 20; reloaded without it, it does."""
    port = free_port()
    http = f'[http]\nlisten = "127.0.0.1:{port}"\n'
    with running(tmp_path, f"{http}[engine]\nmax_memory_mib = 20\n") as daemon:
        refused = daemon.call("ExecuteTest", {**WAIT_FOREVER, "run_id": "w"})["error"]
        assert (refused["code"], refused["data"]["kind"]) == (2003, "overload")
        reason = r"\d+ MiB of memory are in use, of 20 \(engine.max_memory_mib\)"
        assert re.fullmatch(reason, refused["message"])
        status, page = get(port, "/readyz")
        assert status == 503
        assert re.fullmatch(reason, page.strip())
        daemon.configure(f"{http}[engine]\nmax_memory_mib = 100000\n")
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        assert get(port, "/readyz") == (200, "ready\n")
        assert daemon.run(example("extension_dialing"))["verdict"] == "pass"


def test_a_port_that_is_taken_is_an_exit_status(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    local = f'[http]\nlisten = "127.0.0.1:{port}"\n'
    with (
        running(tmp_path / "one", local),
        pytest.raises(AssertionError) as refused,
        running(tmp_path / "two", local, answers=False),  # its other port is open earlier
    ):
        pass
    assert f"can't listen on 127.0.0.1 port {port}" in str(refused.value)
    # The port is bound before anything else.
    assert not os.path.exists(tmp_path / "two/state/archive.sqlite")


def test_one_clients_load_does_not_starve_anothers_queries(tmp_path: Path) -> None:
    """A load that wants the whole processor: queries are answered while it is in progress.

    Each query reads the archive in a thread, which must get processor time as well.
    """
    load = {
        "run_id": "load",
        "operations": [{"type": "eval", "expression": "{$i}"}],
        "distribution": {"type": "load", "total": 10**9, "backlog": 1000},
    }
    with running(tmp_path) as daemon:
        assert daemon.result("ExecuteTest", load) == "ok"
        for _ in range(100):
            assert daemon.call("QueryTest", {"run_id": "nobody's"})["error"]["code"] == 2004
        query = {"run_id": "load"}
        until(lambda: daemon.result("QueryTest", query)["counts"]["started"] > 1000)
        result = daemon.result("CancelTest", {"run_id": "load"})
        assert result["cancelled"] == 1, "it was in progress all the time"
