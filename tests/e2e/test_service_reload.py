"""SIGHUP while calls run: unchanged parts continue, changed ones restart, errors do nothing."""

import signal
import socket
from pathlib import Path

import pytest
from support.daemons import FLOW, LOOPBACK, DaemonProcess, example, running
from support.waiting import until

pytestmark = pytest.mark.e2e

OTHER = """
[application."OTHER"]
module = "sigtran"
opc = {opc}
connections = [{{ name = "loopback", type = "loopback" }}]
"""


def start_load(daemon: DaemonProcess, run_id: str, gateway: str, total: int) -> None:
    definition = {
        **example("extension_dialing"),
        "sigtran": gateway,
        "run_id": run_id,
        "distribution": {"type": "linear", "total": total, "backlog": 1000, "cps": 100},
    }
    assert daemon.result("ExecuteTest", definition) == "ok"


def counts(daemon: DaemonProcess, run_id: str) -> dict[str, int]:
    listed = daemon.result("QueryAllTests")["tests"]
    (found,) = [one["counts"] for one in listed if one["run_id"] == run_id]
    return found


def wait_for_passed(daemon: DaemonProcess, run_id: str, number: int) -> None:
    until(lambda: counts(daemon, run_id)["passed"] >= number)


def test_reload_under_load_loses_nothing_of_what_did_not_change(tmp_path: Path) -> None:
    main = LOOPBACK.format(flow=FLOW)
    with running(tmp_path, OTHER.format(opc=3), main) as daemon:
        start_load(daemon, "calls", "SIGTRAN", 600)
        wait_for_passed(daemon, "calls", 50)
        for number in range(1, 6):  # OTHER restarts each time
            daemon.configure(OTHER.format(opc=10 + number) + f"[rpc]\nclient_burst = {number}00\n")
            daemon.signal(signal.SIGHUP)
            daemon.wait_for("configuration reloaded", times=number)
            wait_for_passed(daemon, "calls", 50 + 40 * number)
        # Errors of every kind: syntax, key, gateway, flow. One line each, and nothing else.
        for times, broken in enumerate(
            (
                "[[[",
                "[rpc]\nprot = 1\n",
                OTHER.format(opc='"x"'),
                '[application.OTHER]\nmodule = "sigtrann"\n',
                OTHER.format(opc=3) + '[scp.srf]\nend_digit = "##"\n',
            ),
            start=1,
        ):
            daemon.configure(broken)
            daemon.signal(signal.SIGHUP)
            daemon.wait_for("not reloaded", times=times)
            names = [one["name"] for one in daemon.result("DescribeService")["gateways"]]
            assert names == ["SIGTRAN", "OTHER"]
        result = daemon.result("QueryTest", {"run_id": "calls", "wait_s": 60})
        assert result["completed"] == 1
        assert result["verdict"] == "pass"
        assert result["counts"]["passed"] == 600
        lines = [line for line in daemon.log.splitlines() if "not reloaded" in line]
        assert len(lines) == 5
        assert all("problems=" in line and "Traceback" not in line for line in lines)
        assert "local.toml" in lines[0]
        assert 'did you mean \\"port\\"' in lines[1]
        daemon.configure(OTHER.format(opc=3))
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded", times=6)
        start_load(daemon, "after", "OTHER", 20)
        result = daemon.result("QueryTest", {"run_id": "after", "wait_s": 60})
        assert result["counts"]["passed"] == 20


def test_a_changed_gateway_restarts_with_the_runs_on_it(tmp_path: Path) -> None:
    with running(tmp_path, OTHER.format(opc=3)) as daemon:
        hold = {
            "sigtran": "OTHER",
            "operations": [
                *example("extension_dialing")["operations"][:1],
                {"type": "wait", "arguments": {"seconds": 600}},
            ],
        }
        assert daemon.result("ExecuteTest", {**hold, "run_id": "held"}) == "ok"
        daemon.configure(OTHER.format(opc=4))
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        start_load(daemon, "new", "OTHER", 5)
        result = daemon.result("QueryTest", {"run_id": "new", "wait_s": 60})
        assert result["counts"]["passed"] == 5
        daemon.result("CancelTest", {"run_id": "held"})


def test_the_log_level_and_form_change_at_run_time(tmp_path: Path) -> None:
    with running(tmp_path, '[log]\nlevel = "warning"\n') as daemon:
        daemon.run(example("extension_dialing"))
        assert "run completed" not in daemon.log
        daemon.configure('[log]\nlevel = "info"\nformat = "json"\n')
        daemon.signal(signal.SIGHUP)
        daemon.wait_for('"event": "configuration reloaded"')
        daemon.run(example("extension_dialing"))
        assert '"event": "run completed"' in daemon.log


def test_a_port_that_the_scp_can_not_have_is_logged_and_the_rest_goes_on(tmp_path: Path) -> None:
    with running(tmp_path) as daemon, socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        daemon.configure(f'[scp]\nlisten = ["m3ua+tcp://127.0.0.1:{port}"]\n')
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        assert "SCP does not listen" in daemon.log
        assert daemon.run(example("extension_dialing"))["verdict"] == "pass"
