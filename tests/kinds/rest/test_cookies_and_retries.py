"""Cookies of an instance, retries that are asked for, and proxies: through the whole service."""

import shutil
import subprocess

import pytest
from kinds.rest.service import first
from support.daemons import HANG_GUARD_S, Daemon, require_peer
from support.nginx import running_nginx
from support.node import running_node
from support.ports import free_port, listens
from support.waiting import until
from unit.transport.http_servers import RawServer, ok

NODE = """
let users = 0;
const server = require("http").createServer((request, response) => {
  const path = request.url;
  if (path === "/login") {
    response.setHeader("Set-Cookie", [`user=u${++users}; Path=/; HttpOnly`, "once=1; Max-Age=0",
                                      "hidden=1; Secure", "other=1; Domain=other.example"]);
    response.writeHead(303, {Location: "/home"});
    return response.end();
  }
  if (path === "/logout") response.setHeader("Set-Cookie", "user=; Path=/; Max-Age=0");
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({cookie: request.headers.cookie || null}));
});
"""


def ask(path, *tests, noun="Request", **arguments):
    given = {"path": path, "method": "GET", **arguments}
    return {
        "type": f"rest.{noun}",
        "arguments": given,
        **({"tests": list(tests)} if tests else {}),
    }


def is_(member, value, type_="string"):
    return {"kpath": f"rest.{member}", "type": type_, "value": value}


# -- cookies --------------------------------------------------------------------------------------


@pytest.fixture
def node():
    with running_node(NODE) as port:
        yield port


NO_COOKIE = {"kpath": "rest.content_json.cookie", "value": None}


def test_an_instance_keeps_its_cookies(daemon, node):
    cookie = is_("content_json.cookie", "user=u1")
    added = [{"name": "Cookie", "value": "own=2"}]
    steps = [
        ask("/login", is_("code", 303, "integer")),
        ask("/x", cookie),
        ask("/x", is_("content_json.cookie", "own=2; user=u1"), http_headers=added),
        ask("/x", noun="SendRequest"),
        {"type": "rest.ExpectResponse", "tests": [cookie]},
        ask("/logout", cookie),
        ask("/x", NO_COOKIE),
    ]
    result = daemon(node, cookies=True).run(*steps, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    octets = b"".join(bytes.fromhex(one["hex"]) for one in first(result)["messages"][2:3])
    assert b"\r\nCookie: ********\r\n" in octets


def test_a_cookie_that_comes_with_a_redirection_goes_with_the_next_request(daemon, node):
    tsvc = daemon(node, cookies=True, max_redirects=2)
    result = tsvc.run(ask("/login", is_("content_json.cookie", "user=u1")), rest="R1")
    assert result["verdict"] == "pass", first(result)


def test_every_instance_has_a_jar_of_its_own(daemon, node):
    keep = {"type": "eval", "expression": "$g->{$r->{idx}} = $i->{REST}{content_json}{cookie}"}
    load = {"type": "load", "total": 20, "backlog": 7}
    steps = [ask("/x", NO_COOKIE), ask("/login"), ask("/x"), keep]
    result = daemon(node, cookies=True).run(*steps, rest="R1", distribution=load)
    assert result["verdict"] == "pass", first(result)
    assert len(set(result["globals"].values())) == 20


def test_without_being_asked_no_cookies_are_kept(daemon, node):
    result = daemon(node).run(ask("/login"), ask("/x", NO_COOKIE), rest="R1")
    assert result["verdict"] == "pass", first(result)


# -- retries --------------------------------------------------------------------------------------


@pytest.fixture
def serve(request):
    """Start a server whose n-th request is answered by the n-th answer; None closes."""

    def start(*answers):
        def handle(server, sock, _):
            while server.read(sock) is not None:
                answer = answers[min(len(server.requests), len(answers)) - 1]
                if answer is None:
                    return
                sock.sendall(answer)
                if answer == CUT:
                    return

        server = RawServer(handle)
        request.addfinalizer(server.stop)
        return server

    return start


BUSY = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
CUT = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"
POST = {"method": "POST", "content_type": "text/plain", "content": "x"}


@pytest.mark.parametrize("noun", ["Request", "SendRequest"])
def test_retries_are_made_told_and_counted(daemon, serve, noun):
    server = serve(BUSY, None, ok())
    tsvc = daemon(server.port, retries=3, retry_on=["lost"], retry_codes=[503])
    steps = [ask("/x", noun=noun, **POST)]
    if noun == "SendRequest":
        steps.append({"type": "rest.ExpectResponse"})
    steps[-1]["tests"] = [is_("code", 200, "integer")]
    result = tsvc.run(*steps, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    assert len(server.requests) == 3
    texts = [one["text"] for one in first(result)["check_log"]]
    assert "POST /x is sent again, 1 of 3 times: HTTP 503" in texts
    assert [text for text in texts if "POST /x is sent again, 2 of 3 times: POST /x: " in text]
    assert [one["direction"] for one in first(result)["messages"]].count("sent") == 3
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "R1"]
    assert status["counters"]["retried"] == 2


@pytest.mark.parametrize(
    ("members", "answers", "asked", "verdict"),
    [
        ({}, [BUSY, ok()], 1, "pass"),
        ({"retries": 2, "retry_codes": [503]}, [BUSY], 3, "pass"),
        ({"retries": 2, "retry_codes": [502]}, [BUSY, ok()], 1, "pass"),
        ({"retries": 2, "retry_on": ["connect", "timeout"]}, [None, ok()], 1, "abort"),
        ({"retries": 1, "retry_on": ["lost"]}, [None], 2, "abort"),
        ({"retries": 1, "retry_on": ["lost"]}, [CUT, None], 2, "abort"),
        ({"retries": 1, "retry_on": ["lost", "timeout"]}, [b"no HTTP\r\n\r\n"], 1, "abort"),
        ({"retries": 2, "retry_on": ["timeout"], "server_timeout_s": 1}, [b"", ok()], 2, "pass"),
    ],
)  # fmt: skip
def test_only_what_is_asked_for_is_tried_again(daemon, serve, members, answers, asked, verdict):
    server = serve(*answers)
    result = daemon(server.port, **members).run(ask("/x", **POST), rest="R1")
    assert (result["verdict"], len(server.requests)) == (verdict, asked), first(result)


# -- proxies --------------------------------------------------------------------------------------

TINYPROXY = shutil.which("tinyproxy")
PROXY_CONFIG = """
Port {port}
Listen 127.0.0.1
BasicAuth me t0p-proxy
ConnectPort {tls}
LogFile "{folder}/tinyproxy.log"
LogLevel Connect
"""


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with running_nginx(tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(scope="module")
def tinyproxy(nginx, tmp_path_factory):
    path = require_peer(TINYPROXY, "apt-get install tinyproxy")
    folder, port = tmp_path_factory.mktemp("tinyproxy"), free_port()
    text = PROXY_CONFIG.format(port=port, tls=nginx.tls, folder=folder)
    (folder / "tinyproxy.conf").write_text(text)
    process = subprocess.Popen([path, "-d", "-c", str(folder / "tinyproxy.conf")])
    log = folder / "tinyproxy.log"

    try:
        until(lambda: listens(port))
        yield port, log
    finally:
        process.kill()
        process.wait(HANG_GUARD_S)


def proxied(port, **more):
    members = {"proxy": f"http://127.0.0.1:{port}", "proxy_username": "me"}
    return {**members, "proxy_password": "t0p-proxy", **more}


BALANCE = is_("content_json.balance", 1450, "integer")


def test_http_by_a_proxy(daemon, nginx, tinyproxy):
    port, log = tinyproxy
    tsvc = daemon(nginx.http, **proxied(port))
    steps = [ask("/api/balance", BALANCE), ask("/api/balance", BALANCE)]
    result = tsvc.run(*steps, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    until(lambda: f"GET http://127.0.0.1:{nginx.http}/api/balance" in log.read_text())
    octets = b"".join(bytes.fromhex(one["hex"]) for one in first(result)["messages"])
    assert b"Proxy-Authorization: ********\r\n" in octets


def test_https_through_a_proxy(daemon, nginx, tinyproxy):
    port, log = tinyproxy
    base = f"https://127.0.0.1:{nginx.tls}"
    tsvc = daemon(0, **proxied(port, base_uri=base, ssl_ca_file=nginx.ca))
    result = tsvc.run(ask("/api/balance", BALANCE), rest="R1")
    assert result["verdict"] == "pass", first(result)
    until(lambda: f"CONNECT 127.0.0.1:{nginx.tls}" in log.read_text())


def status_of(tsvc):
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "R1"]
    return status["detail"]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"proxy_password": "wrong"}, "no tunnel to 127.0.0.1:{tls}: HTTP 401"),
        ({"proxy_username": ""}, "no tunnel to 127.0.0.1:{tls}: HTTP 407"),
        ({"base_uri": "https://127.0.0.1:1"}, "no tunnel to 127.0.0.1:1: HTTP 403"),
        ({"proxy": "http://127.0.0.1:1"}, "proxy 127.0.0.1:1: Connection refused"),
    ],
)
def test_what_a_proxy_refuses_is_told(tmp_path, nginx, tinyproxy, members, words):
    port, _ = tinyproxy
    given = proxied(port, base_uri=f"https://127.0.0.1:{nginx.tls}", ssl_ca_file=nginx.ca)
    tsvc = Daemon(tmp_path, {"R1": ("rest", {**given, **members})})
    try:
        until(lambda: words.format(tls=nginx.tls) in status_of(tsvc), what=lambda: status_of(tsvc))
    finally:
        tsvc.stop()


@pytest.mark.parametrize(
    "answer", [b"hello\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000]
)
def test_a_proxy_that_is_none(tmp_path, nginx, answer):
    def serve(server, sock, _):
        server.read(sock)
        sock.sendall(answer)

    server = RawServer(serve)
    given = proxied(server.port, base_uri=f"https://127.0.0.1:{nginx.tls}")
    tsvc = Daemon(tmp_path, {"R1": ("rest", given)})
    try:
        until(lambda: f"proxy 127.0.0.1:{server.port}: " in status_of(tsvc))
    finally:
        tsvc.stop()
        server.stop()
