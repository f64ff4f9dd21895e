"""The rest gateway: its configuration, its requests, and its life against good and bad servers."""

import gevent
import pytest
from gevent import socket
from marshmallow import ValidationError
from support.nginx import running_nginx
from support.ports import free_port
from support.waiting import GUARD_S, stays, until
from unit.transport.http_servers import RawServer, answering, ok

from tsvc.clock import SYSTEM_CLOCK
from tsvc.errors import GatewayError
from tsvc.gateways.gateway import GATEWAYS, GatewayContext, GatewayState
from tsvc.kind import kinds
from tsvc.kinds.rest.config import RestConfig
from tsvc.kinds.rest.gateway import RestGateway

CONTEXT = GatewayContext(SYSTEM_CLOCK, lambda: 0.5)
UP, CONNECTING, DOWN = GatewayState.UP, GatewayState.CONNECTING, GatewayState.DOWN


def gateway_of(**members):
    return RestGateway("R", RestConfig.load(members), CONTEXT)


@pytest.fixture
def start(request):
    """Start gateways; they are killed after the test."""

    def start_one(*, state=UP, **members):
        gateway = gateway_of(reconnect_interval_s=0.05, **members)
        request.addfinalizer(gateway.kill)
        gateway.start()
        if state is not None:
            until(lambda: gateway.status().state is state)
        return gateway

    return start_one


@pytest.fixture
def serve(request):
    def start_one(handle, port=0):
        server = RawServer(handle, port)
        request.addfinalizer(server.stop)
        return server

    return start_one


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with running_nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


def uri(port, path="/api"):
    return f"http://127.0.0.1:{port}{path}"


# -- configuration -------------------------------------------------------------------------------


def test_it_is_a_kind_with_labels():
    assert GATEWAYS.get("rest") is RestGateway
    assert kinds()["rest"].is_labelled


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({}, "base_uri"),
        ({"base_uri": "http://h", "remote_host": "h"}, "base_uri"),
        ({"base_uri": "http://h", "path": "/x"}, "path"),
        ({"base_uri": "http://h", "ssl": True}, "ssl"),
        ({"base_uri": "ftp://h"}, "base_uri"),
        ({"base_uri": "http://"}, "base_uri"),
        ({"base_uri": "http://h:99999"}, "base_uri"),
        ({"base_uri": "http://u:p@h"}, "base_uri"),
        ({"base_uri": "http://h/?a=b"}, "base_uri"),
        ({"remote_host": "h", "num_client_connections": 0}, "num_client_connections"),
        ({"remote_host": "h", "server_timeout_s": 0}, "server_timeout_s"),
        ({"remote_host": "h", "http_headers": {"A B": "1"}}, "http_headers"),
        ({"remote_host": "h", "http_headers": {"A": "1\r\nB: 2"}}, "http_headers"),
        ({"remote_host": "h", "ssl_key_file": "k"}, "ssl_cert_file"),
        ({"remote_host": "h", "username": "a:b"}, "username"),
        ({"remote_host": "h", "username": "a", "bearer_token": "t"}, "bearer_token"),
        ({"remote_host": "h", "bearer_token": "a\r\nB: c"}, "bearer_token"),
        ({"remote_host": "h", "nonsense": 1}, "nonsense"),
    ],
)
def test_configurations_that_are_refused(members, key):
    with pytest.raises(ValidationError) as raised:
        RestConfig.load(members)
    assert list(raised.value.messages) == [key]


def test_a_file_that_is_not_there_is_named_when_it_starts():
    gateway = gateway_of(base_uri="https://h", ssl_ca_file="/does/not/exist")
    with pytest.raises(GatewayError, match="ssl_ca_file: No such file"):
        gateway.start()
    gateway.kill()
    assert gateway.status().state is DOWN


# -- requests ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "path", "query", "target"),
    [
        ("", "", "", "/"),
        ("", "balance", "", "/balance"),
        ("/", "/balance", "", "/balance"),
        ("/api", "", "", "/api"),
        ("/api/", "", "", "/api/"),
        ("/api", "balance", "", "/api/balance"),
        ("/api/", "/balance/", "", "/api/balance/"),
        ("/api", "?a=1", "", "/api?a=1"),
        ("/api", "/x?a=1", "b=2", "/api/x?a=1&b=2"),
        ("/api", "/x", "?b=2", "/api/x?b=2"),
        ("/api", "/x", {"a": "1 2", "b": ["x", "y&z"]}, "/api/x?a=1+2&b=x&b=y%26z"),
        ("", "/a b/ü/#/%2F", "", "/a%20b/%C3%BC/%23/%2F"),
        ("", "/x\r\nHost: evil", "", "/x%0D%0AHost:%20evil"),
    ],
)
def test_targets(base, path, query, target):
    gateway = gateway_of(base_uri=f"http://h{base}")
    assert gateway.request("GET", path, query).target == target


@pytest.mark.parametrize(
    ("members", "host"),
    [
        ({"base_uri": "http://h"}, "h"),
        ({"base_uri": "http://h:80"}, "h"),
        ({"base_uri": "http://h:8080"}, "h:8080"),
        ({"base_uri": "https://h:443"}, "h"),
        ({"base_uri": "https://h:80"}, "h:80"),
        ({"base_uri": "http://[::1]:8080"}, "[::1]:8080"),
        ({"remote_host": "h", "remote_port": 81, "path": "/p"}, "h:81"),
        ({"remote_host": "h", "ssl": True}, "h"),
        ({"remote_host": "h", "http_headers": {"host": "other"}}, "other"),
    ],
)
def test_host(members, host):
    fields = gateway_of(**members).request("GET").fields
    assert [value for name, value in fields if name.lower() == "host"] == [host]


def test_headers_replace_or_are_added():
    gateway = gateway_of(remote_host="h", http_headers={"X-A": "configured", "Accept": "text/x"})

    def values(*headers):
        fields = gateway.request("GET", headers=headers).fields
        return [value for name, value in fields if name.lower() == "x-a"]

    assert values() == ["configured"]
    assert values(("x-a", "own", False)) == ["own"]
    assert values(("x-a", "own", True)) == ["configured", "own"]
    accept = [value for name, value in gateway.standing if name == "Accept"]
    assert accept == ["text/x"]


@pytest.mark.parametrize(
    ("method", "body", "lengths"),
    [("GET", b"", []), ("POST", b"", ["0"]), ("DELETE", b"", []), ("DELETE", b"abc", ["3"])],
)
def test_content_length(method, body, lengths):
    fields = gateway_of(remote_host="h").request(method, body=body).fields
    assert [value for name, value in fields if name == "Content-Length"] == lengths


def test_credentials():
    basic = gateway_of(remote_host="h", username="me", password="pÄss")
    assert ("Authorization", "Basic bWU6cMOEc3M=") in basic.standing
    bearer = gateway_of(remote_host="h", bearer_token="t0ken")
    assert ("Authorization", "Bearer t0ken") in bearer.standing


# -- life ----------------------------------------------------------------------------------------


def test_start_twice_changes_nothing(serve, start):
    server = serve(answering(ok()))
    gateway = start(base_uri=uri(server.port))
    gateway.start()
    stays(lambda: server.connections == 1, 0.05)
    gateway.stop(1.0)
    assert gateway.status().state is DOWN
    with pytest.raises(GatewayError, match="R: the gateway is stopped"):
        gateway.send(gateway.request("GET"))


def test_before_it_is_started():
    gateway = gateway_of(remote_host="h")
    assert gateway.status().state is DOWN
    with pytest.raises(GatewayError, match="not started"):
        gateway.send(gateway.request("GET"))
    gateway.kill()
    gateway.stop(0.1)


def test_it_can_be_started_again(serve, start):
    server = serve(answering(ok()))
    gateway = start(base_uri=uri(server.port))
    gateway.stop(0.1)
    gateway.start()
    until(lambda: gateway.status().state is UP)
    assert gateway.send(gateway.request("GET")).code == 200


def test_stop_and_kill_while_connecting(start):
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        port = full.getsockname()[1]
        # With its backlog full, a further connection gets no answer at all.
        others = [socket.socket() for _ in range(3)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", port))
        gateway = start(state=None, base_uri=uri(port))
        stays(lambda: gateway.status().state is CONNECTING, 0.02)
        gateway.stop(1.0)
        assert gateway.status().state is DOWN
        gateway.kill()
        for other in others:
            other.close()


def test_down_until_the_server_is_there_and_again(serve, start):
    port = free_port()
    gateway = start(state=None, base_uri=uri(port))
    until(lambda: "refused" in gateway.status().detail)
    assert gateway.status().state is CONNECTING
    with pytest.raises(GatewayError, match=r"R: .*refused"):
        gateway.send(gateway.request("GET"))
    first = serve(answering(ok()), port)
    until(lambda: gateway.status().state is UP)
    assert gateway.send(gateway.request("GET")).code == 200
    first.stop()
    until(lambda: gateway.status().state is CONNECTING)
    serve(answering(ok(b"back")), port)
    until(lambda: gateway.status().state is UP)
    assert gateway.send(gateway.request("GET")).body == b"back"


def test_stop_lets_requests_end(serve, start):
    may_answer = gevent.event.Event()

    def handle(server, sock, _):
        server.read(sock)
        may_answer.wait(GUARD_S)
        sock.sendall(ok(b"in time"))

    server = serve(handle)
    gateway = start(base_uri=uri(server.port))
    caller = gevent.spawn(gateway.send, gateway.request("GET"))
    until(lambda: server.requests)
    stopper = gevent.spawn(gateway.stop, GUARD_S)
    until(lambda: gateway.status().state is GatewayState.DRAINING)
    with pytest.raises(GatewayError, match="stopping"):
        gateway.send(gateway.request("GET"))
    may_answer.set()
    assert caller.get(timeout=GUARD_S).body == b"in time"
    stopper.join()
    assert gateway.status().state is DOWN


def test_the_ping_decides(serve, start):
    answers = [b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"]

    def handle(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(answers[-1])

    server = serve(handle)
    gateway = start(state=None, base_uri=uri(server.port), ping_path="/health")
    until(lambda: gateway.status().detail == "ping: HTTP 503, expected 200")
    assert gateway.status().state is CONNECTING
    answers.append(ok())
    until(lambda: gateway.status().state is UP)
    assert server.requests[0].startswith(b"GET /api/health HTTP/1.1\r\n")


# -- nginx ---------------------------------------------------------------------------------------


def test_tls_with_a_known_ca(nginx, start):
    gateway = start(base_uri=f"https://localhost:{nginx.tls}/api", ssl_ca_file=nginx.ca)
    assert gateway.send(gateway.request("GET", "balance")).code == 200


def test_tls_of_an_unknown_ca_is_refused(nginx, start):
    gateway = start(state=None, base_uri=f"https://localhost:{nginx.tls}/api")
    until(lambda: "certificate refused" in gateway.status().detail)
    with pytest.raises(GatewayError, match="certificate refused"):
        gateway.send(gateway.request("GET", "balance"))


def test_tls_of_another_name_is_refused(nginx, start):
    wrong = {"ssl_ca_file": nginx.ca, "ssl_server_name": "other.example"}
    gateway = start(state=None, base_uri=f"https://127.0.0.1:{nginx.tls}", **wrong)
    until(lambda: "other.example" in gateway.status().detail)


def test_tls_without_verification(nginx, start):
    gateway = start(base_uri=f"https://localhost:{nginx.tls}/api", ssl_verify=False)
    assert gateway.send(gateway.request("GET", "balance")).code == 200


def test_client_certificate(nginx, start):
    base = f"https://localhost:{nginx.mutual}/api"
    with_one = start(base_uri=base, ssl_ca_file=nginx.ca, **nginx.certificate)
    response = with_one.send(with_one.request("GET", "echo"))
    assert (response.code, response.field("x-client")) == (200, "CN=tsvc client")
    without = start(base_uri=base, ssl_ca_file=nginx.ca)
    # nginx reports the missing certificate in a response.
    assert without.send(without.request("GET", "echo")).code == 400


def test_nginx_understands_what_is_sent(nginx, start):
    gateway = start(base_uri=uri(nginx.http), username="me", password="secret")
    request = gateway.request(
        "POST",
        "echo",
        {"a": "1&2"},
        headers=[("X-Given", "g", False)],
        content_type="application/json",
        body=b'{"a": 1}',
    )
    response = gateway.send(request)
    seen = {name: response.field(f"x-{name}") for name in ("query", "given", "content-type")}
    assert seen == {"query": "a=1%262", "given": "g", "content-type": "application/json"}
    assert response.field("x-authorization") == "Basic bWU6c2VjcmV0"
    nothing = gateway.send(gateway.request("DELETE", "nothing"))
    assert (nothing.code, nothing.body) == (204, b"")
    head = gateway.send(gateway.request("HEAD", "balance"))
    assert (head.code, head.body, head.field("content-length")) == (200, b"", "35")
    assert gateway.send(gateway.request("GET", "broken")).code == 500
    assert gateway.send(gateway.request("GET", "closing")).code == 200
    assert gateway.send(gateway.request("GET", "balance")).code == 200


def test_many_at_once(nginx, start):
    gateway = start(base_uri=f"https://localhost:{nginx.tls}/api", ssl_verify=False)
    request = gateway.request("GET", "balance")
    callers = [gevent.spawn(gateway.send, request) for _ in range(100)]
    gevent.joinall(callers, timeout=GUARD_S, raise_error=True)
    assert [caller.value.code for caller in callers] == [200] * 100
    assert gateway.status().counters["connections"] <= 10
