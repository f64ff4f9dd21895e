"""The HTTP client against faulty servers, and some correct ones."""

import gevent
import pytest
from gevent import socket
from gevent.event import Event
from support.ports import free_port
from support.waiting import GUARD_S, until
from unit.transport.http_servers import RawServer, answering, ok

from tsvc.errors import GatewayError
from tsvc.transport.http.client import HttpClient
from tsvc.transport.http.failures import ConnectFailed
from tsvc.transport.http.message import Request
from tsvc.transport.http.settings import HttpConfig

GET = Request("GET", "/x?y=1", (("Host", "h"),))
POST = Request("POST", "/x", (("Host", "h"), ("Content-Length", "3")), b"abc")


@pytest.fixture
def serve(request):
    def start(handle, port=0):
        server = RawServer(handle, port)
        request.addfinalizer(server.stop)
        return server

    return start


@pytest.fixture
def client_of(request):
    def make(port, **members):
        given = {"remote_host": "127.0.0.1", "remote_port": port, **members}
        client = HttpClient(HttpConfig.load(given))
        client.pool.open()
        request.addfinalizer(lambda: client.close("the test is over"))
        return client

    return make


def test_connections_are_kept_and_have_no_delay(serve, client_of):
    server = serve(answering(ok(b"1"), ok(b"2"), ok(b"3")))
    client = client_of(server.port)
    assert [client.send(GET).body for _ in range(3)] == [b"1", b"2", b"3"]
    assert server.connections == 1
    with client.pool.lease() as connection:
        option = connection._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert option != 0
    assert client.counters == {
        "requests": 3,
        "responses": 3,
        "failures": 0,
        "connects": 1,
        "resent": 0,
    }


def test_no_cookies(serve, client_of):
    server = serve(answering(ok(b"1", b"Set-Cookie: a=b\r\n")))
    client = client_of(server.port)
    client.send(GET)
    client.send(GET)
    assert server.requests[1] == b"GET /x?y=1 HTTP/1.1\r\nHost: h\r\n\r\n"


def test_a_response_that_ends_the_connection(serve, client_of):
    server = serve(answering(ok(b"1", b"Connection: close\r\n")))
    client = client_of(server.port)
    assert [client.send(POST).body for _ in range(3)] == [b"1"] * 3
    assert server.connections == 3


def test_a_connection_that_was_closed_while_idle_is_not_used(serve, client_of):
    may_close = Event()

    def handle(server, sock, _):
        server.read(sock)
        sock.sendall(ok(b"1"))
        may_close.wait(GUARD_S)

    server = serve(handle)
    client = client_of(server.port)
    client.send(POST)
    (connection,) = client.pool._free
    assert connection.is_usable()
    may_close.set()
    until(lambda: not connection.is_usable())
    assert client.send(POST).body == b"1"
    assert client.counters["resent"] == 0


def one_good_answer_a_connection(server, sock, number):
    """Answer the first request of a connection; close it at the second without an answer."""
    server.read(sock)
    sock.sendall(ok(b"%d" % number))
    server.read(sock)


def test_a_stale_connection_costs_one_more_try(serve, client_of):
    server = serve(one_good_answer_a_connection)
    client = client_of(server.port)
    assert [client.send(GET).body for _ in range(2)] == [b"1", b"2"]
    assert len(server.requests) == 3
    assert client.counters["resent"] == 1


def test_a_post_is_never_sent_twice(serve, client_of):
    server = serve(one_good_answer_a_connection)
    client = client_of(server.port)
    client.send(POST)
    with pytest.raises(GatewayError, match="POST /x: the server closed the connection without an"):
        client.send(POST)
    assert len(server.requests) == 2


def test_nothing_is_sent_again_after_one_octet_of_an_answer(serve, client_of):
    def handle(server, sock, _):
        server.read(sock)
        sock.sendall(ok())
        server.read(sock)
        sock.sendall(b"H")

    server = serve(handle)
    client = client_of(server.port)
    client.send(GET)
    with pytest.raises(GatewayError, match="in the middle of its response"):
        client.send(GET)
    assert len(server.requests) == 2


def test_a_new_connection_that_is_closed_at_once_is_no_stale_one(serve, client_of):
    server = serve(lambda server, sock, _: server.read(sock))
    client = client_of(server.port)
    with pytest.raises(GatewayError, match="GET /x: connection lost: closed by the server"):
        client.send(GET)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"220 mail.example ESMTP\r\n", "malformed response"),
        (b"\x00" * 100, "malformed response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "in the middle of its response"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + b"x" * 999, "larger than 100"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "."),
    ],
)
def test_garbage_is_an_error_and_its_connection_is_closed(serve, client_of, answer, words):
    def handle(server, sock, number):
        server.read(sock)
        sock.sendall(answer if number == 1 else ok(b"fine"))

    server = serve(handle)
    client = client_of(server.port, max_response_octets=100, num_client_connections=1)
    with pytest.raises(GatewayError, match=words):
        client.send(GET)
    assert client.pool.free + client.pool.lent == 0
    assert client.send(GET).body == b"fine"


def test_a_silent_server(serve, client_of):
    def handle(server, sock, _):
        server.read(sock)
        server.read(sock)  # until the client closes

    server = serve(handle)
    client = client_of(server.port, server_timeout_s=0.1, num_client_connections=1)
    for _ in range(3):
        with pytest.raises(GatewayError, match=r"GET /x: no response within 0\.1 s"):
            client.send(GET)
    assert client.pool.free + client.pool.lent == 0


def test_the_deadline_is_for_the_whole_response(serve, client_of):
    """An occasional octet does not extend the deadline."""
    is_over = Event()

    def handle(server, sock, _):
        server.read(sock)
        for octet in ok(b"x" * 1000):
            sock.sendall(bytes([octet]))
            if is_over.wait(0.02):
                return

    server = serve(handle)
    client = client_of(server.port, server_timeout_s=0.3)
    with gevent.Timeout(GUARD_S), pytest.raises(GatewayError, match="no response within"):
        client.send(GET)
    is_over.set()


def test_a_timeout_of_somebody_else_is_not_ours(serve, client_of):
    server = serve(lambda server, sock, _: (server.read(sock), server.read(sock)))
    client = client_of(server.port)
    with pytest.raises(gevent.Timeout), gevent.Timeout(0.05):
        client.send(GET)
    assert client.pool.lent == client.pool.free == 0


def test_a_late_answer_is_never_taken_for_the_next(serve, client_of):
    """A greenlet is killed while it waits; its connection goes with it."""
    has_first, may_answer = Event(), Event()

    def handle(server, sock, number):
        server.read(sock)
        if number == 1:
            has_first.set()
            may_answer.wait(GUARD_S)
            sock.sendall(ok(b"late"))
        sock.sendall(ok(b"right"))

    server = serve(handle)
    client = client_of(server.port, num_client_connections=1)
    caller = gevent.spawn(client.send, GET)
    has_first.wait(GUARD_S)
    caller.kill()
    may_answer.set()
    assert client.send(GET).body == b"right"
    assert server.connections == 2


def test_answers_nobody_asked_for_spoil_a_connection(serve, client_of):
    server = serve(answering(ok(b"1") + ok(b"evil"), ok(b"2")))
    client = client_of(server.port)
    assert [client.send(GET).body for _ in range(2)] == [b"1", b"2"]
    assert server.connections == 2


def test_all_connections_are_in_use(serve, client_of):
    may_answer = Event()

    def handle(server, sock, _):
        server.read(sock)
        may_answer.wait(GUARD_S)
        sock.sendall(ok(b"at last"))

    server = serve(handle)
    client = client_of(server.port, num_client_connections=1, backlog_timeout_s=0.05)
    caller = gevent.spawn(client.send, GET)
    until(lambda: server.requests)
    with pytest.raises(GatewayError, match=r"no free connection within 0\.05 s, all 1 are in use"):
        client.send(GET)
    may_answer.set()
    assert caller.get(timeout=GUARD_S).body == b"at last"
    assert len(server.requests) == 1


def test_close_ends_those_who_wait(serve, client_of):
    server = serve(lambda server, sock, _: (server.read(sock), server.read(sock)))
    client = client_of(server.port)
    caller = gevent.spawn(client.send, GET)
    until(lambda: server.requests)
    client.close("stopped")
    with pytest.raises(GatewayError):
        caller.get(timeout=GUARD_S)
    with pytest.raises(GatewayError, match="stopped"):
        client.send(GET)


def test_nobody_listens(client_of):
    client = client_of(free_port())
    with pytest.raises(ConnectFailed, match="Connection refused"):
        client.send(GET)
    assert client.counters["failures"] == 1


def test_a_host_that_does_not_exist(client_of):
    client = client_of(80, remote_host="does-not-exist.invalid")
    with pytest.raises(ConnectFailed, match=r"does-not-exist\.invalid"):
        client.send(GET)


def test_a_refusal_that_comes_before_the_request_is_through(serve, client_of):
    """The octets before the server closes are the answer, even if the request was not sent."""

    def handle(server, sock, _):
        sock.recv(100)
        sock.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(65536):
            pass

    server = serve(handle)
    body = b"x" * 5_000_000
    request = Request("POST", "/", (("Content-Length", str(len(body))),), body)
    assert client_of(server.port).send(request).code == 413


def redirecting(code, location):
    return b"HTTP/1.1 %d Go\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % (code, location)


def test_redirections_are_data_unless_they_are_to_be_followed(serve, client_of):
    server = serve(answering(redirecting(302, b"/there"), ok(b"there")))
    assert client_of(server.port).send(GET).code == 302


@pytest.mark.parametrize(
    ("code", "request_", "followed"),
    [
        (302, GET, b"GET /there?a=b HTTP/1.1\r\nHost: h\r\n\r\n"),
        (302, POST, b"GET /there?a=b HTTP/1.1\r\nHost: h\r\n\r\n"),
        (303, POST, b"GET /there?a=b HTTP/1.1\r\nHost: h\r\n\r\n"),
        (307, POST, b"POST /there?a=b HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"),
        (308, GET, b"GET /there?a=b HTTP/1.1\r\nHost: h\r\n\r\n"),
    ],
)
def test_following(serve, client_of, code, request_, followed):
    server = serve(answering(redirecting(code, b"there?a=b#part"), ok(b"there")))
    client = client_of(server.port, max_redirects=2)
    assert client.send(request_).body == b"there"
    assert server.requests[1] == followed


def test_following_what_is_not_encoded(serve, client_of):
    server = serve(answering(redirecting(302, b"/a b/\xc3\xa9?c%20d=e f"), ok(b"there")))
    assert client_of(server.port, max_redirects=1).send(GET).body == b"there"
    assert server.requests[1].startswith(b"GET /a%20b/%C3%A9?c%20d=e%20f HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "location", [b"http://other.invalid/", b"https://127.0.0.1/", b"http://[", b"ftp://127.0.0.1/"]
)
def test_a_redirection_to_another_server_is_data(serve, client_of, location):
    server = serve(answering(redirecting(307, location)))
    assert client_of(server.port, max_redirects=5).send(GET).code == 307
    assert len(server.requests) == 1


def test_a_circle_of_redirections_ends(serve, client_of):
    server = serve(answering(redirecting(302, b"/x")))
    assert client_of(server.port, max_redirects=3).send(GET).code == 302
    assert len(server.requests) == 4


def test_the_tap_gets_octets_as_on_the_wire_without_secrets(serve, client_of):
    body = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"
    server = serve(answering(body))
    told = []
    request = Request("GET", "/", (("Authorization", "Basic c2VjcmV0"),))
    client_of(server.port).send(
        request, lambda is_sent, octets, ends: told.append((is_sent, octets))
    )
    assert told == [(True, b"GET / HTTP/1.1\r\nAuthorization: ********\r\n\r\n"), (False, body)]
    assert b"c2VjcmV0" in server.requests[0]
