"""Compressed content of nginx, Node and faulty servers, requested or not."""

import gzip
import zlib

import pytest
from kinds.rest.service import failures, first
from support.nginx import running_nginx
from support.node import running_node
from unit.transport.http_servers import RawServer, ok

SHOWN = '{"balance": 1450, "text": "' + "grün " * 100 + '"}'
NGINX = """
    gzip on;
    gzip_min_length 1;
    gzip_http_version 1.0;
    gzip_types application/json;
    location / { return 200 '{"balance": 1450, "coding": "$http_accept_encoding"}'; }
"""
# /gzip, /deflate and /raw return compressed content, whatever the request accepts.
NODE = """
const zlib = require("zlib");
const codings = {gzip: ["gzip", zlib.gzipSync], deflate: ["deflate", zlib.deflateSync],
                 raw: ["deflate", zlib.deflateRawSync], br: ["br", zlib.brotliCompressSync],
                 both: ["deflate, gzip", text => zlib.gzipSync(zlib.deflateSync(text))]};
const server = require("http").createServer((request, response) => {
  const name = request.url.slice(1);
  const [coding, code] = codings[name];
  const content = JSON.stringify({balance: 1450, coding: request.headers["accept-encoding"]});
  response.setHeader("Content-Type", "application/json");
  response.setHeader("Content-Encoding", coding);
  response.end(request.method === "HEAD" ? undefined : code(content));
});
"""
BALANCE = {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450}


def coding(value):
    return {"kpath": "rest.content_json.coding", "value": value}


def ask(path, *tests, method="GET", headers=None, **entry):
    given = [{"name": name, "value": value} for name, value in (headers or {}).items()]
    arguments = {"path": path, "method": method, "http_headers": given}
    return {"type": "rest.Request", "arguments": arguments, "tests": list(tests), **entry}


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with running_nginx(tmp_path_factory.mktemp("nginx"), NGINX) as server:
        yield server.http


@pytest.fixture(scope="module")
def node():
    with running_node(NODE) as port:
        yield port


def test_nginx_sends_what_is_asked_for(daemon, nginx):
    tsvc = daemon(nginx)
    plain = {
        "kpath": "rest.http_headers.[name=Content-Encoding].[0].value",
        "type": "exists",
        "value": 0,
    }
    zipped = {"kpath": "rest.http_headers.[name=Content-Encoding].[0].value", "value": "gzip"}
    asked = ask("/", zipped, BALANCE, coding("gzip, br"), headers={"Accept-Encoding": "gzip, br"})
    result = tsvc.run(ask("/", plain, BALANCE, coding("identity")), asked, rest="R1")
    assert result["verdict"] == "pass", first(result)


def test_a_gateway_may_ask_for_it(daemon, nginx):
    tsvc = daemon(nginx, http_headers={"accept-encoding": "gzip"})
    result = tsvc.run(ask("/", BALANCE, coding("gzip")), rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    sent, received = first(result)["messages"]
    assert b"\r\naccept-encoding: gzip\r\n" in bytes.fromhex(sent["hex"])
    assert b"\x1f\x8b" in bytes.fromhex(received["hex"]), "as on the wire"
    assert received["content"]["content_json"]["balance"] == 1450, "people read it decoded"


@pytest.mark.parametrize("path", ["gzip", "deflate", "raw", "both"])
def test_node_sends_it_unasked(daemon, node, path):
    result = daemon(node).run(ask(f"/{path}", BALANCE, coding("identity")), rest="R1")
    assert result["verdict"] == "pass", first(result)


def test_a_head_has_no_content(daemon, node):
    code = {"kpath": "rest.code", "type": "integer", "value": 200}
    result = daemon(node).run(ask("/gzip", code, method="HEAD"), rest="R1")
    assert result["verdict"] == "pass", first(result)


@pytest.mark.parametrize(("malformed", "verdict"), [("fail", "fail"), ("note", "pass")])
def test_a_coding_that_nobody_knows(daemon, node, malformed, verdict):
    step = ask("/br", malformed=malformed)
    result = daemon(node).run(step, rest="R1")
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)
    if verdict == "fail":
        assert failures(result)[0] == "malformed response: unknown content coding 'br'"


@pytest.mark.parametrize(
    ("name", "octets", "words"),
    [
        ("gzip", gzip.compress(SHOWN.encode(), mtime=0)[:-3], "is not gzip: it is cut"),
        ("gzip", b"", "is not gzip: it is cut"),
        ("gzip", SHOWN.encode(), "is not gzip: incorrect header check"),
        ("deflate", zlib.compress(SHOWN.encode())[:-1] + b"\0", "is not deflate: incorrect data"),
        ("deflate", zlib.compress(SHOWN.encode()) + b"x", "is not deflate: octets follow it"),
    ],
)
def test_damaged_content_fails_and_the_next_request_goes(daemon, name, octets, words):
    head = f"Content-Type: text/plain\r\nContent-Encoding: {name}\r\n".encode()

    def serve(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(ok(octets, head))

    server = RawServer(serve)
    try:
        shown = {"kpath": "rest.content_hex", "value": octets.hex()}
        result = daemon(server.port).run(ask("/", shown), ask("/", shown), rest="R1")
    finally:
        server.stop()
    assert result["verdict"] == "fail"
    assert [one for one in failures(result) if words not in one] == []
    assert (result["counts"]["malformed"], server.connections) == (2, 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["deflate", "deflate, deflate"])
def test_a_bomb_aborts_with_its_bound(daemon, name):
    octets = zlib.compress(bytes(100_000_000), 9)
    if "," in name:
        octets = zlib.compress(octets, 9)

    def serve(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(ok(octets, f"Content-Encoding: {name}\r\n".encode()))

    server = RawServer(serve)
    try:
        result = daemon(server.port).run(ask("/x"), rest="R1")
    finally:
        server.stop()
    assert result["verdict"] == "abort"
    assert "larger than 1048576 octets once it is decoded" in first(result)["reason"]
