"""Responses that are the same as a response that was judged before."""

import pytest

from tsvc.kinds.rest.fast_path.answers import KnownAnswer, LookedAt
from tsvc.kinds.rest.fast_path.looked_at import looked_at

HEAD = b"HTTP/1.1 200 OK\r\nDate: Wed\r\nContent-Length: 2\r\n"
NONE: frozenset[str] = frozenset()


def known(octets: bytes, method: str = "GET", fields: frozenset[str] = NONE) -> KnownAnswer:
    return KnownAnswer(octets, method, LookedAt(fields, None))


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
    if name != b"Transfer-Encoding":  # together with Content-Length it can't be judged
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


def of_json(body: bytes, type_: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
    return head % (type_, len(body)) + body


BODY = b'{"a": 17, "b": {"c": ["x y", 5], "a": "z"}, "d": "e\\n", "f": -1, "g": 0, "h": 1.5}'


def is_same(body: bytes, other: bytes, *members: str, type_: bytes = b"application/json") -> bool:
    looked = LookedAt(NONE, frozenset(members))
    one = KnownAnswer(of_json(body, type_), "GET", looked)
    octets = of_json(other, type_)
    at = len(octets) - len(other)
    # If the whole answer is the same, each shorter part begins it; the whole does not "begin" it.
    begun = [one.is_begun(octets[:end]) for end in range(at, len(octets))]
    if one.is_same(octets):
        assert all(begun)
        assert not one.is_begun(octets)
        return True
    return False


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"17", b"99"),
        (b"x y", b"~!#"),
        (b"5]", b"6]"),
        (b'"z"', b'"a"'),
    ],
)
def test_members_that_nothing_looks_at(old: bytes, new: bytes) -> None:
    other = BODY.replace(old, new)
    assert other != BODY
    assert is_same(BODY, other)
    assert not is_same(BODY, other, "a", "b")
    assert not is_same(BODY, other, type_=b"text/plain")
    assert not is_same(BODY, other, type_=b"application/json; charset=utf-16")
    assert not is_same(b"[" + BODY + b"]", b"[" + other + b"]")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"17", b"07"),
        (b"17", b"1.7"),
        (b"17", b"1e"),
        (b"17", b"-7"),
        (b"17", b"1 "),
        (b"17", b"170"),
        (b"17", b"1"),
        (b"x y", b"x y z"),
        (b"x y", b'x"y'),
        (b"x y", b"x\\y"),
        (b"x y", b"x\ny"),
        (b"x y", b"x\xc3y"),
        (b"x y", b"x\x7fy"),
        (b"e\\n", b"e\\t"),
        (b'"c"', b'"q"'),
        (b'"a": 17', b'"q": 17'),
        (b"-1", b"-2"),
        (b"0,", b"1,"),
        (b"1.5", b"2.5"),
    ],
)
def test_what_may_not_stand_there(old: bytes, new: bytes) -> None:
    other = BODY.replace(old, new, 1)
    assert other != BODY
    assert not is_same(BODY, other)


def test_a_member_is_looked_at_with_all_that_is_in_it() -> None:
    assert not is_same(BODY, BODY.replace(b"x y", b"x z"), "b")
    assert is_same(BODY, BODY.replace(b"17", b"18"), "b")
    assert not is_same(BODY, BODY.replace(b'"z"', b'"y"'), "b")
    assert is_same(BODY, BODY.replace(b'"z"', b'"y"'), "a")  # the "a" within "b" is another member


@pytest.mark.parametrize("body", [b"", b"{", b'{"a": NaN', b"\xff", b'"x"', b"17"])
def test_content_that_is_no_object(body: bytes) -> None:
    assert is_same(body, body)
    assert not body or not is_same(body, body[:-1] + bytes((body[-1] ^ 1,)))


@pytest.mark.parametrize(
    ("kpaths", "fields", "members"),
    [
        ([], set(), set()),
        (["rest.code", "rest.content_type", "!rest.reason"], set(), set()),
        (["rest.content_json.a.b", "!rest.content_json.c-d[0]"], set(), {"a", "c-d"}),
        (["rest.content_json.a", "rest.content"], set(), None),
        (["rest.content_json"], set(), None),
        (["rest.content_json[0].a"], set(), None),
        (["rest.content_json.[a=1].b"], set(), None),
        (["rest.content_json.default('x')"], set(), None),
        (["rest.content_json.a\\.b"], set(), None),
        (["rest.content_hex"], set(), None),
        (["rest.content_xml.a"], set(), None),
        (["rest.http_headers.[name=X-A].[0].value"], {"x-a"}, set()),
    ],
)
def test_what_tests_look_at(kpaths: list[str], fields: set[str], members: set[str] | None) -> None:
    entries = [{"type": "rest.Request"}, {"tests": [{"kpath": one} for one in kpaths]}]
    assert looked_at(entries) == LookedAt(
        frozenset(fields), None if members is None else frozenset(members)
    )
