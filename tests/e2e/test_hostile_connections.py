"""Hostile connections to a whole daemon: cut, slow, idle, many; a normal client is served."""

import json
import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from e2e.hostile_clients import (
    VALID,
    beside,
    daemon_in,
    request,
    reset,
    send,
    settles,
    sockets_of,
)
from support.daemons import HANG_GUARD_S, DaemonProcess, read_response
from support.normal_client import NormalClient
from support.tiers import size

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaemonProcess]:
    yield from daemon_in(tmp_path_factory.mktemp("hostile"))


@pytest.fixture(autouse=True)
def normal(daemon: DaemonProcess) -> Iterator[NormalClient]:
    yield from beside(daemon)


def test_disconnects_at_each_octet_of_a_request(daemon: DaemonProcess) -> None:
    for count in range(len(VALID) + 1):
        for leave in (socket.socket.close, reset):
            sock = daemon.connect()
            sock.sendall(VALID[:count])
            leave(sock)


def test_ends_at_each_octet_of_a_request_are_answered(daemon: DaemonProcess) -> None:
    for count in range(len(VALID)):
        error = send(daemon, VALID[:count])["error"]
        assert (error["code"], error["data"]["kind"]) == (1000, "request.incomplete")
    assert "result" in send(daemon, VALID)


def test_disconnects_at_each_octet_of_a_response(daemon: DaemonProcess) -> None:
    asked = request("QueryTest", {"run_id": "nobody"})
    whole = len(json.dumps(send(daemon, asked), separators=(",", ":")))
    for count in range(4 + whole):
        sock = daemon.connect()
        sock.sendall(asked)
        octets = b""
        while len(octets) < count and (part := sock.recv(count - len(octets))):
            octets += part
        reset(sock)


def test_slow_writers(daemon: DaemonProcess) -> None:
    """Slow single octets keep no connection longer than rpc.request_timeout_s."""
    socks = [daemon.connect() for _ in range(100)]
    for octet in VALID[:8]:
        for sock in socks:
            sock.sendall(bytes([octet]))
        time.sleep(0.05)
    kinds = Counter(read_response(sock)["error"]["data"]["kind"] for sock in socks)
    assert kinds == {"request.timeout": 100}
    for sock in socks:
        sock.close()


def test_slow_readers(daemon: DaemonProcess) -> None:
    """Clients that do not read their response hold it for rpc.request_timeout_s at most."""
    operations = [{"type": "log", "arguments": {"text": "{'x' x 1000}"}}] * 1000
    result = daemon.run({"operations": operations}, trace_level=1)
    asked = request("GetResult", {"result_id": result["result_id"]})
    socks = []
    for _ in range(50):
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.settimeout(HANG_GUARD_S)
        sock.connect(("127.0.0.1", daemon.port))
        sock.sendall(asked)
        socks.append(sock)
    assert settles(lambda: sockets_of(daemon) < 10), "slow readers are not let go"
    for sock in socks:
        sock.close()


def test_300_idle_connections(daemon: DaemonProcess) -> None:
    idle = [daemon.connect() for _ in range(300)]
    kinds = Counter(read_response(sock)["error"]["data"]["kind"] for sock in idle)
    assert set(kinds) == {"connections.evicted", "request.timeout"}
    assert kinds.total() == 300
    assert kinds["connections.evicted"] >= 44
    for sock in idle:
        sock.close()


def test_10_000_connections(daemon: DaemonProcess) -> None:
    """Whole requests, half requests, silence and resets in turn; each waiting client gets its
    answer.

    In make test there are three thousand.
    """
    count = size(10_000, 3_000)
    answered: Counter[str] = Counter()

    def connect(number: int) -> None:
        sock = daemon.connect()
        kind = ("whole", "half", "silent", "reset")[number % 4]
        if kind == "whole":
            sock.sendall(VALID)
            response = read_response(sock)
            answered["result" if "error" not in response else response["error"]["code"]] += 1
        elif kind == "half":
            sock.sendall(VALID[: number % len(VALID)])
        elif kind == "reset":
            sock.sendall(VALID)
            reset(sock)
        sock.close()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(connect, range(count)))
    assert answered == {"result": count // 4}
