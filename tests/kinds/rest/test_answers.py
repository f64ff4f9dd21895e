"""Which responses are the same as one that was judged."""

import pytest

from tsvc.kinds.rest.answers import KnownAnswer

HEAD = b"HTTP/1.1 200 OK\r\nDate: Wed\r\nContent-Length: 2\r\n"
NONE: frozenset[str] = frozenset()


def known(octets: bytes, method: str = "GET", fields: frozenset[str] = NONE) -> KnownAnswer:
    return KnownAnswer(octets, method, fields)


def test_a_value_that_nothing_looks_at() -> None:
    one = known(HEAD + b"\r\n{}")
    assert one.is_same(HEAD + b"\r\n{}")
    assert one.is_same(HEAD.replace(b"Wed", b"") + b"\r\n{}")
    assert one.is_same(HEAD.replace(b"Wed", b"Thursday, of all days") + b"\r\n{}")
    assert not one.is_same(HEAD.replace(b"Wed", b"x" * 300) + b"\r\n{}")
    for octet in (0, 7, 10, 13, 127, 128, 255):
        assert not one.is_same(HEAD.replace(b"Wed", bytes((octet,))) + b"\r\n{}"), octet
    assert not one.is_same(HEAD.replace(b"Wed", b"W\r\nX: e") + b"\r\n{}")
    assert not one.is_same(HEAD.replace(b"Date", b"date") + b"\r\n{}")
    assert not one.is_same(HEAD + b"\r\n[]")
    assert not one.is_same(HEAD + b"\r\n{}\r\n")
    assert not one.is_same(HEAD + b"\r\n{")


@pytest.mark.parametrize(
    "name",
    [
        b"Content-Type",
        b"content-encoding",
        b"Connection",
        b"Keep-Alive",
        b"Location",
        b"Set-Cookie",
        b"WWW-Authenticate",
        b"Transfer-Encoding",
        b"Upgrade",
        b"Trailer",
    ],
)
def test_a_value_that_something_looks_at(name: bytes) -> None:
    octets = HEAD.replace(b"Date", name) + b"\r\n{}"
    if name != b"Transfer-Encoding":  # with a length that is nothing to judge
        one = known(octets)
        assert one.is_same(octets)
        assert not one.is_same(octets.replace(b"Wed", b"Thu"))


def test_a_value_that_a_test_looks_at() -> None:
    one = known(HEAD + b"\r\n{}", fields=frozenset({"date"}))
    assert one.is_same(HEAD + b"\r\n{}")
    assert not one.is_same(HEAD.replace(b"Wed", b"Thu") + b"\r\n{}")


def test_what_has_come_of_one() -> None:
    one = known(HEAD + b"\r\n{}")
    assert one.is_begun(HEAD + b"\r\n")
    assert one.is_begun(HEAD.replace(b"Wed", b"Thu") + b"\r\n{")
    assert not one.is_begun(HEAD + b"\r\n[")
    assert not one.is_begun(HEAD)
    assert not one.is_begun(HEAD.replace(b"200", b"500") + b"\r\n{")


def test_chunks_and_answers_without_content() -> None:
    chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    assert known(chunked).is_same(chunked)
    assert not known(chunked).is_same(chunked.replace(b"2\r\n{}", b"1\r\n{\r\n1\r\n}"))
    nothing = b"HTTP/1.1 204 No Content\r\nDate: Wed\r\n\r\n"
    assert known(nothing).is_same(nothing.replace(b"Wed", b"Thu"))
    assert known(HEAD + b"\r\n", "HEAD").is_same(HEAD + b"\r\n")


@pytest.mark.parametrize(
    "octets",
    [
        HEAD.replace(b"Date: Wed", b"Connection: close") + b"\r\n{}",
        HEAD.replace(b"HTTP/1.1", b"HTTP/1.0") + b"\r\n{}",
        HEAD + b"\r\n{",
        HEAD + b"\r\n{}\r\n",
        HEAD + b"\r\n{}" + HEAD + b"\r\n{}",
        b"HTTP/1.1 200 OK\r\n\r\n{}",  # ends with its connection
        b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD + b"\r\n{}",
        HEAD.replace(b"Wed", b"Wed\r\n Thu") + b"\r\n{}",
        HEAD.replace(b"\r\n", b"\n") + b"\n\r\n{}",
        HEAD + b"X: 1\r\n" * 300 + b"\r\n{}",
        HEAD.replace(b"2\r\n", b"65536\r\n") + b"\r\n" + bytes(65536),
        b"garbage",
    ],
)
def test_what_others_are_not_held_against(octets: bytes) -> None:
    with pytest.raises(ValueError, match=r"response|header|field|content"):
        known(octets)
