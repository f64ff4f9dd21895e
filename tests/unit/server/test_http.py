"""The HTTP server over real sockets; client and server are greenlets in one process."""

import pytest
from gevent import socket
from support.waiting import GUARD_S, until

from tsvc.server import http
from tsvc.server.http import HttpServer, Page


def broken():
    raise ZeroDivisionError("detail that is not for the wire")


PAGES = {
    "/metrics": lambda: Page("a 1\n", content_type="text/x"),
    "/readyz": lambda: Page("no\n", 503),
    "/broken": broken,
}


@pytest.fixture
def server():
    one = HttpServer("127.0.0.1:0", PAGES)
    one.bind()
    one.start()
    yield one
    one.stop()


def connect(server):
    sock = socket.create_connection(server.address)
    sock.settimeout(GUARD_S)
    return sock


def ask(server, octets, *, ends=False):
    with connect(server) as sock:
        sock.sendall(octets)
        if ends:
            sock.shutdown(socket.SHUT_WR)
        answer = b""
        while portion := sock.recv(65536):
            answer += portion
    head, _, body = answer.decode().partition("\r\n\r\n")
    lines = head.split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    return lines[0], headers, body


def test_a_page(server):
    status, headers, body = ask(server, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == "HTTP/1.1 200 OK"
    assert headers["Content-Type"] == "text/x"
    assert headers["Content-Length"] == "4"
    assert headers["Connection"] == "close"
    assert body == "a 1\n"


def test_head_has_no_body_and_a_query_is_ignored(server):
    _, headers, body = ask(server, b"HEAD /metrics?x=1 HTTP/1.0\r\n\r\n")
    assert headers["Content-Length"] == "4"
    assert body == ""


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"GET /readyz HTTP/1.1\r\n\r\n", "503 Service Unavailable"),
        (b"GET / HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /../etc/passwd HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"GET /\xff HTTP/1.1\r\n\r\n", "404 Not Found"),
        (b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", "405 Method Not Allowed"),
        (b"DELETE /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"),
        (b"GET /metrics\r\n\r\n", "400 Bad Request"),
        (b"GET /metrics HTTP/2\r\n\r\n", "400 Bad Request"),
        (b"\0\0\0\x02{}\r\n\r\n", "400 Bad Request"),
        (b"GET /broken HTTP/1.1\r\n\r\n", "500 Internal Server Error"),
        (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 20_000, "431 Request Header Fields Too Large"),
    ],
)
def test_refusals(server, octets, status):
    line, _, body = ask(server, octets)
    assert line == f"HTTP/1.1 {status}"
    assert "detail" not in body


def test_the_end_of_the_client_ends_the_head(server):
    assert ask(server, b"GET /metrics HTTP/1.0\r\n", ends=True)[0] == "HTTP/1.1 200 OK"
    assert ask(server, b"", ends=True)[0] == "HTTP/1.1 400 Bad Request"


def test_a_client_that_says_nothing_is_cut_off(server, monkeypatch):
    monkeypatch.setattr(http, "DEADLINE_S", 0.05)
    with connect(server) as sock:
        assert sock.recv(100) == b""


def test_a_crowd_is_refused_and_goes_away(server, monkeypatch):
    monkeypatch.setattr(http, "MOST_CONNECTIONS", 2)
    silent = [connect(server) for _ in range(2)]
    until(lambda: len(server._connections) == 2)
    line, _, body = ask(server, b"")
    assert (line, body) == ("HTTP/1.1 503 Service Unavailable", "too many connections\n")
    for sock in silent:
        sock.close()
    until(lambda: not len(server._connections))
    assert ask(server, b"GET /metrics HTTP/1.1\r\n\r\n")[0] == "HTTP/1.1 200 OK"


def test_ipv6_and_a_taken_port():
    one = HttpServer("[::1]:0", PAGES)
    one.bind()
    port = one.address[1]
    other = HttpServer(f"[::1]:{port}", PAGES)
    with pytest.raises(OSError, match=f"can't listen on ::1 port {port}: "):
        other.bind()
    one.stop()
    other.stop()
