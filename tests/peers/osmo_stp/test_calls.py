"""Calls through osmo-stp over the kernel's SCTP: a tester and `tsvc scp` are its ASPs.

If the kernel has no SCTP, test_sctp_guest.py runs this file in a kernel that has it.
"""

import base64
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from peers.osmo_stp.stp import OSMO_STP, SHARED, Stp, application, call, paced
from support.daemons import FLOW, HANG_GUARD_S, ROOT, DaemonProcess, Params, configure, launch
from support.links import PATIENT
from support.ports import free_port
from support.user_mode_linux import has_sctp
from support.waiting import until

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(
        not has_sctp() or OSMO_STP is None,
        reason="no SCTP or osmo-stp here; see test_sctp_guest.py",
    ),
]

PORTS = {3001, 3011}
REFUSED = "ERR 0x19 (invalid routing context)"


class Lab:
    """osmo-stp between a tester and an SCP."""

    def __init__(self, folder: Path) -> None:
        self.stp = Stp(folder)
        self._scp: subprocess.Popen[bytes] | None = None
        text = (
            PATIENT
            + application("STP", 1, ("a", 3001, SHARED), ("b", 3011, SHARED))
            + application("WRONG", 4, ("wrong", 3021, "routing_context = 99"))
            + application("KEYS", 3, ("keys", 3031, "routing_keys = [{ dpc = 3 }]"))
        )
        try:
            self.scp = self._start_scp(folder / "scp")
            self.tester = launch(folder / "tester", configure(folder / "tester", text))
        except BaseException:
            self.stop()
            raise

    def _start_scp(self, folder: Path) -> DaemonProcess:
        folder.mkdir()
        port = free_port()
        url = "m3ua+sctp://127.0.0.1:2905?rc=22&pc=2&host=127.0.0.1&port=3002"
        options = ["--flow", str(FLOW), "--connect", url, "--port", str(port)]
        with (folder / "log").open("ab") as log:
            command = [sys.executable, "-m", "tsvc.cli.main", "scp", *options]
            self._scp = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        return DaemonProcess(self._scp, port, folder)

    def links(self) -> list[int]:
        """Return the numbers of active associations: SCP, tester, registered key."""
        gateways = self.tester.gateways()
        try:
            scp = int(self.scp.result("DescribeService")["scp"]["links_active"])
        except OSError:
            scp = 0
        return [scp, *(gateways[name]["counters"]["links_active"] for name in ("STP", "KEYS"))]

    def seen(self) -> int:
        """Return how many calls the SCP has seen."""
        return int(self.scp.result("DescribeService")["scp"]["calls"])

    def wait(self) -> None:
        """Wait until all associations are active."""
        until(lambda: self.links() == [1, 2, 1], what=self.tester.gateways)

    def calls(self, total: int, gateway: str = "STP") -> Params:
        """Return the completed run of a load."""
        return self.tester.run(call(gateway), distribution=paced(total))

    def stop(self) -> None:
        """End everything."""
        if hasattr(self, "tester"):
            self.tester.kill()
        if self._scp is not None:
            self._scp.terminate()
            self._scp.wait()
        self.stp.kill()


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    made = Lab(tmp_path_factory.mktemp("stp"))
    try:
        made.wait()
        yield made
    finally:
        made.stop()


def test_one_call_by_each_association(lab: Lab) -> None:
    ports = set()
    for run_id in ("first", "second"):  # one SLS after the other
        result = lab.tester.run(call(), run_id=run_id)
        assert result["verdict"] == "pass", result["first_call_summary"]
        trace = lab.tester.result("GetTrace", {"run_id": run_id, "format": "pcap"})
        octets = base64.b64decode(trace["content"])
        ports |= {port for port in PORTS if port.to_bytes(4) in octets}
    assert ports == PORTS
    assert lab.scp.result("DescribeService")["scp"]["problems"] == []


def test_calls_over_two_associations(lab: Lab) -> None:
    result = lab.calls(100)
    assert result["counts"]["passed"] == 100, result


def test_a_wrong_routing_context_is_told_in_the_words_of_osmo_stp(lab: Lab) -> None:
    def detail() -> str:
        return str(lab.tester.gateways()["WRONG"]["detail"])

    until(lambda: REFUSED in detail(), what=detail)
    refusal = lab.tester.call("ExecuteTest", {**call("WRONG"), "run_id": "wrong"})["error"]
    assert REFUSED in refusal["message"]
    assert REFUSED in lab.tester.log


def test_a_registered_routing_key(lab: Lab) -> None:
    result = lab.calls(10, gateway="KEYS")
    assert result["counts"]["passed"] == 10, result


def test_osmo_stp_is_killed_and_started_again_in_the_middle_of_a_run(lab: Lab) -> None:
    def counts() -> dict[str, int]:
        return dict(lab.tester.result("QueryTest", {"run_id": "killed"})["counts"])

    # The run lasts until it is cancelled: however long a step takes, it is still in progress.
    params = {**call(), "run_id": "killed", "distribution": paced(5000)}
    before = lab.seen()
    assert lab.tester.result("ExecuteTest", params) == "ok"
    until(lambda: lab.seen() >= before + 25)
    lab.stp.kill()
    until(lambda: lab.links() == [0, 0, 0], what=lab.links)
    until(lambda: counts()["aborted"] > 0, what=counts)
    lab.stp.start()
    lab.wait()
    passed = counts()["passed"]
    assert passed > 0
    until(lambda: counts()["passed"] > passed, what=counts)
    lab.tester.result("CancelTest", {"run_id": "killed"})
    result = lab.tester.result("QueryTest", {"run_id": "killed", "wait_s": HANG_GUARD_S})
    assert result["completed"] == 1
    verdicts = ("passed", "failed", "aborted", "cancelled")
    assert sum(result["counts"][one] for one in verdicts) == result["counts"]["started"]
    assert "association lost" in lab.tester.log
    lab.wait()
    assert lab.tester.run(call())["verdict"] == "pass"
