"""A daemon of ours with a link to jSS7, and the entries and verdicts of its definitions."""

from dataclasses import dataclass
from typing import Any

from peers.jss7.bridge import JavaObject
from peers.jss7.stack import Cap, Map
from support.daemons import HANG_GUARD_S, DaemonProcess, Params
from support.waiting import until

TESTER = """
[application.LINK]
module = "sigtran"
opc = 1
default_scp = {{ dpc = 2, dssn = 146 }}
connections = [{{ name = "jss7", type = "m3ua", remote_port = {port}, local_port = {own} }}]
"""
IDP: Params = {
    "type": "inap.ssp_to_scp.InitialDP",
    "arguments": {
        "serviceKey": 45,
        "calledPartyNumber_digits": "0800432900",
        "callingPartyNumber_digits": "6421000001",
        "eventTypeBCSM": 2,
    },
}
HALT: Params = {"type": "halt", "arguments": {"seconds": 600}}


@dataclass
class Link:
    """A tester whose link ends at jSS7."""

    tester: DaemonProcess
    cap: Cap
    map: Map
    tcap: JavaObject
    _runs: int = 0

    def __post_init__(self) -> None:
        self.java = self.cap.node.java

    def start(self, *operations: Params, **params: Any) -> str:
        """Start a run and return its run_id. The test itself performs jSS7's part afterwards."""
        self.java.forget()
        self._runs += 1
        run_id = f"run {self._runs}"
        given = {"run_id": run_id, "operations": list(operations), **params}
        assert self.tester.result("ExecuteTest", given) == "ok"
        return run_id

    def until_started(self, run_id: str) -> None:
        """Wait until an instance has made its first step, which registers it for a BEGIN."""
        query = {"run_id": run_id}
        until(lambda: self.tester.result("QueryTest", query)["counts"]["started"])

    def received(self) -> int:
        """Return how many messages the tester has received from jSS7."""
        count: int = self.tester.gateways()["LINK"]["counters"]["received"]
        return count

    def resume(self, run_id: str) -> None:
        """Resume the only instance, which halts or is about to halt."""
        query = {"run_id": run_id}
        until(lambda: self.tester.result("QueryTest", query)["halted"])
        (halted,) = self.tester.result("QueryTest", query)["halted"]
        given = {**query, "instance_id": halted["instance_id"]}
        assert self.tester.result("ResumeInstance", given) == {"resumed": 1}

    def finish(self, run_id: str) -> Params:
        """Return the result of a run when it is completed."""
        query = {"run_id": run_id, "wait_s": HANG_GUARD_S}
        result: Params = self.tester.result("QueryTest", query)
        assert result["completed"] == 1, result
        return result


# -- entries of definitions, and what became of them ---------------------------------------------


def got(name: str, arguments: Params | None = None, **more: object) -> Params:
    """Return the entry of a definition that expects an operation of the SCP."""
    entry: Params = {"type": f"inap.ssp_from_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def send(name: str, arguments: Params | None = None, **more: object) -> Params:
    """Return the entry of a definition that sends an operation to the SCP."""
    entry: Params = {"type": f"inap.ssp_to_scp.{name}", **more}
    return entry if arguments is None else {**entry, "arguments": arguments}


def assert_passed(result: Params) -> None:
    assert result["verdict"] == "pass", (reason(result), failed(result))


def failed(result: Params) -> list[str]:
    """Return the texts of the failed checks."""
    log = result["first_call_summary"]["check_log"]
    return [entry["text"] for entry in log if entry["level"] == "fail"]


def reason(result: Params) -> str:
    """Return the reason why the instance ended without a pass."""
    return str(result["first_call_summary"].get("reason"))
