"""The client of docs/guide/legacy-gateway.md, word for word, in a whole daemon, in both modes."""

import contextlib
import json
import re
import shlex
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.daemons import HANG_GUARD_S, ROOT, DaemonProcess, running
from support.ports import free_port
from support.waiting import until

from tsvc.commands.fake import read_pair

pytestmark = pytest.mark.e2e

GUIDE = (ROOT / "docs/guide/legacy-gateway.md").read_text("utf-8")
TABLE = """
[application."PI-OLD"]
module = "site_pi:PiClient"
host = "127.0.0.1"
port = {port}
username = "tester"
password = "geheim"
call_timeout_s = 60
objects = 4
blocking = {blocking}
reconnect_interval_s = 0.2
"""
HASTY = TABLE.replace("PI-OLD", "PI-HASTY").replace("call_timeout_s = 60", "call_timeout_s = 2")
TESTER = '[tester]\ndefault_pi = "PI-OLD"\n'
QUERY = {
    "type": "ocncc.pi.Request",
    "arguments": {
        "command": "CCSCD1=QRY",
        "parameters": {"MSISDN": "6421000001"},
        "status": "ACK",
    },
    "tests": [{"kpath": "info", "type": "regex", "pattern": "1450"}],
}
SLOW = {"type": "ocncc.pi.Request", "arguments": {"command": "SLOW=QRY", "status": "ACK"}}
HANGS = {"type": "ocncc.pi.Request", "arguments": {"command": "HANG=QRY"}}
SETTINGS = {
    "username": "tester",
    "password": "geheim",
    "subscribers": {"6421000001": {"General Cash": 1450}},
    "replies": [
        {"command": "SLOW=QRY", "info": "late", "delay_s": 1.0, "packet_octets": 3},
        {"command": "HANG=QRY", "is_silent": True},
    ],
}


@contextlib.contextmanager
def fake_pi(port: int, settings: dict[str, Any] = SETTINGS) -> Iterator[None]:
    """Run the fake PI server for the length of a block."""
    command = [sys.executable, "-m", "tsvc.cli.main", "fake", "pi", "--port", str(port)]
    sets = [f"{name}={json.dumps(value)}" for name, value in settings.items()]
    process = subprocess.Popen(
        [*command, *(part for one in sets for part in ("--set", one))],
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        assert str(port).encode() in process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)


@dataclass
class Setting:
    daemon: DaemonProcess
    port: int

    def gateway(self, name: str = "PI-OLD") -> dict[str, Any]:
        return self.daemon.gateways()[name]

    def settle(self, name: str = "PI-OLD") -> None:
        """Run loads until no object is left whose server, of an earlier test, is gone."""
        self.daemon.until_up([name])
        settled = lambda: self.load(8, QUERY, pi=name)["counts"]["passed"] == 8  # noqa: E731
        until(settled, what=lambda: self.daemon.log)

    def load(self, total: int, *operations: dict[str, Any], **params: Any) -> dict[str, Any]:
        distribution = {"type": "load", "total": total, "backlog": 4}
        given = {"operations": list(operations), "distribution": distribution, **params}
        return self.daemon.run(given)


@pytest.fixture(scope="module", params=["false", "true"], ids=["cooperative", "blocking"])
def setting(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Iterator[Setting]:
    folder: Path = tmp_path_factory.mktemp("legacy")
    (client,) = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    (folder / "site_pi.py").write_text(client)
    port = free_port()
    local = TESTER + (TABLE + HASTY).format(port=port, blocking=request.param)
    with running(folder, local, PYTHONPATH=str(folder)) as daemon:
        yield Setting(daemon, port)


@pytest.mark.sampled(1)
def test_it_connects_when_the_server_is_there(setting: Setting) -> None:
    until(lambda: "refused" in setting.gateway()["detail"], what=setting.gateway)
    with fake_pi(setting.port):
        setting.daemon.until_up(["PI-OLD"])
        result = setting.daemon.run({"operations": [QUERY]})
    assert result["verdict"] == "pass", result["first_call_summary"]
    text = json.dumps(result)
    assert "CCSCD1=QRY" in text
    assert "geheim" not in text
    assert "geheim" not in setting.daemon.log


def test_the_definition_of_the_pi_guide(setting: Setting) -> None:
    """The client, the fake and the definition are those of their pages, unchanged."""
    page = (ROOT / "docs/guide/pi.md").read_text("utf-8")
    (definition,) = re.findall(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (shell,) = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    words = shlex.split(shell)
    sets = dict(read_pair(words[at + 1]) for at, word in enumerate(words) if word == "--set")
    with fake_pi(setting.port, {**SETTINGS, "subscribers": sets["subscribers"]}):
        setting.settle()
        result = setting.daemon.run(json.loads(definition))
    assert result["verdict"] == "pass", result["first_call_summary"]
    texts = [one["text"] for one in result["first_call_summary"]["check_log"]]
    assert "fields.BALANCE (integer)" in texts


def test_four_objects_wait_at_once_and_the_daemon_does_not(setting: Setting) -> None:
    with fake_pi(setting.port):
        setting.settle()
        run_id = uuid.uuid4().hex
        distribution = {"type": "load", "total": 4, "backlog": 4}
        params = {"run_id": run_id, "operations": [HANGS], "distribution": distribution}
        assert setting.daemon.result("ExecuteTest", params) == "ok"
        in_use = lambda: setting.gateway()["counters"]["in_use"]  # noqa: E731
        until(lambda: in_use() == 4, what=setting.gateway)
        beside = setting.load(200, {"type": "eval", "expression": "$g->{n} += 1"})
        assert beside["globals"] == {"n": 200}
        assert in_use() == 4, "none of them had to end for that"
        assert setting.daemon.result("CancelTest", {"run_id": run_id})["cancelled"] == 1
        setting.settle()
        assert setting.load(4, SLOW)["counts"]["passed"] == 4


def test_a_call_without_an_answer_is_given_up(setting: Setting) -> None:
    with fake_pi(setting.port):
        setting.settle("PI-HASTY")
        result = setting.daemon.run({"operations": [HANGS], "pi": "PI-HASTY"})
        assert result["first_call_summary"]["reason"] == "PI-HASTY: no result within 2 s"
        setting.settle()
        assert setting.load(20, QUERY)["counts"]["passed"] == 20


def test_a_server_that_dies_and_comes_back(setting: Setting) -> None:
    with fake_pi(setting.port):
        setting.settle()
        run_id = uuid.uuid4().hex
        assert setting.daemon.result("ExecuteTest", {"run_id": run_id, "operations": [HANGS]})
        until(lambda: setting.gateway()["counters"]["in_use"] == 1, what=setting.gateway)
    result = setting.daemon.result("QueryTest", {"run_id": run_id, "wait_s": 60})
    reason = result["first_call_summary"]["reason"]
    ends = r"PI-OLD: (the server closed the connection|.*reset|.*[Bb]roken pipe)"
    assert re.match(ends, reason), reason
    with fake_pi(setting.port):
        until(
            lambda: setting.daemon.run({"operations": [QUERY]})["verdict"] == "pass",
            what=lambda: setting.daemon.log,
        )


def test_a_class_that_is_not_there_keeps_the_daemon_from_starting(tmp_path: Path) -> None:
    table = TABLE.format(port=1, blocking="false")
    (tmp_path / "conf.d").mkdir()
    file = tmp_path / "tsvc.toml"
    file.write_text(f'[service]\nstate_dir = "{tmp_path}"\n{table}')
    file.chmod(0o600)
    command = [sys.executable, "-m", "tsvc.cli.tsvcd", "-c", str(file), "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode != 0
    assert f'{file}: application."PI-OLD".module' in done.stderr + done.stdout or (
        "no module 'site_pi' on the Python path" in done.stderr + done.stdout
    )
    assert "geheim" not in done.stderr + done.stdout
