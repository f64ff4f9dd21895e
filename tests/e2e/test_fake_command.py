"""`tsvc fake`: reports where it listens, serves, prints requests, and ends when it is asked to."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT
from support.fakes import COMMAND, fake_process

from tsvc.commands.fake import KINDS

pytestmark = pytest.mark.e2e


def talk(host: str, port: int, octets: bytes, until: bytes) -> bytes:
    with socket.create_connection((host, port), timeout=HANG_GUARD_S) as sock:
        sock.sendall(octets)
        received = b""
        while not received.endswith(until):
            part = sock.recv(1000)
            assert part, received
            received += part
        return received


def test_the_command_knows_every_kind() -> None:
    assert set(KINDS) == {"diameter", "esme", "osd", "pi", "rest"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "esme"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_and_ends(tmp_path: Path, kind: str, number: signal.Signals) -> None:
    with fake_process(tmp_path, kind) as fake:
        socket.create_connection((fake.host, fake.port), timeout=HANG_GUARD_S).close()
        fake.process.send_signal(number)
        assert fake.process.wait(HANG_GUARD_S) == 0
        assert "Traceback" not in fake.log


def test_a_line_for_each_request(tmp_path: Path) -> None:
    settings = {"username": "u", "password": "s3cret", "subscribers": {"21": {"Cash": 5}}}
    with fake_process(tmp_path, "pi", **settings) as fake:
        answer = talk(fake.host, fake.port, b"u,s3cret;CCSCD1=QRY:MSISDN=21;", b"5;")
        assert answer == b"ACK;CCSCD1=QRY:ACK:MSISDN=21,BALANCE_TYPE=Cash,BALANCE=5;"
        assert fake.stop() == 0
        assert fake.log.splitlines()[1:3] == [
            "login u -> ACK",
            "CCSCD1=QRY:MSISDN=21 -> ACK MSISDN=21,BALANCE_TYPE=Cash,BALANCE=5",
        ]
        assert "s3cret" not in fake.log


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["pi", "--set", "usernam=x"], 'usernam: unknown member; did you mean "username"?'),
        (["pi", "--set", "username"], "must be KEY=VALUE"),
        (["pi", "--set", "subscribers={"], "--set subscribers: "),
        (["xyz"], "'xyz' is not one of"),
        (["esme"], "--port is needed: where the tester listens"),
        (["esme", "--port", "1", "--set", "answer=5x"], "answer: "),
        (["esme", "--port", "1", "--set", 'messages=[{"a": 1}]'], "messages[0]: a: "),
        (["esme", "--port", "1", "--set", "messages=[5]"], "messages[0]: "),
    ],
)
def test_mistakes(arguments: list[str], text: str) -> None:
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, timeout=HANG_GUARD_S, cwd=ROOT
    )
    assert done.returncode == 2
    assert text in done.stderr


def test_settings_of_a_file_and_of_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"username": "a", "password": "0123"}))
    arguments = ["pi", "--settings", str(file), "--set", "username=b", "--set", "locked=[]"]
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=log)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline().rpartition(b":")[2])
        assert talk("127.0.0.1", port, b"a,0123;", b";").startswith(b"NACK")
        assert talk("127.0.0.1", port, b"b,0123;", b";") == b"ACK;"
    finally:
        process.kill()
        process.communicate()


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        done = subprocess.run(
            [*COMMAND, "pi", "--port", port], capture_output=True, text=True, timeout=HANG_GUARD_S
        )
    assert done.returncode == 1
    assert f"can't listen on 127.0.0.1:{port}: Address already in use" in done.stderr


def test_other_commands_do_without_gevent() -> None:
    code = "import sys, tsvc.commands.fake, tsvc.cli.main; sys.exit('gevent' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=HANG_GUARD_S).returncode == 0
