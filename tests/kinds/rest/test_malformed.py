"""Responses whose content is not what their Content-Type says: through the whole service."""

import pytest
from kinds.rest.service import HttpService, failures, first
from unit.transport.http_servers import RawServer, ok

from tsvc.kinds.rest.content import form_problem
from tsvc.transport.http.message import Response

LOAD = {"type": "load", "total": 10, "backlog": 2}
JSON = b'{"a": [1, -2.5e3, "x\\u00e4", null, true], "b": {}}'
CASES = {
    "the content is no JSON": ("application/json", b"{"),
    "the content is no JSON: ": ("application/problem+json", b""),
    "the content is not utf-8": ("application/json", b'"\xff"'),
    "unknown charset klingon": ("text/plain; charset=klingon", b"a"),
    "the content is not ascii": ("text/plain; charset=ascii", b"\xfc"),
}


@pytest.fixture
def play(tmp_path):
    """Return a function that runs a request whose response has this type and content."""
    made = []

    def play(content_type, content, *operations, distribution=None, behind=b"", **entry):
        def serve(server, sock, _):
            while server.read(sock) is not None:
                whole = ok(content, f"Content-Type: {content_type}\r\n".encode())
                sock.sendall(whole + behind)

        server = RawServer(serve)
        members = {"base_uri": f"http://127.0.0.1:{server.port}"}
        service = HttpService(tmp_path, {"R1": ("rest", members)})
        made.extend([service, server])
        more = {} if distribution is None else {"distribution": distribution}
        arguments = {"path": "/x", "method": "GET"}
        one = [{"type": "rest.Request", "arguments": arguments, **entry}]
        return service.run(*(operations or one), rest="R1", **more)

    yield play
    for one in made:
        one.stop()


def test_what_is_right_passes(play):
    result = play("application/json", JSON)
    assert (result["verdict"], result["counts"]["malformed"]) == ("pass", 0), first(result)


@pytest.mark.parametrize("behind", [ok(b"{}"), b"xx"])
@pytest.mark.parametrize("distribution", [None, LOAD])
def test_what_comes_behind_a_response_fails(play, behind, distribution):
    result = play("application/json", JSON, behind=behind, distribution=distribution)
    count = 1 if distribution is None else 10
    assert (result["verdict"], result["counts"]["malformed"]) == ("fail", count)
    assert "malformed response: more octets than the response has" in failures(result)


@pytest.mark.parametrize("text", CASES)
def test_a_malformed_response_fails(play, text):
    result = play(*CASES[text])
    assert result["verdict"] == "fail", first(result)
    assert failures(result)[0].startswith(f"malformed response: {text}")
    assert result["counts"]["malformed"] == 1


def test_of_a_response_that_is_expected_later(play):
    arguments = {"path": "/x", "method": "GET"}
    send = {"type": "rest.SendRequest", "arguments": arguments}
    result = play("application/json", b"{", send, {"type": "rest.ExpectResponse"})
    assert failures(result)[0].startswith("malformed response: the content is no JSON")


@pytest.mark.parametrize(("malformed", "verdict"), [("note", "pass"), ("abort", "abort")])
def test_the_attribute_malformed(play, malformed, verdict):
    result = play("application/json", b"{", malformed=malformed)
    assert (result["verdict"], result["counts"]["malformed"]) == (verdict, 1)


def test_in_a_load(play):
    counts = play("application/json", b"{", distribution=LOAD)["counts"]
    assert counts["failed"] == counts["malformed"] == 10


# -- mutants --------------------------------------------------------------------------------------


def response(body, content_type="application/json", code=200):
    return Response(code, "OK", (("Content-Type", content_type),), body, b"")


def test_every_structural_mutant_of_json_is_told():
    assert form_problem(response(JSON), "GET") == ""
    for cut in range(len(JSON)):
        assert form_problem(response(JSON[:cut]), "GET"), cut
    for at in range(len(JSON)):
        without = JSON[:at] + JSON[at + 1 :]
        # Without a blank or a part of a value it is other JSON, but still JSON.
        is_value = JSON[at : at + 1] in b" -.5e3x0123456789\\u" or at in (2, 40)
        is_told = bool(form_problem(response(without), "GET"))
        assert is_told or is_value or chr(JSON[at]) in "abnultre4", (at, without)
        high = JSON[:at] + b"\xff" + JSON[at + 1 :]
        assert form_problem(response(high), "GET"), at


@pytest.mark.parametrize(
    ("method", "code", "content_type", "body"),
    [
        ("HEAD", 200, "application/json", b""),
        ("GET", 204, "application/json", b""),
        ("GET", 304, "application/json", b""),
        ("GET", 200, "image/png", b"\xff\x00"),
        ("GET", 200, "text/plain", b"\xff"),
        ("GET", 200, "", b"{"),
        ("GET", 200, "application/json", b"\xef\xbb\xbf[]"),
        ("GET", 500, "application/json; charset=latin-1", '"ü"'.encode("latin-1")),
    ],
)
def test_what_is_tolerable(method, code, content_type, body):
    assert form_problem(response(body, content_type, code), method) == ""
