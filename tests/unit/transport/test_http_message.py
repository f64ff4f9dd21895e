"""Encoding requests, and decoding responses: whole, in pieces, invalid and too long."""

import http.client
import io
from contextlib import suppress

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.transport.http.message import (
    MAX_HEAD_OCTETS,
    Request,
    ResponseReader,
    UnreadableResponse,
)

# name: (octets, does the connection close after them, method, code, fields, body)
RESPONSES = {
    "length": (
        b"HTTP/1.1 200 OK\r\nContent-Type: a/b\r\nContent-Length: 3\r\n\r\nabc",
        False,
        "GET",
        200,
        (("Content-Type", "a/b"), ("Content-Length", "3")),
        b"abc",
    ),
    "chunks and trailer": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n",
        False,
        "GET",
        200,
        (("Transfer-Encoding", "chunked"), ("T", "v")),
        b"abcde",
    ),
    "until closed": (b"HTTP/1.0 404 Gone\r\n\r\nabc", True, "GET", 404, (), b"abc"),
    "no content": (b"HTTP/1.1 204 No Content\r\n\r\n", False, "GET", 204, (), b""),
    "head": (
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
        False,
        "HEAD",
        200,
        (("Content-Length", "3"),),
        b"",
    ),
    "interim": (
        b"HTTP/1.1 100 Continue\r\nX: 1\r\n\r\nHTTP/1.1 500 Oh no\r\nContent-Length: 0\r\n\r\n",
        False,
        "GET",
        500,
        (("Content-Length", "0"),),
        b"",
    ),
    "repeated, empty and latin-1 fields": (
        b"HTTP/1.1 200 OK\r\nA: 1\r\nE:\r\nA: \xe9\r\nContent-Length: 0\r\n\r\n",
        False,
        "GET",
        200,
        (("A", "1"), ("E", ""), ("A", "é"), ("Content-Length", "0")),
        b"",
    ),
}


@pytest.mark.parametrize("name", RESPONSES)
@pytest.mark.parametrize("step", [1, 2, 7, 10_000])
def test_response_in_pieces(name, step):
    octets, is_closed, method, code, fields, body = RESPONSES[name]
    reader = ResponseReader(method, 100)
    for at in range(0, len(octets), step):
        assert not reader.is_complete
        reader.feed(octets[at : at + step])
    if is_closed:
        assert not reader.is_complete
        reader.feed(b"")
    response = reader.response(octets)
    assert reader.is_complete
    assert (response.code, response.fields, response.body) == (code, fields, body)
    assert reader.is_kept is not is_closed


@pytest.mark.parametrize("name", ["length", "until closed", "no content", "interim"])
def test_the_standard_library_reads_the_same(name):
    octets, _, method, code, fields, body = RESPONSES[name]

    class Sock:
        def makefile(self, _):
            return io.BytesIO(octets)

    other = http.client.HTTPResponse(Sock(), method=method)
    other.begin()
    assert (other.status, tuple(other.getheaders()), other.read()) == (code, fields, body)


@pytest.mark.parametrize(
    "octets",
    [
        b"garbage\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + b"x" * 101,
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * (MAX_HEAD_OCTETS + 1),
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * MAX_HEAD_OCTETS,
        b"HTTP/1.1 200 " + b"x" * (MAX_HEAD_OCTETS + 1),
    ],
)
def test_what_is_refused(octets):
    reader = ResponseReader("GET", 100)
    with pytest.raises(UnreadableResponse):
        reader.feed(octets)
    assert not reader.is_complete


@pytest.mark.parametrize("cut", [10, 20, 45])
def test_a_response_that_ends_too_early(cut):
    octets = b"HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabcdefghijklmn"
    reader = ResponseReader("GET", 100)
    reader.feed(octets[:cut])
    with pytest.raises(UnreadableResponse):
        reader.feed(b"")


def test_nothing_follows_a_response():
    reader = ResponseReader("GET", 100)
    reader.feed(RESPONSES["length"][0])
    assert reader.is_kept
    assert not reader.response(b"").has_more


@pytest.mark.parametrize(
    "more", [b"HTTP/1.1 500 Late\r\nContent-Length: 4\r\n\r\nlate", b"HTTP/1.1 2", b"xx", b"\0"]
)
def test_what_follows_a_response_is_no_part_of_it(more):
    octets = RESPONSES["length"][0]
    reader = ResponseReader("GET", 100)
    with suppress(UnreadableResponse):
        reader.feed(octets + more)
    assert not reader.is_kept
    response = reader.response(octets)
    assert response.has_more
    assert (response.code, response.reason, response.body) == (200, "OK", b"abc")
    assert len(response.fields) == 2


@pytest.mark.parametrize(
    ("head", "is_whole"),
    [
        (b"", True),
        (b"Transfer-Encoding: chunked, gzip\r\n", True),
        (b"Transfer-Encoding: chunked\r\n", False),
        (b"Content-Length: 9\r\n", False),
    ],
)
def test_an_end_of_the_connection(head, is_whole):
    """RFC 9112 6.3: it ends content without a length, and truncates other content."""
    reader = ResponseReader("GET", 100)
    content = b"2\r\nab\r\n"
    reader.feed(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + content)
    assert not reader.is_complete
    if is_whole:
        reader.feed(b"")
        assert (reader.is_complete, reader.is_kept) == (True, False)
        assert reader.response(b"").body == content
    else:
        with pytest.raises(UnreadableResponse, match="cut"):
            reader.feed(b"")


@pytest.mark.parametrize(
    ("head", "more", "is_kept"),
    [
        (b"", b"", True),
        (b"Content-Length: 3\r\n", b"", True),
        (b"Transfer-Encoding: chunked\r\n", b"", True),
        (b"Connection: keep-alive, Close\r\n", b"", False),
        (b"Content-Length: 3\r\n", b"abc", False),
        (b"Content-Length: 0\r\n", b"HTTP/1.1 200 OK\r\n", False),
    ],
)
def test_a_response_to_head_is_its_header(head, more, is_kept):
    reader = ResponseReader("HEAD", 100)
    reader.feed(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + more)
    assert (reader.is_complete, reader.is_kept) == (True, is_kept)
    response = reader.response(b"")
    assert (response.body, response.has_more) == (b"", bool(more))


@pytest.mark.parametrize(
    "octets",
    [
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: ",
        b"HTTP/1.1 2",
        b"HTTP/1.1 200 ",
    ],
)
def test_what_never_ends_is_refused_in_time(octets):
    reader = ResponseReader("GET", 1 << 30)
    reader.feed(octets)

    def go_on():
        for _ in range(MAX_HEAD_OCTETS // 1000 + 1):
            reader.feed(b"0" * 1000)

    with pytest.raises(UnreadableResponse):
        go_on()


def test_request_octets():
    request = Request("POST", "/a?b=c", (("Host", "h"), ("X-é", "1"))[:1], b"\x00\xff")
    assert request.octets() == b"POST /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n\x00\xff"
    assert request.name == "POST /a"


def test_secret_fields_are_masked_when_shown():
    secrets = ("x-api-KEY", "Api-Key", "X-Auth-Token", "Cookie", "Proxy-Authorization")
    fields = (("Authorization", "Basic abc"), *((name, "k3y") for name in secrets), ("X", "1"))
    shown = Request("GET", "/", fields).shown_octets()
    assert b"abc" not in shown
    assert b"k3y" not in shown
    assert b"X: 1\r\n" in shown


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        (Request("GE T", "/"), "method"),
        (Request("", "/"), "method"),
        (Request("GET", "/a b"), "path"),
        (Request("GET", "/\r\nX: y"), "path"),
        (Request("GET", "/é"), "path"),
        (Request("GET", "/", (("X Y", "1"),)), "http_headers"),
        (Request("GET", "/", (("X", "1\r\nEvil: 1"),)), "http_headers"),
        (Request("GET", "/", (("X", "\u20ac"),)), "http_headers"),
        (Request("GET", "/", (("", "1"),)), "http_headers"),
    ],
)
def test_what_http_cannot_carry(request_, path):
    with pytest.raises(LocalProtocolError) as raised:
        request_.octets()
    assert raised.value.path == path
