"""`tsvc fake esme` as a process, bound to a daemon that acts as the SMSC."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, running
from support.fakes import COMMAND, FakeProcess, fake_process
from support.ports import free_port, listens
from support.waiting import until

pytestmark = pytest.mark.e2e

BALANCE = {
    "source_addr": "6421000001",
    "destination_addr": "777",
    "short_message_text": "balance?",
}


@pytest.fixture(scope="module")
def smsc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DaemonProcess, int]]:
    """A daemon with an SMSC of one account, and the port of the SMSC."""
    port = free_port()
    table = f"""
        [application.SMSC01]
        module = "smpp"
        port = {port}
        accounts = [{{ system_id = "esme", password = "s3cret" }}]
    """
    with running(tmp_path_factory.mktemp("smsc"), table) as daemon:
        until(lambda: listens(port))
        yield daemon, port


def register(**more: Any) -> dict[str, Any]:
    arguments = {"pdu": "submit_sm", "destination_addr": "777"}
    return {"type": "smpp.smsc_from_esme.Register", "arguments": arguments, **more}


def submitted(text: str, **response: Any) -> dict[str, Any]:
    arguments = {
        "pdu": "submit_sm",
        "seconds": 10,
        "parameters": {"source_addr": "6421000001", "short_message_text": text},
    }
    if response:
        arguments["response"] = response
    return {"type": "smpp.smsc_from_esme.Request", "arguments": arguments}


def delivered(**test: Any) -> dict[str, Any]:
    parameters = {
        "source_addr": "777",
        "destination_addr": "6421000001",
        "short_message_text": "balance 12.50",
    }
    return {
        "type": "smpp.smsc_to_esme.Request",
        "arguments": {"pdu": "deliver_sm", "parameters": parameters},
        "tests": [{"kpath": "command_status", "type": "integer", **test}],
    }


def says(fake: FakeProcess, text: str) -> str:
    until(lambda: text in fake.log, what=lambda: fake.log)
    return fake.log


def passes(result: dict[str, Any]) -> None:
    assert result["verdict"] == "pass", result["first_call_summary"]


def test_it_binds_answers_and_replies(smsc: tuple[DaemonProcess, int], tmp_path: Path) -> None:
    daemon, port = smsc
    settings = {"password": "s3cret", "reply_text": "thanks"}
    with fake_process(tmp_path, "esme", port, **settings) as fake:
        daemon.until_up(["SMSC01"])
        passes(daemon.run({"operations": [register(), delivered(value=0), submitted("thanks")]}))
        log = says(fake, "submit_sm_resp ESME_ROK ")
        assert fake.stop() == 0
    assert log.splitlines()[0] == f"tsvc fake esme connects to 127.0.0.1:{port}"
    assert log.splitlines()[1:4] == [
        "bound as transceiver",
        "deliver_sm 777 -> 6421000001: balance 12.50 -> ESME_ROK",
        "submit_sm 6421000001 -> 777: thanks",
    ]
    assert "s3cret" not in log


def test_it_refuses_what_it_is_told_to(smsc: tuple[DaemonProcess, int], tmp_path: Path) -> None:
    daemon, port = smsc
    settings = {"password": "s3cret", "answer": "ESME_RMSGQFUL"}
    with fake_process(tmp_path, "esme", port, **settings):
        daemon.until_up(["SMSC01"])
        passes(daemon.run({"operations": [delivered(value=20)]}))


def test_it_submits_at_a_rate(smsc: tuple[DaemonProcess, int], tmp_path: Path) -> None:
    """It begins when it is bound: the run waits for the bind, and for each of the messages."""
    daemon, port = smsc
    texts = ["balance?", "again"] * 2
    operations = [register(), *(submitted(text) for text in texts[:-1])]
    operations.append(submitted(texts[-1], command_status="ESME_RTHROTTLED"))
    params = {"operations": operations, "run_id": "submits"}
    settings = {
        "password": "s3cret",
        "messages": [BALANCE, {**BALANCE, "short_message_text": "again"}],
        "count": 4,
        "per_s": 50,
    }
    with fake_process(tmp_path, "esme", port, password="s3cret"):
        daemon.until_up(["SMSC01"])
        assert daemon.result("ExecuteTest", params) == "ok"
        with fake_process(tmp_path, "esme", port, **settings) as fake:
            passes(daemon.result("QueryTest", {"run_id": "submits", "wait_s": HANG_GUARD_S}))
            log = says(fake, "submit_sm_resp ESME_RTHROTTLED")
    assert log.count("submit_sm 6421000001 -> 777: ") == 4


def test_a_password_that_is_wrong(smsc: tuple[DaemonProcess, int], tmp_path: Path) -> None:
    _, port = smsc
    with fake_process(tmp_path, "esme", port, password="no") as fake:
        says(fake, "bind refused: ESME_R")
        assert "bound as" not in fake.log


def test_it_connects_again(tmp_path: Path) -> None:
    """There is no peer at first; then a daemon, which ends, and another daemon."""
    port = free_port()
    table = f'[application.SMSC01]\nmodule = "smpp"\nport = {port}\n'
    with fake_process(tmp_path, "esme", port, reconnect_s=0.05) as fake:
        says(fake, "not connected: ")
        for turn in (1, 2):
            with running(tmp_path / str(turn), table) as daemon:
                daemon.until_up(["SMSC01"])
                until(lambda turn=turn: fake.log.count("bound as") == turn)
        assert fake.stop() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_lines_of_somebody(
    smsc: tuple[DaemonProcess, int], tmp_path: Path, number: signal.Signals
) -> None:
    daemon, port = smsc
    arguments = ["esme", "--port", str(port), "--verbose", "--set", "password=s3cret"]
    command = [*COMMAND, *arguments, "--set", "lines=true"]
    log = tmp_path / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=out, stderr=out, cwd=ROOT
        )
    try:
        daemon.until_up(["SMSC01"])
        operations = [register(), submitted("what is my balance?")]
        run_id = f"lines {number}"
        assert daemon.result("ExecuteTest", {"operations": operations, "run_id": run_id}) == "ok"
        started = {"run_id": run_id, "collect": 0}
        until(lambda: daemon.result("QueryTest", started)["counts"]["in_progress"])
        assert process.stdin is not None
        process.stdin.write(b"nonsense\n6421000001 777 what is my balance?\n")
        process.stdin.flush()
        passes(daemon.result("QueryTest", {"run_id": run_id, "wait_s": HANG_GUARD_S}))
        until(lambda: "submit_sm_resp ESME_ROK" in log.read_text())
        assert "a line is SOURCE DESTINATION TEXT" in log.read_text()
        process.send_signal(number)
        assert process.wait(HANG_GUARD_S) == 0
    finally:
        process.kill()
        process.communicate()
