"""osd authenticates as rest does: digest with lighttpd, tokens of a server with Authlib."""

import base64
import json

import pytest
from kinds.rest.service import HttpService, first
from marshmallow import ValidationError
from support import token_server
from support.lighttpd import running_lighttpd
from unit.transport.http_servers import RawServer, ok

from tsvc.kinds.osd.fake import OsdFake
from tsvc.kinds.osd.gateway import OsdConfig
from tsvc.protocols.soap import SOAP_1_1

QUERY = {
    "type": "osd.Request",
    "arguments": {"action": "http://sms/wsdls/P/S/Query", "operation": "QueryBalance",
                  "parameters": {"msisdn": "6421000001"}},
}  # fmt: skip
DIGEST = {"security": "digest", "username": "me", "password": "t0p-secret"}
CHALLENGE = (
    b"HTTP/1.1 401 No\r\nContent-Length: 0\r\n"
    b'WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=SHA-256\r\n\r\n'
)
SOAP = ok(
    f'<s:Envelope xmlns:s="{SOAP_1_1}"><s:Body><r/></s:Body></s:Envelope>'.encode(),
    b"Content-Type: text/xml\r\n",
)


@pytest.fixture
def daemon(tmp_path):
    made = []

    def make(port, **members):
        given = {"remote_host": "127.0.0.1", "remote_port": port, **members}
        made.append(HttpService(tmp_path, {"OSD": ("osd", given)}))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@pytest.fixture
def serve():
    made = []

    def start(answer):
        """`answer`: returns the octets that answer a request."""

        def converse(server, sock, _):
            while (request := server.read(sock)) is not None:
                sock.sendall(answer(request))

        made.append(RawServer(converse))
        return made[-1]

    yield start
    for one in made:
        one.stop()


def test_lighttpd_lets_us_in(daemon, tmp_path):
    """lighttpd's content is no SOAP; the status must not be 401."""
    with running_lighttpd(tmp_path) as port:
        tsvc = daemon(port, path="/sha", **DIGEST)
        result = tsvc.run({**QUERY, "malformed": "note"}, osd="OSD", trace_level=3)
        assert first(result)["messages"][-1]["title"] != "HTTP 401", first(result)
        assert "401" not in str(first(result)["reason"])
        wrong = daemon(port, path="/sha", **{**DIGEST, "password": "wrong"})
        assert "HTTP 401" in first(wrong.run(QUERY, osd="OSD"))["reason"]


def test_one_challenge_serves_all_and_no_trace_has_the_answer(daemon, serve):
    server = serve(lambda request: SOAP if b"Authorization: Digest" in request else CHALLENGE)
    result = daemon(server.port, **DIGEST).run(QUERY, QUERY, QUERY, osd="OSD", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    assert len(server.requests) == 1 + 3
    assert len(first(result)["messages"]) == 2 * (1 + 3)
    assert all(b"<msisdn>6421000001</msisdn>" in one for one in server.requests)
    told = json.dumps(result)
    assert "t0p-secret" not in told
    assert "nc=00000001" not in told


def test_a_token_beside_the_soap_header(daemon, serve):
    with token_server.running() as port:
        server = serve(lambda request: SOAP)
        tsvc = daemon(
            server.port,
            oauth_uri=f"http://127.0.0.1:{port}/token",
            oauth_client_id=token_server.CLIENT,
            oauth_client_secret=token_server.SECRET,
            oauth_client_authentication="body",
            security="inline",
            username="me",
            password="t0p-secret",
        )
        result = tsvc.run(QUERY, QUERY, osd="OSD", trace_level=3)
    assert result["verdict"] == "pass", first(result)
    for request in server.requests:
        assert b"\r\nAuthorization: Bearer " in request
        assert b"<wsse:Password>t0p-secret<" in request
    (status,) = [one for one in tsvc.service.gateways.status() if one["name"] == "OSD"]
    assert status["counters"]["tokens"] == 1
    told = json.dumps(result)
    assert "t0p-secret" not in told
    assert b"t0p-secret".hex() not in told
    token = server.requests[0].split(b"Bearer ")[1].split(b"\r\n")[0]
    assert token.decode() not in told


def test_a_fake_takes_basic_as_before(daemon):
    fake = OsdFake(username="me", password="t0p-secret")
    fake.start()
    try:
        tsvc = daemon(fake.address[1], security="basic", username="me", password="t0p-secret")
        assert tsvc.run(QUERY, osd="OSD")["verdict"] == "pass"
        credentials = base64.b64encode(b"me:t0p-secret").decode()
        assert fake.received[-1].fields["authorization"] == f"Basic {credentials}"
    finally:
        fake.stop()


@pytest.mark.parametrize(
    ("members", "key"),
    [
        ({"security": "digest"}, "username"),
        ({"oauth_uri": "http://t/", "oauth_client_id": "c", **DIGEST}, "oauth_uri"),
        ({"oauth_uri": "ftp://t/", "oauth_client_id": "c"}, "oauth_uri"),
        ({"oauth_uri": "http://t/"}, "oauth_client_id"),
        ({"oauth_scope": "s"}, "oauth_scope"),
        ({"soap_version": "1.0"}, "soap_version"),
        ({"nulls": "none"}, "nulls"),
        ({"namespace_alias": "xsi"}, "namespace_alias"),
    ],
)
def test_configurations_that_are_refused(members, key):
    with pytest.raises(ValidationError) as raised:
        OsdConfig.load({"remote_host": "h", **members})
    assert list(raised.value.messages) == [key]
