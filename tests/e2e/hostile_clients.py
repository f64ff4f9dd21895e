"""Shared by the tests with hostile clients: a daemon, a normal client, ways to send.

The daemon has 6 GB of address space, so that it runs out of memory before the machine does. The
normal client runs the sample during each test; all its calls must pass.
"""

import json
import shutil
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.daemons import FLOW, DaemonProcess, configure, launch, read_response
from support.normal_client import NormalClient
from support.waiting import settles

CONFIG = f"""
request_timeout_s = 8
client_connections = 0
[scp]
flows = ["{FLOW}"]
[application.SIGTRAN]
module = "sigtran"
[log]
level = "warning"
"""


def daemon_in(folder: Path, more: str = "") -> Iterator[DaemonProcess]:
    """Yield a daemon that survives all tests of a file; assert that nothing is left at its end.

    `more`: further text of its configuration.
    """
    port = configure(folder, CONFIG + more)
    prlimit = shutil.which("prlimit")
    prefix = (prlimit, f"--as={6 << 30}", "--") if prlimit is not None else ()
    daemon = launch(folder, port, prefix=prefix)
    yield daemon
    try:
        assert daemon.process.poll() is None, (folder / "log").read_text()[-5000:]
        assert_clean(daemon)
        assert daemon.stop() == 0, (folder / "log").read_text()[-5000:]
        assert "incident" not in (folder / "log").read_text(), folder / "log"
    finally:
        if daemon.process.poll() is None:
            daemon.kill()


def beside(daemon: DaemonProcess) -> Iterator[NormalClient]:
    """Yield a normal client; assert afterwards that it was served and had no failure."""
    with NormalClient(daemon) as client:
        yield client
    assert client.failures == [], client.failures
    assert client.passed > 0, "it was never served"


def assert_clean(daemon: DaemonProcess) -> None:
    """Assert that nothing of all the runs is left, in the daemon and in the system."""
    for summary in daemon.result("QueryAllTests")["tests"]:
        daemon.result("CancelTest", {"run_id": summary["run_id"]})
    service = daemon.result("DescribeService")
    assert service["locks"] == {}, service
    assert service["runs"] == {"in_progress": 0, "held": 0}, service
    assert service["instances"]["in_progress"] == 0, service
    assert [gateway["counters"]["dialogues"] for gateway in service["gateways"]] == [0], service
    assert settles(lambda: sockets_of(daemon) < 10), "connections are left open"


def sockets_of(daemon: DaemonProcess) -> int:
    """Return how many files the daemon has open beyond those of an idle one."""
    idle = 15  # the log, the archive, the loop
    return len(list(Path(f"/proc/{daemon.process.pid}/fd").iterdir())) - idle


def reset(sock: socket.socket) -> None:
    """Close with a RST, like a client that was killed."""
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    sock.close()


def frame(body: bytes) -> bytes:
    return struct.pack("!I", len(body)) + body


def request(method: str, params: Any, request_id: Any = 1) -> bytes:
    document = {"jsonrpc": "2.0", "method": method, "params": params, "id": request_id}
    return frame(json.dumps(document).encode())


def send(daemon: DaemonProcess, octets: bytes) -> dict[str, Any]:
    """Send octets, end, and return the one response."""
    with daemon.connect() as sock:
        sock.sendall(octets)
        sock.shutdown(socket.SHUT_WR)
        response = read_response(sock)
        assert sock.recv(1) == b"", "one response, and nothing after it"
    return response


VALID = request("QueryAllTests", {})
