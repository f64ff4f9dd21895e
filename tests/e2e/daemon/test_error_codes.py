"""Each error code of the interface, provoked through the socket of a whole daemon."""

import uuid
from typing import Any

import pytest
from support.daemons import DaemonProcess, StartDaemon

PASS = [{"type": "pass"}]
WAIT = [{"type": "wait", "arguments": {"seconds": 30}}]


def params(**more: Any) -> dict[str, Any]:
    return {"run_id": uuid.uuid4().hex, "operations": PASS, **more}


def error(response: dict[str, Any]) -> dict[str, Any]:
    assert response["result"] is None
    assert response["id"] == 1
    found: dict[str, Any] = response["error"]
    assert isinstance(found["message"], str)
    return found


def test_1000_general(daemon: DaemonProcess) -> None:
    assert error(daemon.call("QueryAllTests", [1]))["code"] == 1000


def test_1001_unknown_method_is_named(daemon: DaemonProcess) -> None:
    found = error(daemon.call("executetest", {}))
    assert found["code"] == 1001
    assert "executetest" in found["message"]


@pytest.mark.parametrize(
    "method", ["ExecuteTest", "QueryTest", "CancelTest", "ResumeInstance", "GetTrace"]
)
@pytest.mark.parametrize("given", [{}, {"run_id": None}, {"run_id": ""}, None])
def test_2000_run_id_missing(daemon: DaemonProcess, method: str, given: Any) -> None:
    assert error(daemon.call(method, given))["code"] == 2000


def test_2001_run_id_in_use(daemon: DaemonProcess) -> None:
    running = params(operations=WAIT)
    assert daemon.result("ExecuteTest", running) == "ok"
    found = error(daemon.call("ExecuteTest", {"run_id": running["run_id"]}))
    assert found["code"] == 2001, "in use goes before a wrong definition"
    assert daemon.result("CancelTest", {"run_id": running["run_id"]})["cancelled"] == 1
    assert daemon.result("ExecuteTest", {**running, "operations": PASS}) == "ok"
    daemon.result("QueryTest", {"run_id": running["run_id"], "wait_s": 60})


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"operations": []}, "operations"),
        ({"operations": [{"type": "inap.ssp_to_scp.InitialDQ"}]}, "operations[0].type"),
        ({"operations": [{"type": "eval", "expression": "1 +"}]}, "operations[0].expression"),
        (
            {"operations": [{"type": "branch", "expression": "1", "on_true": "x"}]},
            "operations[0].on_true",
        ),
        ({"scp": {"dssn": 256}}, "params.scp.dssn"),
        ({"distribution": {"type": "linear", "total": 1}}, "params.distribution.backlog"),
        ({"trace_level": 4}, "params.trace_level"),
        ({"operatons": []}, "params.operatons"),
        ({"flow": {"operations": {}}}, "flow"),
    ],
)
def test_2002_names_the_place(daemon: DaemonProcess, wrong: dict[str, Any], place: str) -> None:
    found = error(daemon.call("ExecuteTest", params(**wrong)))
    assert found["code"] == 2002
    assert any(place in path for path in found["data"]["fields"]), found


def test_2002_unknown_gateway_name(daemon: DaemonProcess) -> None:
    wrong = params(operations=[{"type": "inap.ssp_to_scp.InitialDP"}], sigtran="SIGTRAM")
    found = error(daemon.call("ExecuteTest", wrong))
    assert found["code"] == 2002
    assert 'did you mean "SIGTRAN"?' in str(found["data"]["fields"])


def test_2003_lock_taken_and_released(daemon: DaemonProcess) -> None:
    holder = params(operations=WAIT, locks=[{"key": "number 1"}])
    assert daemon.result("ExecuteTest", holder) == "ok"
    wanting = params(vars={"n": 1}, locks=[{"key": "free"}, {"key": "{'number ' . $v->{n}}"}])
    found = error(daemon.call("ExecuteTest", wanting))
    assert found["code"] == 2003
    assert found["data"] == {
        "kind": "lock.taken",
        "key": "number 1",
        "holder": holder["run_id"],
    }
    assert list(daemon.result("DescribeService")["locks"]) == ["number 1"], "all or none"
    daemon.result("CancelTest", {"run_id": holder["run_id"]})
    assert daemon.run(wanting)["verdict"] == "pass"


def test_2003_gateway_down(start_daemon: StartDaemon) -> None:
    daemon = start_daemon(
        """
[application.LAB]
module = "sigtran"
default_scp = { dpc = 2, dssn = 146 }
connections = [{ name = "nobody", type = "m3ua", remote_port = 1 }]
""",
        loopback=False,
    )
    wanting = params(
        operations=[{"type": "inap.ssp_to_scp.InitialDP", "arguments": {"serviceKey": 1}}]
    )
    found = error(daemon.call("ExecuteTest", wanting))
    assert (found["code"], found["data"]["kind"]) == (2003, "gateway.down")
    assert daemon.run(params())["verdict"] == "pass", "needs no gateway"


@pytest.mark.parametrize("method", ["QueryTest", "CancelTest", "GetTrace"])
def test_2004_unknown_run(daemon: DaemonProcess, method: str) -> None:
    assert error(daemon.call(method, {"run_id": "never seen"}))["code"] == 2004


def test_2004_resume_unknown_run(daemon: DaemonProcess) -> None:
    found = error(daemon.call("ResumeInstance", {"run_id": "never seen", "instance_id": "0"}))
    assert found["code"] == 2004
