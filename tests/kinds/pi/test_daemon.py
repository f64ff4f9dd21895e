"""A whole daemon with a PI application against `tsvc fake pi`, both as processes."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, running
from support.fakes import FakeProcess, fake_process
from support.waiting import until

pytestmark = pytest.mark.e2e

MSISDN = "6421000001"
PASSWORD = "Zq7-password-of-pi"
SETTINGS = {
    "username": "admin",
    "password": PASSWORD,
    "subscribers": {MSISDN: {"General Cash": 1000}},
    "replies": [
        {"command": "SLOW=QRY", "is_silent": True},
        {"command": "HALF=QRY", "info": "A=1,B=2", "closes_after": 12},
        {"command": "WAIT=QRY", "delay_s": 0.2, "info": "A=1", "packet_octets": 3},
    ],
}
LOCAL = """
[application."PI-1"]
module = "pi"
remote_host = "{fake.host}"
remote_port = {fake.port}
username = "admin"
password_file = "{secret}"
num_client_connections = 4
server_timeout_s = {seconds}
reconnect_interval_s = 0.2
"""
LOGGED = '[log]\nlevel = "debug"\n'


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeProcess]:
    with fake_process(tmp_path, "pi", **SETTINGS) as process:
        yield process


@pytest.fixture
def daemon(
    tmp_path: Path, fake: FakeProcess, request: pytest.FixtureRequest
) -> Iterator[DaemonProcess]:
    """A daemon that waits for answers for as long as its parameter says, or for a minute."""
    seconds = getattr(request, "param", HANG_GUARD_S)
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o600)
    local = LOGGED + LOCAL.format(fake=fake, secret=secret, seconds=seconds)
    with running(tmp_path, local) as started:
        until(lambda: gateway(started)["state"] == "up")
        yield started


def gateway(daemon: DaemonProcess) -> dict[str, Any]:
    found = daemon.result("DescribeService")["gateways"]
    return next(one for one in found if one["name"] == "PI-1")


def request(command: str, parameters: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    arguments = {"command": command, "parameters": parameters or {"MSISDN": MSISDN}}
    tests = more.pop("tests", [])
    return {"type": "ocncc.pi.Request", "arguments": {**arguments, **more}, "tests": tests}


def test_provision_and_look(daemon: DaemonProcess, fake: FakeProcess) -> None:
    """Add, query, change, delete; the ladder shows the commands, nothing shows the password."""
    new = {"MSISDN": "{$v->{number}}"}
    cash = {**new, "BALANCE_TYPE": "General Cash"}
    operations = [
        request("CCSCD1=QRY", new, status="NACK", info="88-6421555555 DOES NOT EXIST"),
        request("CCSCD1=ADD", {**cash, "BALANCE": 10}, status="ACK"),
        request("CCSCD1=CHG", {**cash, "BALANCE": "{$i->{PI}{fields}{BALANCE} * 2}"}),
        request(
            "CCSCD1=QRY",
            cash,
            tests=[{"kpath": "fields.BALANCE", "type": "integer", "value": 20}],
        ),
        request("CCSCD1=DEL", new, status="ACK"),
    ]
    params = {
        "vars": {"number": "6421555555"},
        "operations": operations,
        "trace_level": 3,
        "trace_messages": 1,
    }
    result = daemon.run(params, run_id="r")
    assert result["verdict"] == "pass", result["first_call_summary"]
    answers = [json.dumps(result)]
    for form in ("json", "text", "ladder"):
        trace = {"run_id": "r", "instance": 0, "format": form}
        answers.append(json.dumps(daemon.call("GetTrace", trace)))
    assert "CCSCD1=QRY" in answers[3]
    assert "NACK" in answers[3]
    for text in (*answers, daemon.log, fake.log):
        assert PASSWORD not in text


def test_load_over_few_connections(daemon: DaemonProcess, fake: FakeProcess) -> None:
    operations = [request("CCSCD1=QRY", status="ACK") for _ in range(3)]
    distribution = {"type": "linear", "total": 150, "backlog": 150, "cps": 150}
    result = daemon.run({"operations": operations, "distribution": distribution})
    assert result["counts"]["passed"] == 150, result["first_call_summary"]
    counters = gateway(daemon)["counters"]
    assert (counters["acks"], counters["failures"], counters["in_use"]) == (450, 0, 0)
    assert counters["connects"] <= 4
    until(lambda: fake.log.count("-> ACK MSISDN") == 450, what=lambda: fake.log)


@pytest.mark.parametrize(
    ("daemon", "command", "reason"),
    [
        (3, "SLOW=QRY", "PI-1: no answer within 3 s"),
        (60, "HALF=QRY", "PI-1: the server closed the connection in the middle of an answer"),
    ],
    indirect=["daemon"],
)
def test_trouble_aborts_the_instance_and_no_other(
    daemon: DaemonProcess, command: str, reason: str
) -> None:
    result = daemon.run({"operations": [request(command)]})
    assert (result["verdict"], result["first_call_summary"]["reason"]) == ("abort", reason)
    tests = [{"kpath": "raw", "value": "WAIT=QRY:ACK:A=1"}]
    beside = {"operations": [request("WAIT=QRY", tests=tests)]}
    # On a busy machine an answer may take longer than three seconds.
    until(lambda: daemon.run(beside)["verdict"] == "pass")


def test_a_server_that_dies_takes_only_those_that_wait(
    daemon: DaemonProcess, fake: FakeProcess, tmp_path: Path
) -> None:
    waiting = {
        "run_id": "waiting",
        "operations": [request("SLOW=QRY")],
        "distribution": {"type": "linear", "total": 3, "backlog": 3, "cps": 100},
    }
    beside = {"run_id": "beside", "operations": [{"type": "wait", "arguments": {"seconds": 2}}]}
    for params in (waiting, beside):
        assert daemon.result("ExecuteTest", params) == "ok"
    until(lambda: gateway(daemon)["counters"]["in_use"] == 3)
    fake.process.send_signal(signal.SIGKILL)
    fake.process.wait(HANG_GUARD_S)
    result = daemon.result("QueryTest", {"run_id": "waiting", "wait_s": 60})
    assert result["counts"]["aborted"] == 3
    assert "PI-1: the server closed the connection" in json.dumps(result)
    until(lambda: gateway(daemon)["state"] == "connecting")
    refused = daemon.call("ExecuteTest", {"run_id": "down", "operations": [request("A=B")]})
    assert refused["error"]["code"] == 2003
    assert "PI-1" in refused["error"]["message"]
    with fake_process(tmp_path, "pi", port=fake.port, **SETTINGS):
        until(lambda: gateway(daemon)["state"] == "up")
        assert (
            daemon.run({"operations": [request("CCSCD1=QRY", status="ACK")]})["verdict"] == "pass"
        )
    assert daemon.result("QueryTest", {"run_id": "beside", "wait_s": 60})["verdict"] == "pass"


def test_a_locked_user_is_told(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n")
    secret.chmod(0o600)
    with (
        fake_process(tmp_path, "pi", **SETTINGS, locked=["admin"]) as fake,
        running(tmp_path, LOGGED + LOCAL.format(fake=fake, secret=secret, seconds=60)) as daemon,
    ):
        until(lambda: gateway(daemon)["state"] == "down")
        until(lambda: "locked" in gateway(daemon)["detail"].lower())
        assert gateway(daemon)["detail"] == "login refused: 2-USER IS LOCKED"
        refused = daemon.call("ExecuteTest", {"run_id": "x", "operations": [request("A=B")]})
        assert refused["error"]["code"] == 2003
        assert "2-USER IS LOCKED" in refused["error"]["message"]
        assert PASSWORD not in daemon.log + json.dumps(refused)
