"""Digest with lighttpd and a server that changes its nonce; tokens of a server with Authlib."""

import base64
import json
import urllib.request

import gevent
import pytest
from kinds.rest.service import first
from marshmallow import ValidationError
from support import token_server
from support.clock import FakeClock
from support.lighttpd import running_lighttpd
from support.ports import free_port
from unit.transport.http_servers import RawServer, ok

from tsvc.kinds.rest.config import RestConfig
from tsvc.protocols.http_digest import Credentials, challenge_of
from tsvc.transport.http.authentication import ClientCredentials
from tsvc.transport.http.client import HttpClient
from tsvc.transport.http.message import Request
from tsvc.transport.http.settings import HttpConfig

SECRETS = ("t0p-secret", token_server.SECRET, "bearer ")


def ask(path, *tests, **arguments):
    given = {"path": path, "method": "GET", **arguments}
    return {"type": "rest.Request", "arguments": given, "tests": list(tests)}


def is_(code):
    return {"kpath": "rest.code", "type": "integer", "value": code}


# -- digest ---------------------------------------------------------------------------------------

DIGEST = {"authentication": "digest", "username": "me", "password": "t0p-secret"}


@pytest.fixture(scope="module")
def lighttpd(tmp_path_factory):
    with running_lighttpd(tmp_path_factory.mktemp("lighttpd")) as port:
        yield port


@pytest.mark.parametrize("path", ["/md5", "/sha", "/sha?a=%20b"])
def test_lighttpd_lets_us_in(daemon, lighttpd, path):
    content = {"kpath": "rest.content", "value": "in"}
    steps = [ask(path, is_(200), content) for _ in range(3)]
    result = daemon(lighttpd, **DIGEST).run(*steps, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    # One refusal brings the nonce, which all later requests use.
    assert len(first(result)["messages"]) == 2 * (1 + 3)


def test_lighttpd_refuses_a_wrong_password(daemon, lighttpd):
    tsvc = daemon(lighttpd, **{**DIGEST, "password": "wrong"})
    result = tsvc.run(ask("/sha", is_(401)), rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    assert len(first(result)["messages"]) == 4


def test_the_ping_is_answered_to_digest(daemon, lighttpd):
    tsvc = daemon(lighttpd, ping_path="/md5", **DIGEST)
    tsvc.until_up()


def test_a_nonce_that_is_stale_is_replaced_and_nothing_else_is_asked_twice(daemon):
    """The third request is refused as stale: it is sent again with the new nonce, count 1."""

    def serve(server, sock, _):
        while (request := server.read(sock)) is not None:
            number = len(server.requests)
            if number in (1, 4):
                stale = b", stale=true" if number == 4 else b""
                sock.sendall(
                    b"HTTP/1.1 401 No\r\nContent-Length: 0\r\nWWW-Authenticate: Digest "
                    b'realm="r", nonce="n%d", qop="auth"%b\r\n\r\n' % (number, stale)
                )
                continue
            nonce, count = (b"n1", number - 1) if number < 4 else (b"n4", number - 4)
            assert b'nonce="%b"' % nonce in request
            assert b"nc=%08x" % count in request
            sock.sendall(ok())

    server = RawServer(serve)
    try:
        steps = [ask("/x", is_(200), method="POST") for _ in range(4)]
        result = daemon(server.port, **DIGEST).run(*steps, rest="R1")
    finally:
        server.stop()
    assert result["verdict"] == "pass", first(result)
    assert len(server.requests) == 6


def test_a_header_of_the_user_stands(daemon, lighttpd):
    own = [{"name": "Authorization", "value": "Basic eDp5"}]
    step = ask("/md5", is_(401), http_headers=own)
    result = daemon(lighttpd, **DIGEST).run(step, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    assert len(first(result)["messages"]) == 2


def test_responses_differ_by_all_that_they_are_made_of():
    """Responses that differ in one member of their input are all different."""
    (challenge,) = [challenge_of(['Digest realm="r", nonce="n", qop=auth, algorithm=SHA-256'])]
    made = {
        Credentials(*who).answer(challenge, *what).partition("response=")[2][:66]
        for who in (("a", "b"), ("a", "c"), ("b", "b"))
        for what in (("GET", "/", 1, "c"), ("PUT", "/", 1, "c"), ("GET", "/x", 1, "c"),
                     ("GET", "/", 2, "c"), ("GET", "/", 1, "d"))
    }  # fmt: skip
    assert len(made) == 15


# -- OAuth 2.0 ------------------------------------------------------------------------------------


def oauth(port, **more):
    return {
        "oauth_uri": f"http://127.0.0.1:{port}/token",
        "oauth_client_id": token_server.CLIENT,
        "oauth_client_secret": token_server.SECRET,
        "oauth_client_authentication": "basic_plain",
        **more,
    }


def got(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}") as answer:
        return json.loads(answer.read() or b"null")


@pytest.fixture(scope="module")
def token_port():
    with token_server.running() as port:
        yield port


@pytest.fixture
def tokens(token_port):
    """The port of a token server that has issued no token yet."""
    assert got(token_port, "/anew")["count"] == 0
    return token_port


@pytest.mark.parametrize("where", ["basic_plain", "body"])
def test_one_token_serves_all_instances(daemon, tokens, where):
    members = oauth(tokens, oauth_client_authentication=where, oauth_scope="read write")
    tsvc = daemon(tokens, **members)
    scope = {"kpath": "rest.content_json.scope", "value": "read write"}
    load = {"type": "linear", "total": 60, "cps": 600, "backlog": 60}
    result = tsvc.run(ask("/resource", is_(200), scope), rest="R1", distribution=load)
    assert (result["verdict"], result["counts"]["passed"]) == ("pass", 60), first(result)
    assert got(tokens, "/count")["count"] == 1
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "R1"]
    assert status["counters"]["tokens"] == 1


def test_the_encoding_of_basic(daemon):
    """RFC 6749 2.3.1 encodes id and secret as in a form; Authlib does not decode them."""
    answer = ok(b'{"access_token": "t", "token_type": "bearer"}')

    def serve(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(answer)

    for where, text in (("basic", "s3cret%2F%2B+%26"), ("basic_plain", "s3cret/+ &")):
        server = RawServer(serve)
        try:
            members = oauth(server.port, oauth_client_authentication=where)
            assert daemon(server.port, **members).run(ask("/x"), rest="R1")["verdict"] == "pass"
        finally:
            server.stop()
        credentials = base64.b64encode(f"tester:{text}".encode())
        assert b"\r\nAuthorization: Basic %b\r\n" % credentials in server.requests[0]
        assert b"\r\nAuthorization: Bearer t\r\n" in server.requests[1]


def test_a_token_that_is_refused_is_replaced_once(daemon, tokens):
    tsvc = daemon(tokens, **oauth(tokens))
    steps = [ask("/resource", is_(200)), ask("/revoke"), ask("/resource", is_(200))]
    result = tsvc.run(*steps, rest="R1", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    assert got(tokens, "/count")["count"] == 2
    # The trace has the refused request, too.
    assert len(first(result)["messages"]) == 2 * 4


def test_a_token_is_renewed_before_it_expires():
    with token_server.running(expires_in=100) as port:
        client = HttpClient(HttpConfig.load({"base_uri": f"http://127.0.0.1:{port}/token"}))
        client.pool.open()
        clock = FakeClock()
        form = {"client_id": token_server.CLIENT, "client_secret": token_server.SECRET}
        tokens = ClientCredentials("R", client, clock, form, "body")
        seen = []
        for _ in range(3):
            waiting = [gevent.spawn(tokens.dress, Request("GET", "/")) for _ in range(20)]
            gevent.joinall(waiting, raise_error=True)
            assert len({one.value for one in waiting}) == 1
            seen.append(waiting[0].value.fields[-1])
            clock.advance(79.0)
        client.close("over")
        assert len(set(seen)) == 2
        assert got(port, "/count")["count"] == 2


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"oauth_client_secret": "wrong"}, "token: HTTP 401 UNAUTHORIZED: invalid_client"),
        ({"oauth_client_id": "nobody"}, "token: HTTP 401 UNAUTHORIZED: invalid_client"),
    ],
)
def test_a_refusal_of_the_token_server_is_told_in_its_words(daemon, tokens, members, words):
    tsvc = daemon(tokens, **oauth(tokens, **members))
    result = tsvc.run(ask("/resource"), rest="R1")
    assert result["verdict"] == "abort"
    assert f"R1: {words}" in first(result)["reason"]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"hello", "no access_token"),
        (b'{"token_type": "Bearer"}', "no access_token"),
        (b'{"access_token": "a b", "token_type": "Bearer"}', "no access_token"),
        (b'{"access_token": "a", "token_type": "mac"}', "token_type 'mac', not Bearer"),
        (b'{"access_token": "a"}', "token_type 'None', not Bearer"),
        (b"[" * 100_000, "no access_token"),
    ],
)
def test_what_is_no_token(daemon, answer, words):
    def serve(server, sock, _):
        while server.read(sock) is not None:
            sock.sendall(ok(answer))

    server = RawServer(serve)
    try:
        result = daemon(server.port, **oauth(server.port)).run(ask("/x"), rest="R1")
    finally:
        server.stop()
    assert result["verdict"] == "abort"
    assert words in first(result)["reason"]


def test_a_token_server_that_is_not_there(daemon, tokens):
    tsvc = daemon(tokens, **oauth(free_port()))
    result = tsvc.run(ask("/resource"), rest="R1")
    assert result["verdict"] == "abort"
    assert "token: 127.0.0.1:" in first(result)["reason"]


@pytest.mark.parametrize("where", ["oauth", "digest"])
def test_secrets_are_nowhere(daemon, tokens, lighttpd, where, capsys):
    tsvc = daemon(tokens, **oauth(tokens)) if where == "oauth" else daemon(lighttpd, **DIGEST)
    path = "/resource" if where == "oauth" else "/sha"
    result = tsvc.run(ask(path, is_(200)), rest="R1", trace_level=3, run_id="r")
    traces = [tsvc.ask("GetTrace", run_id="r", format=one) for one in ("json", "text", "ladder")]
    assert [one["error"] for one in traces if one.get("error")] == []
    shown = json.dumps([result, traces, tsvc.ask("DescribeService")]) + str(capsys.readouterr())
    for secret in (*SECRETS[:2], *(one for one in _tokens_of(tsvc))):
        assert secret not in shown
        assert secret.encode().hex() not in shown
    assert result["verdict"] == "pass", first(result)


def _tokens_of(tsvc):
    tokens = tsvc.gateway_of("rest")._tokens
    return [] if tokens is None else [tokens._token]


# -- configuration --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"authentication": "digest"}, "username"),
        ({"authentication": "ntlm", "username": "a"}, "authentication"),
        ({"oauth_uri": "http://h/token"}, "oauth_client_id"),
        ({"oauth_uri": "h/token", "oauth_client_id": "a"}, "oauth_uri"),
        ({"oauth_client_id": "a"}, "oauth_client_id"),
        ({"oauth_uri": "http://h", "oauth_client_id": "a", "username": "b"}, "oauth_uri"),
        ({"oauth_uri": "http://h", "oauth_client_id": "a", "bearer_token": "b"}, "oauth_uri"),
        ({"retries": 2}, "retry_on"),
        ({"retry_on": ["lost"]}, "retries"),
        ({"retries": 1, "retry_on": ["always"]}, "retry_on"),
        ({"retries": 1, "retry_codes": [200]}, "retry_codes"),
        ({"proxy": "https://h"}, "proxy"),
        ({"proxy": "http://h/x"}, "proxy"),
        ({"proxy": "h:1"}, "proxy"),
        ({"proxy_username": "a"}, "proxy_username"),
        ({"proxy": "http://h", "proxy_username": "a:b"}, "proxy_username"),
    ],
)
def test_configurations_that_are_refused(members, key):
    with pytest.raises(ValidationError) as raised:
        RestConfig.load({"remote_host": "h", **members})
    assert list(raised.value.messages) == [key]
