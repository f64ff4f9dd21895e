"""A daemon as SMSC, and smpplib as the ESME; the daemon is a process of its own."""

import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from smpplib.client import Client
from smpplib.exceptions import PDUError
from support.daemons import HANG_GUARD_S, DaemonProcess, StartDaemon
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

SMSC = """
[application."SMSC01"]
module = "smpp"
port = {port}
accounts = [{{ system_id = "esme1" }}]
password_file = "{password}"
"""
CONVERSATION: dict[str, Any] = {
    "operations": [
        {
            "type": "smpp.smsc_from_esme.Register",
            "arguments": {"pdu": "submit_sm", "destination_addr": "777"},
        },
        {
            "type": "smpp.smsc_to_esme.Request",
            "arguments": {
                "pdu": "deliver_sm",
                "parameters": {
                    "source_addr": "777",
                    "destination_addr": "64211",
                    "short_message_text": "who are you?",
                },
            },
            "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
        },
        {
            "type": "smpp.smsc_from_esme.Request",
            "arguments": {
                "pdu": "submit_sm",
                "seconds": HANG_GUARD_S,
                "parameters": {"source_addr": "64211", "short_message_text": "me"},
                "response": {"fields": {"message_id": "m1"}},
            },
        },
    ]
}


@pytest.fixture
def smsc(tmp_path: Path, start_daemon: StartDaemon) -> Iterator[tuple[DaemonProcess, int]]:
    port = free_port()
    password = tmp_path / "password"
    password.write_text("geheim\n")
    password.chmod(0o600)
    password.chmod(0o600)
    daemon = start_daemon(SMSC.format(port=port, password=password), loopback=False)
    until(lambda: daemon.result("DescribeService")["gateways"][0]["state"] != "down")
    yield daemon, port
    daemon.stop()


@pytest.fixture
def esme(smsc: tuple[DaemonProcess, int]) -> Iterator[Any]:
    client = Client("127.0.0.1", smsc[1], timeout=HANG_GUARD_S, allow_unknown_opt_params=True)
    client.connect()
    yield client
    client.disconnect()


def test_a_conversation(smsc: tuple[DaemonProcess, int], esme: Any) -> None:
    daemon, _ = smsc
    esme.bind_transceiver(system_id="esme1", password="geheim")
    delivered: list[Any] = []
    answered: list[Any] = []
    esme.set_message_received_handler(lambda pdu: delivered.append(pdu))
    esme.set_message_sent_handler(lambda pdu: answered.append(pdu))
    run_id = uuid.uuid4().hex
    params = {**CONVERSATION, "run_id": run_id, "trace_messages": 1}
    assert daemon.result("ExecuteTest", params) == "ok"
    esme.read_once()
    assert delivered[0].short_message == b"who are you?"
    esme.send_message(source_addr="64211", destination_addr="777", short_message=b"me")
    esme.read_once()
    assert answered[0].message_id == b"m1"
    result = daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
    summary = result["first_call_summary"]
    assert result["verdict"] == "pass", (summary["reason"], summary["check_log"])
    titles = [message["title"] for message in summary["messages"] if message["protocol"] == "smpp"]
    assert titles == ["deliver_sm", "deliver_sm_resp", "submit_sm", "submit_sm_resp"]
    esme.unbind()


def test_a_wrong_password(smsc: tuple[DaemonProcess, int], esme: Any) -> None:
    with pytest.raises(PDUError) as refused:
        esme.bind_transceiver(system_id="esme1", password="falsch")
    assert refused.value.args[1] == 0x0E
    daemon, _ = smsc
    (status,) = daemon.result("DescribeService")["gateways"]
    assert (status["state"], status["counters"]["binds_refused"]) == ("connecting", 1)
    assert "geheim" not in (daemon.folder / "log").read_text()
