"""Frames over a real socket: portions, borders, ends, TLS, slow clients."""

import json
import shutil
import ssl as plain_ssl
import subprocess

import gevent
import pytest
from gevent import socket, ssl
from support.daemons import require_peer

pytestmark = pytest.mark.e2e


def test_one_request_one_response_then_the_end(server):
    assert server.call(params={"text": "a", "count": "2"}) == {
        "jsonrpc": "2.0",
        "result": {"echo": {"text": "a", "count": 2}},
        "id": 7,
    }


def test_octet_by_octet(server):
    with server.connect() as sock:
        for octet in server.request(params={"text": "slow"}):
            sock.sendall(bytes([octet]))
            gevent.sleep(0)
        assert server.read_response(sock)["result"] == {"echo": {"text": "slow"}}


def test_octets_after_the_frame_are_ignored_and_counted(server):
    with server.connect() as sock:
        sock.sendall(server.request() + server.request(request_id=8) + b"surplus")
        assert server.read_response(sock)["id"] == 7
    surplus = len(server.request(request_id=8)) + len(b"surplus")
    assert server.settles(lambda: server.listener.counters.surplus_octets == surplus)


def test_disconnect_at_each_octet(server):
    request = server.request(params={"text": "abc"})
    for length in range(len(request)):
        with server.connect() as sock:
            sock.sendall(request[:length])
    counters = server.listener.counters
    assert server.settles(lambda: counters.incomplete == len(request))
    assert server.works()


def test_reset_at_each_octet(server):
    request = server.request(params={"text": "abc"})
    linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
    for length in range(len(request) + 1):
        sock = server.connect()
        sock.sendall(request[:length])
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        sock.close()
    assert server.works()
    assert server.settles(lambda: len(server.listener._admission) == 0)


@pytest.mark.parametrize("length", [0, 2, 4, 20])
def test_a_client_that_stops_sending_is_told_what_is_missing(server, length):
    answer = server.send(server.request()[:length], ends=True)
    assert answer["id"] is None
    assert answer["error"]["code"] == 1000
    assert answer["error"]["data"]["kind"] == "request.incomplete"
    assert "ended after" in answer["error"]["message"]


def test_a_half_closed_client_gets_its_answer(server):
    assert server.send(server.request(params={"text": "x"}), ends=True)["id"] == 7


@pytest.mark.parametrize("request_id", [1, 0, -5, 2**70, 1.5, 1.0, "1", "", "é", "\x00"])
def test_the_id_keeps_type_and_value(server, request_id):
    found = server.call(request_id=request_id)["id"]
    assert (type(found), found) == (type(request_id), request_id)


def test_ids_as_strings(start):
    server = start(id_as_string=True)
    assert server.call(request_id=12)["id"] == "12"
    assert server.call("Nowhere", request_id=12)["id"] == "12"
    assert server.send(server.frame(b"{}"))["id"] is None


def test_largest_request_is_served_and_one_octet_more_is_not(start):
    server = start(max_request_octets=4096)
    envelope = json.loads(server.request(params={"x_pad": ""})[4:])
    envelope["params"]["x_pad"] = "p" * (4096 - len(json.dumps(envelope)))
    body = json.dumps(envelope).encode()
    assert len(body) == 4096
    assert "error" not in server.send(server.frame(body))
    answer = server.send(server.frame(body + b" "))
    assert answer["error"]["data"] == {"kind": "frame.too_long", "limit": 4096}


def test_a_response_larger_than_all_buffers(server):
    assert server.call("Large")["result"] == "x" * 8_000_000


def test_a_client_that_takes_no_response_does_not_stay(start):
    server = start(request_timeout_s=2.0)
    with server.connect() as sock:
        sock.sendall(server.request("Large"))
        assert server.settles(lambda: server.listener.counters.lost == 1)
    assert server.works()


def test_responses_are_ended_though_the_client_stays(server):
    with server.connect() as sock:
        sock.sendall(server.request())
        server.read_response(sock)
        assert server.settles(lambda: len(server.listener._connections) == 0)


def test_ipv6(start):
    try:
        server = start(host="::1")
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert server.works()


def test_an_address_in_use_is_named(start):
    port = start().listener.address[1]
    with pytest.raises(OSError, match=f"can't listen on 127.0.0.1 port {port}: "):
        start(port=port)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    require_peer(shutil.which("openssl"), "apt-get install openssl")
    folder = tmp_path_factory.mktemp("tls")
    for name in ("server", "client", "stranger"):
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes"
        command += f" -keyout {name}.key -out {name}.pem -days 2 -subj /CN=localhost"
        command += " -addext subjectAltName=DNS:localhost"
        subprocess.run(command.split(), cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def tls_server(start, certificates):
    from tsvc.config.tables import Tls

    return start(
        tls=Tls(
            cert_file=certificates / "server.pem",
            key_file=certificates / "server.key",
            client_ca_file=certificates / "client.pem",
        ),
    )


def tls_connect(server, certificates, name):
    context = ssl.SSLContext(plain_ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(certificates / "server.pem")
    if name:
        context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    return context.wrap_socket(server.connect(), server_hostname="localhost")


def test_tls_with_a_client_certificate(tls_server, certificates):
    with tls_connect(tls_server, certificates, "client") as sock:
        sock.sendall(tls_server.request(params={"text": "secret"}))
        assert tls_server.read_response(sock)["result"] == {"echo": {"text": "secret"}}


@pytest.mark.parametrize("name", [None, "stranger"])
def test_tls_without_the_right_certificate(tls_server, certificates, name):
    def call():
        with tls_connect(tls_server, certificates, name) as sock:
            sock.sendall(tls_server.request())
            return sock.recv(1)

    with pytest.raises(plain_ssl.SSLError):
        call()
    assert tls_server.listener.counters.answered == 0


def test_plain_octets_to_a_tls_port_end_the_connection(tls_server):
    with tls_server.connect() as sock:
        sock.sendall(tls_server.request())
        with pytest.raises((AssertionError, ConnectionError)):
            tls_server.read_response(sock)
    assert tls_server.listener.counters.lost == 1
