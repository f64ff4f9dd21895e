"""Waiting requests use no slot, end with their client, and an urgent request always gets in."""

import ssl
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from e2e.conftest import Server
from gevent import socket
from gevent.ssl import SSLContext
from support.waiting import GUARD_S, until

from tsvc.config.tables import Tls

pytestmark = pytest.mark.e2e

LONG_S = 4 * GUARD_S  # no request ends because of its timeout
Start = Callable[..., Server]


def waiters(server: Server, count: int) -> list[Any]:
    """Return connections whose request waits."""
    socks = []
    for _ in range(count):
        before = server.listener.waiting
        socks.append(server.connect())
        socks[-1].sendall(server.request("Wait"))
        until(lambda before=before: server.listener.waiting == before + 1)  # type: ignore[misc]
    return socks


def held(server: Server, count: int) -> list[Any]:
    """Return connections that keep a slot with a complete request."""
    before = server.service.held
    socks = [server.connect() for _ in range(count)]
    for sock in socks:
        sock.sendall(server.request("Hold"))
    until(lambda: server.service.held == before + count)
    return socks


def kind_of(answer: dict[str, Any]) -> str:
    return str(answer["error"]["data"]["kind"])


def test_who_waits_keeps_nobody_out(start: Start) -> None:
    server = start(max_connections=4, client_connections=4, request_timeout_s=LONG_S)
    socks = waiters(server, 50)
    assert server.works()
    assert server.listener.problem is None
    server.service.release.set()
    assert [server.read_response(sock)["result"] for sock in socks] == ["released"] * 50
    until(lambda: server.listener.open_connections == 0)


def test_waiting_has_a_bound(start: Start) -> None:
    server = start(max_waiting=4, request_timeout_s=LONG_S)
    socks = waiters(server, 2)
    refused = server.call("Wait")
    assert kind_of(refused) == "waiting.too_many"
    assert refused["error"]["data"]["limit"] == 4
    assert server.works()
    for sock in socks:
        sock.close()
    until(lambda: server.listener.waiting == 0)


def test_the_end_of_the_client_is_seen_at_once(start: Start) -> None:
    server = start(max_connections=4, request_timeout_s=LONG_S)
    socks = waiters(server, 30)
    for sock in socks[:10]:
        sock.close()
    for sock in socks[10:20]:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        sock.close()  # by a RST
    until(lambda: server.listener.open_connections == 10)
    assert server.listener.counters.left == 20
    # A client that ends only its own direction still gets the current state.
    for sock in socks[20:]:
        sock.shutdown(socket.SHUT_WR)
    assert [server.read_response(sock)["result"] for sock in socks[20:]] == ["left"] * 10


def test_the_end_is_seen_past_octets_that_nobody_reads(start: Start) -> None:
    server = start(request_timeout_s=LONG_S)
    socks = waiters(server, 3)
    for sock in socks:
        sock.sendall(b"more" * 1000)
    assert server.works()
    assert server.listener.waiting == 3
    for sock in socks:
        sock.close()
    until(lambda: server.listener.open_connections == 0)


def test_the_end_is_seen_over_tls(start: Start, tmp_path: Path) -> None:
    cert, key = tmp_path / "cert", tmp_path / "key"
    make = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    where = ["-nodes", "-subj", "/CN=localhost", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*make, *where], check=True, capture_output=True)
    server = start(tls=Tls(cert_file=cert, key_file=key), request_timeout_s=LONG_S)
    context = SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    socks = [context.wrap_socket(server.connect()) for _ in range(4)]
    for sock in socks:
        sock.sendall(server.request("Wait"))
    until(lambda: server.listener.waiting == 4)
    for sock in socks:
        sock.close()
    until(lambda: server.listener.open_connections == 0)


class TestTheUrgentOne:
    def test_gets_in_where_all_are_busy(self, start: Start) -> None:
        server = start(max_connections=3, request_timeout_s=LONG_S)
        held(server, 3)
        assert "busy" in str(server.listener.problem)
        assert kind_of(server.call()) == "connections.too_many"
        assert server.call("Rescue")["result"] == "rescued"
        assert server.listener.counters.turned_away == 1

    def test_gets_in_where_its_client_has_all_it_may(self, start: Start) -> None:
        server = start(client_connections=2, request_timeout_s=LONG_S)
        held(server, 2)
        assert kind_of(server.call()) == "rpc.rate"
        assert server.call("Rescue")["result"] == "rescued"

    def test_gets_in_beside_silence(self, start: Start) -> None:
        """A silent client is evicted by the next client, or by timeout."""
        server = start(max_connections=3, request_timeout_s=LONG_S)
        held(server, 3)
        silent = [server.connect() for _ in range(100)]
        assert server.call("Rescue")["result"] == "rescued"
        kinds = Counter(kind_of(server.read_response(sock)) for sock in silent)
        assert kinds == {"connections.too_many": 100}

    def test_others_are_refused_at_once(self, start: Start) -> None:
        server = start(max_connections=1, request_timeout_s=LONG_S)
        held(server, 1)
        huge = server.request(params={"text": "x" * 100_000})
        assert kind_of(server.send(huge[:1000])) == "connections.too_many", "by the length alone"
        assert kind_of(server.send(server.frame(b"garbage"))) in (
            "connections.too_many",
            "json.syntax",
        )
        assert kind_of(server.call("None")) == "connections.too_many"
