"""Many waiting clients and a hostile client, beside a load: CancelTests pass, the rate is kept.

TSVC_WAITERS=1000 selects the long form (make test-full); -s prints the durations of CancelTests,
and the rate.
"""

import json
import os
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from support.daemons import HANG_GUARD_S, DaemonProcess, configure, launch, read_response
from support.ports import free_port
from support.waiting import until

pytestmark = pytest.mark.e2e

WAITERS = int(os.environ.get("TSVC_WAITERS", "100"))
IS_LONG = WAITERS >= 1000
CPS = 500 if IS_LONG else 100
SECONDS = 30 if IS_LONG else 3
HALT = [{"type": "halt", "arguments": {"seconds": 600}}]
WHAT = ("silent", "half", "poll", "garbage", "reset")
WAIT = [{"type": "wait", "arguments": {"seconds": 0.02}}]


def frame(method: str, params: Any) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, "id": 1}).encode()
    return struct.pack("!I", len(body)) + body


class Hostile(threading.Thread):
    """A hostile client at another address: silence, half requests, abandoned long polls, clients
    that never read, resets."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.over = threading.Event()
        self.did: Counter[str] = Counter()
        self._port = port
        self._open: list[socket.socket] = []

    def run(self) -> None:
        chance = random.Random(1)
        poll = frame("QueryTest", {"run_id": "watched", "wait_s": 60})
        while not self.over.wait(0.005):
            what = chance.choice(WHAT)
            try:
                sock = socket.create_connection(
                    ("127.0.0.1", self._port), timeout=5, source_address=("127.0.0.2", 0)
                )
                if what == "half":
                    sock.sendall(poll[: chance.randrange(1, len(poll))])
                elif what in ("poll", "reset"):
                    sock.sendall(poll)
                elif what == "garbage":
                    sock.sendall(struct.pack("!I", 100_000) + b"[" * 100_000)
            except OSError:
                what = "not connected"
            else:
                if what == "reset":
                    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    sock.close()
                else:
                    self._open.append(sock)
            self.did[what] += 1
            while len(self._open) > 300:
                self._open.pop(chance.randrange(len(self._open))).close()
        for sock in self._open:
            sock.close()


@pytest.fixture
def place(tmp_path: Path) -> tuple[Path, int, int]:
    http = free_port()
    text = f'[log]\nlevel = "error"\n[http]\nlisten = "127.0.0.1:{http}"\n'
    return tmp_path, configure(tmp_path, text), http


@pytest.fixture
def daemon(place: tuple[Path, int, int]) -> Iterator[DaemonProcess]:
    folder, port, _ = place
    daemon = launch(folder, port)
    yield daemon
    daemon.kill()


def waiters(daemon: DaemonProcess) -> list[socket.socket]:
    poll = frame("QueryTest", {"run_id": "watched", "wait_s": 60})
    socks = []
    for _ in range(WAITERS):
        sock = daemon.connect()
        sock.sendall(poll)
        socks.append(sock)
        time.sleep(0.001)
    return socks


def metric(http: int, name: str) -> float:
    with urlopen(f"http://127.0.0.1:{http}/metrics", timeout=HANG_GUARD_S) as page:
        for line in page.read().decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.split()[1])
    raise AssertionError(name)


def test_beside_a_load(daemon: DaemonProcess, place: tuple[Path, int, int]) -> None:
    http = place[2]
    run = {"run_id": "watched", "operations": HALT}
    assert daemon.result("ExecuteTest", run) == "ok"
    distribution = {"type": "linear", "total": CPS * SECONDS, "backlog": 5000, "cps": CPS}
    load = {"run_id": "load", "operations": WAIT, "distribution": distribution}
    socks = waiters(daemon)
    until(lambda: metric(http, "tsvc_rpc_requests_waiting") >= WAITERS)
    hostile = Hostile(daemon.port)
    hostile.start()
    cancels: list[float] = []
    try:
        assert daemon.result("ExecuteTest", load) == "ok"
        until_s = time.monotonic() + SECONDS - 1
        while time.monotonic() < until_s:
            run_id = f"cancelled {len(cancels)}"
            assert daemon.result("ExecuteTest", {"run_id": run_id, "operations": WAIT}) == "ok"
            began = time.monotonic()
            answer = daemon.result("CancelTest", {"run_id": run_id})
            cancels.append(time.monotonic() - began)
            assert answer["completed"] == 1
            time.sleep(0.02)
        with urlopen(f"http://127.0.0.1:{http}/readyz", timeout=HANG_GUARD_S) as page:
            assert page.read() == b"ready\n"
        result = daemon.completed("load")
    finally:
        hostile.over.set()
        hostile.join()
    cancels.sort()
    rate = result["rate"]
    print(
        f"{len(cancels)} CancelTests: median {cancels[len(cancels) // 2] * 1000:.1f} ms,"
        f" worst {cancels[-1] * 1000:.1f} ms; rate {rate['achieved']} of {rate['asked']},"
        f" late {rate['late']}, worst {rate['lateness_ms']['max']} ms; hostile {dict(hostile.did)}"
    )
    assert result["counts"]["passed"] == CPS * SECONDS
    assert (rate["planned"], rate["never_started"]) == (CPS * SECONDS, 0)
    # All clients are answered when their run ends, and they leave nothing behind.
    assert daemon.result("CancelTest", {"run_id": "watched"})["cancelled"] == 1
    answers = Counter(read_response(sock)["result"]["state"] for sock in socks)
    assert answers == {"completed": WAITERS}
    for sock in socks:
        sock.close()
    until(lambda: metric(http, "tsvc_rpc_connections_open") == 0)


def test_who_left_is_forgotten_at_once(
    daemon: DaemonProcess, place: tuple[Path, int, int]
) -> None:
    run = {"run_id": "watched", "operations": HALT}
    assert daemon.result("ExecuteTest", run) == "ok"
    for sock in waiters(daemon):
        sock.close()
    until(lambda: metric(place[2], "tsvc_rpc_connections_open") == 0)
    assert daemon.result("QueryTest", {"run_id": "watched"})["completed"] == 0
