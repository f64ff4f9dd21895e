"""tsvc run --embedded --config: a private daemon with gateways, whatever else runs on the
machine."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from support.commands import ROOT, tsvc
from support.daemons import DaemonProcess, StartDaemon
from support.ports import free_port

from tsvc.cli.embedded import PrivateDaemon

pytestmark = pytest.mark.e2e

EXAMPLE = ROOT / "etc/examples/extension_dialing.json"
FLOW = ROOT / "etc/examples/flows/extension_dialing.json"
ASKING = {
    "operations": [
        {
            "type": "rest.Request",
            "arguments": {"path": "/balance", "method": "GET"},
            "tests": [{"kpath": "rest.code", "type": "integer", "value": 200}],
        }
    ]
}


class Balance(BaseHTTPRequestHandler):
    """Answers every request."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Balance) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found.server_port
        found.shutdown()


@pytest.fixture
def stranger(start_daemon: StartDaemon) -> DaemonProcess:
    """A daemon of another user: without our flow, without a gateway."""
    return start_daemon(loopback=False)


@pytest.fixture
def config(tmp_path: Path, server: int, stranger: DaemonProcess) -> Path:
    """A configuration whose ports are already in use."""
    metrics = free_port()
    path = tmp_path / "tsvc.toml"
    path.write_text(
        f'[rpc]\nport = {stranger.port}\n[http]\nlisten = "127.0.0.1:{metrics}"\n'
        f'[scp]\nflows = ["{FLOW}"]\n[application.LAB]\nmodule = "sigtran"\n'
        f'[application.BSS]\nmodule = "rest"\nbase_uri = "http://127.0.0.1:{server}"\n'
    )
    return path


def test_its_gateways_and_flows_are_there(
    config: Path, stranger: DaemonProcess, tmp_path: Path
) -> None:
    asking = tmp_path / "asking.json"
    asking.write_text(json.dumps(ASKING))
    found = tsvc(stranger, "run", EXAMPLE, asking, "--embedded", "--config", config, "--quiet")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "2 of 2 files passed" in found.stdout
    assert "answers nothing" not in found.stderr


def test_what_is_wrong_with_it_is_told(stranger: DaemonProcess, tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text("[rpc]\nprot = 1\n")
    found = tsvc(stranger, "run", EXAMPLE, "--embedded", "--config", tmp_path / "wrong.toml")
    assert found.returncode == 5
    assert "rpc.prot: unknown key" in found.stderr


@pytest.mark.parametrize(
    "options", [("--config",), ("--embedded", "--flow", FLOW, "--flow", FLOW, "--config")]
)
def test_where_it_does_not_belong(
    config: Path, stranger: DaemonProcess, options: tuple[object, ...]
) -> None:
    found = tsvc(stranger, "run", EXAMPLE, *options, config)
    assert found.returncode == 2
    assert "--config goes with --embedded" in found.stderr


def test_two_at_the_same_time(config: Path) -> None:
    with PrivateDaemon(config=config) as one, PrivateDaemon(config=config) as other:
        assert one.port != other.port
        for daemon in (one, other):
            result = daemon.client().execute(json.loads(EXAMPLE.read_text()), wait=True)
            assert result.verdict == "pass"


LISTENING = """
[scp]
flows = ["{flow}"]
listen = ["m3ua+tcp://127.0.0.1:{port}"]
[application.SMSC]
module = "smpp"
host = "127.0.0.1"
port = {port}
[application.OCS]
module = "diameter"
mode = "listen"
local_port = {port}
origin_host = "t.example.net"
[application.LAB]
module = "sigtran"
[[application.LAB.connections]]
name = "STP"
type = "m3ua"
mode = "listen"
role = "sgp"
local_port = {port}
"""
NAMES = ("gateway}{SMSC", "gateway}{OCS", "gateway}{LAB", "scp")


def test_all_that_listens_takes_a_free_port(tmp_path: Path) -> None:
    """Two private daemons of one configuration, whose port a stranger has."""
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        path = tmp_path / "tsvc.toml"
        path.write_text(LISTENING.format(port=stranger.getsockname()[1], flow=FLOW))
        operations = [
            {"type": "eval", "expression": f"$v->{{p{at}}} = $r->{{{name}}}{{port}}"}
            for at, name in enumerate(NAMES)
        ]
        found: list[int] = []
        with PrivateDaemon(config=path) as one, PrivateDaemon(config=path) as other:
            for daemon in (one, other):
                result = daemon.client().execute({"operations": operations}, strict=1, wait=True)
                assert result.verdict == "pass", result
                ports = [
                    result.raw["first_call_summary"]["vars"][f"p{at}"] for at in range(len(NAMES))
                ]
                for port in ports:
                    socket.create_connection(("127.0.0.1", port), timeout=60).close()
                found += ports
        assert len({*found, stranger.getsockname()[1]}) == 2 * len(NAMES) + 1


def test_why_a_private_daemon_does_not_start(stranger: DaemonProcess, tmp_path: Path) -> None:
    path = tmp_path / "tsvc.toml"
    path.write_text('[service]\nnam = "x"\n')
    found = tsvc(stranger, "run", EXAMPLE, "--embedded", "--config", path)
    assert found.returncode == 5
    assert "\\x0a" not in found.stderr
    assert "service.nam" in found.stderr


def test_protections_of_the_site_are_left_out(
    stranger: DaemonProcess, tmp_path: Path, config: Path
) -> None:
    """Tokens, TLS and addresses: nobody has them where the file is played in CI."""
    (tmp_path / "tokens").write_text("abcdefgh12345678\n")
    (tmp_path / "tokens").chmod(0o600)
    text = config.read_text().replace(
        "[rpc]\n", '[rpc]\nauth_tokens_file = "tokens"\nallow = ["10.0.0.0/8"]\n', 1
    )
    config.write_text(f'{text}[rpc.tls]\ncert_file = "nowhere.pem"\nkey_file = "nowhere.key"\n')
    found = tsvc(stranger, "run", EXAMPLE, "--embedded", "--config", config, "--quiet")
    assert found.returncode == 0, found.stdout + found.stderr
