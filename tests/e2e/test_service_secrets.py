"""The daemon writes a token nowhere, whatever is done with the token."""

import contextlib
import json
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, example, running

pytestmark = pytest.mark.e2e

TOKEN = "Zq7-token-of-the-tests-81"
WRONG = "Zq7-token-not-of-the-tests"
PASSWORD = "Zq7-password-of-a-database"
URL = f"postgresql://tester:{PASSWORD}@db.example/tsvc"


def told(daemon: DaemonProcess) -> list[str]:
    """Use a token in all requests that a client can send; return every answer."""
    definition = {**example("extension_dialing"), "trace_level": 3}
    hold = {"operations": [{"type": "wait", "arguments": {"seconds": 600}}]}
    answers: list[object] = []
    for token in (TOKEN, WRONG, [TOKEN], {"x": TOKEN}, TOKEN + "\ud83d\ude00"):
        given = {"auth_token": token}
        answers.append(daemon.call("ExecuteTest", {**definition, **given, "run_id": "r"}))
        answers.append(daemon.call("ExecuteTest", {**hold, **given, "run_id": "held"}))
        answers.append(daemon.call("QueryTest", {**given, "run_id": "r", "wait_s": 60}))
        for form in ("json", "text", "ladder"):
            trace = {**given, "run_id": "r", "instance": 0, "format": form}
            answers.append(daemon.call("GetTrace", trace))
        answers.append(daemon.call("ListResults", {**given, "limit": 10}))
        answers.append(daemon.call("DescribeService", given))
        answers.append(daemon.call("NoSuchMethod", given))
        answers.append(daemon.call("QueryTest", {**given, "run_id": "r", "unknown": 1}))
        answers.append(daemon.call("ValidateTest", {**hold, **given, "operations": 7}))
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "params": {"auth_token": TOKEN}}).encode()
    malformed = (
        body,
        body[:-1],
        body.replace(b"}}", b',"auth_token":"x"}}'),
        body.replace(b"token-of", b"token\\q"),
        body.replace(b"token-of", b"token\xff"),
        body + b"}",
    )
    answers += map(daemon.request, malformed)
    with daemon.connect() as sock:  # part of a request, then the end
        sock.sendall(struct.pack("!I", len(body)) + body[:-2])
        sock.shutdown(socket.SHUT_WR)
        answers.append(sock.recv(65536).decode("utf-8", "replace"))
    return [json.dumps(answer) for answer in answers]


def unpacked(archive: Path) -> bytes:
    """Return every value of every row of the archive, decompressed if it is compressed."""
    values: list[bytes] = []
    with contextlib.closing(sqlite3.connect(archive)) as database:
        for row in database.execute("select * from tsvc_results"):
            for value in row:
                is_packed = isinstance(value, bytes)
                values.append(zlib.decompress(value) if is_packed else str(value).encode())
    return b"\n".join(values)


def test_tokens_are_nowhere(tmp_path: Path) -> None:
    secret = tmp_path / "tokens"
    secret.write_text(f"{TOKEN}\n")
    secret.chmod(0o600)
    local = f'[rpc]\nauth_tokens_file = "{secret}"\n[log]\nlevel = "debug"\n'
    with running(tmp_path, local) as daemon:
        answers = told(daemon)
        daemon.signal(signal.SIGUSR1)
        dumped = daemon.wait_for("dump ends")
        assert 'count=1 stack="' in dumped
        assert "run run_id=held state=running" in dumped
        daemon.configure(f'[rpc]\nauth_tokens = ["{TOKEN}"]\nauth_tokens_file = "{secret}"\n')
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration not reloaded")
        daemon.configure(f'[rpc]\nauth_tokens = ["short", "{TOKEN}", 7]\n')
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration not reloaded", times=2)
        daemon.configure(f'[rpc]\nauth_tokens = ["{TOKEN}"]\n[results]\nurl = "{URL}"\n')
        daemon.signal(signal.SIGHUP)
        daemon.wait_for("configuration reloaded")
        daemon.result("CancelTest", {"run_id": "held", "auth_token": TOKEN})
        daemon.signal(signal.SIGTERM)
        assert daemon.process.wait(HANG_GUARD_S) == 0
        log = daemon.log
    places = {"log": log.encode(), "answers": "\n".join(answers).encode()}
    for file in (tmp_path / "state").iterdir():
        places[file.name] = file.read_bytes()
    assert "archive.sqlite" in places
    places["archived"] = unpacked(tmp_path / "state/archive.sqlite")
    assert b"calledPartyNumber_digits" in places["archived"], "the definition is looked at"
    for place, octets in places.items():
        for word in (TOKEN, WRONG, PASSWORD, "Zq7-token"):
            assert word.encode() not in octets, f"{word} is in {place}"
    assert '"verdict": "pass"' in places["answers"].decode()
    assert places["answers"].decode().count("auth.denied") >= 20


def test_secrets_of_the_configuration_are_not_printed(tmp_path: Path) -> None:
    path = tmp_path / "tsvc.toml"
    path.write_text(f'[rpc]\nauth_tokens = ["{TOKEN}"]\n[results]\nurl = "{URL}"\n')
    path.chmod(0o600)
    found = subprocess.run(
        [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(path), "--print-config"],
        capture_output=True,
        text=True,
        timeout=HANG_GUARD_S,
        cwd=ROOT,
    )
    assert found.returncode == 0
    assert "Zq7" not in found.stdout + found.stderr
    assert found.stdout.count("(hidden)") == 2
