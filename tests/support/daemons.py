"""Whole daemons as subprocesses, and a client that knows nothing of tsvc but the interface."""

import json
import os
import socket
import struct
import subprocess
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "etc" / "examples"
FLOW = EXAMPLES / "flows" / "extension_dialing.json"
HANG_GUARD_S = 60.0


def read_exactly(sock: socket.socket, count: int) -> bytes:
    octets = b""
    while len(octets) < count:
        part = sock.recv(count - len(octets))
        if not part:
            raise EOFError(f"closed after {len(octets)} of {count} octets")
        octets += part
    return octets


def read_response(sock: socket.socket) -> dict[str, Any]:
    (length,) = struct.unpack("!I", read_exactly(sock, 4))
    response = json.loads(read_exactly(sock, length))
    assert isinstance(response, dict)
    return response


@dataclass
class Daemon:
    """One tsvcd that answers on `port`."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path

    def connect(self) -> socket.socket:
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=HANG_GUARD_S)
        sock.settimeout(HANG_GUARD_S)
        return sock

    def request(self, octets: bytes) -> dict[str, Any]:
        """Send one frame whole and return the response."""
        with self.connect() as sock:
            sock.sendall(struct.pack("!I", len(octets)) + octets)
            return read_response(sock)

    def call(self, method: str, params: Any = None) -> dict[str, Any]:
        """Return the response object to a request."""
        request = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1}
        if params is None:
            del request["params"]
        return self.request(json.dumps(request).encode())

    def result(self, method: str, params: Any = None) -> Any:
        """Return the result of a request that must succeed."""
        response = self.call(method, params)
        assert response.get("error") is None, response["error"]
        return response["result"]

    def run(self, definition: dict[str, Any], **more: Any) -> dict[str, Any]:
        """Execute a definition and return the result of the completed run."""
        params = {**definition, **more}
        params.setdefault("run_id", uuid.uuid4().hex)
        assert self.result("ExecuteTest", params) == "ok"
        result = self.result("QueryTest", {"run_id": params["run_id"], "wait_s": 60})
        assert result["completed"] == 1
        assert isinstance(result, dict)
        return result

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(HANG_GUARD_S)


StartDaemon = Callable[..., Daemon]


def wait_until_ready(daemon: Daemon) -> None:
    deadline = time.monotonic() + HANG_GUARD_S
    while time.monotonic() < deadline:
        if daemon.process.poll() is not None:
            break
        try:
            daemon.connect().close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError((daemon.folder / "log").read_text())


def example(name: str) -> dict[str, Any]:
    """Return a sample definition with its flow in place."""
    definition: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text())
    if "flow" in definition:
        definition["flow"] = json.loads((EXAMPLES / definition["flow"]).read_text())
    return definition


def require_peer(path: str | None, install: str) -> str:
    """Return the path of a real peer; skip with its install line, or fail in CI."""
    if path is not None:
        return path
    text = f"not installed: {install}"
    if os.environ.get("TSVC_REQUIRE_PEERS") == "1":
        pytest.fail(text)
    pytest.skip(text)
