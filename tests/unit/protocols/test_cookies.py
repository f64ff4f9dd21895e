"""The cookie jar: RFC 6265 section 5, clause by clause, and random jars against http.cookiejar."""

import http.cookiejar
import urllib.request
from email.message import Message

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.protocols.cookies import MOST_COOKIES, CookieJar, cookie_date

NOW = 1_800_000_000.0


def sent(*set_cookies, host="a.example.net", at="/x/y", to="/x/y", to_host=None, **more):
    jar = CookieJar()
    jar.take(set_cookies, host, at, NOW, is_secure=more.get("is_secure", True))
    later = NOW + more.get("after", 0)
    return jar.given(to_host or host, to, later, is_secure=more.get("to_secure", True))


@pytest.mark.parametrize(
    ("set_cookie", "cookie"),
    [
        ("a=b", "a=b"),
        (" a = b c ; Path=/", "a=b c"),
        ('a="b"', 'a="b"'),
        ("a=b=c", "a=b=c"),
        ("a=", "a="),
        ("=b", ""),
        ("a", ""),
        ("", ""),
        ("a=b; Max-Age=0", ""),
        ("a=b; Max-Age=-5", ""),
        ("a=b; max-age=abc", "a=b"),
        ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT", ""),
        ("a=b; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9", "a=b"),
        ("a=b; Expires=nonsense", "a=b"),
        ("a=b; Domain=other.example", ""),
        ("a=b; Domain=net", ""),
        ("a=b; Domain=.EXAMPLE.net", "a=b"),
        ("a=b; Domain=b.a.example.net", ""),
        ("a=b; Path=/z", ""),
        ("a=b; Path=z", "a=b"),
        ("a=b; HttpOnly; SameSite=Strict; Odd", "a=b"),
        ("a=" + "x" * 4096, ""),
    ],
)
def test_what_is_kept_and_sent(set_cookie, cookie):
    assert sent(set_cookie) == cookie


@pytest.mark.parametrize(
    ("attribute", "host", "to_host", "is_sent"),
    [
        ("", "example.net", "a.example.net", False),
        ("; Domain=example.net", "example.net", "a.example.net", True),
        ("; Domain=example.net", "a.example.net", "b.example.net", True),
        ("; Domain=example.net", "a.example.net", "badexample.net", False),
        ("; Domain=0.0.1", "127.0.0.1", "127.0.0.1", False),
        ("; Domain=127.0.0.1", "127.0.0.1", "127.0.0.1", True),
        ("; Domain=localhost", "localhost", "localhost", True),
    ],
)
def test_domains(attribute, host, to_host, is_sent):
    assert bool(sent(f"a=b{attribute}", host=host, to_host=to_host)) is is_sent


@pytest.mark.parametrize(
    ("at", "attribute", "to", "is_sent"),
    [
        ("/x/y?q=/z/", "", "/x/z", True),
        ("/x/y", "", "/x", True),
        ("/x/y", "", "/xy", False),
        ("/x", "", "/other", True),
        ("/", "; Path=/x", "/x/y?a=b", True),
        ("/", "; Path=/x/", "/x", False),
        ("/", "; Path=/x", "/xy", False),
    ],
)
def test_paths(at, attribute, to, is_sent):
    assert bool(sent(f"a=b{attribute}", at=at, to=to)) is is_sent


def test_secure_expiry_order_and_replacement():
    assert sent("a=b; Secure", to_secure=False) == ""
    assert sent("a=b; Secure", is_secure=False) == ""
    assert sent("a=b; Max-Age=10", after=9) == "a=b"
    assert sent("a=b; Max-Age=10", after=10) == ""
    assert sent("a=1; Path=/", "b=2; Path=/x/", "c=3; Path=/") == "b=2; a=1; c=3"
    assert sent("a=1", "b=2", "a=3") == "a=3; b=2"
    assert sent("a=1", "a=2; Max-Age=0") == ""


def test_a_jar_is_bounded():
    text = sent(*(f"c{n}=x" for n in range(MOST_COOKIES + 7)))
    assert text.count(";") == MOST_COOKIES - 1
    assert "c6=" not in text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784111777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784111777),
        ("Sun Nov  6 08:49:37 1994", 784111777),
        ("08:49:37 6 november 94", 784111777),
        ("Fri, 31 Feb 2027 00:00:00 GMT", None),
        ("Fri, 1 Jan 1600 00:00:00 GMT", None),
        ("Fri, 1 Jan 2027 24:00:00 GMT", None),
        ("1 Jan 2027", None),
    ],
)
def test_dates(text, seconds):
    assert cookie_date(text) == seconds


class _Response:
    def __init__(self, values):
        self._message = Message()
        for value in values:
            self._message["Set-Cookie"] = value

    def info(self):
        return self._message


PATHS = ["/", "/x", "/x/", "/x/y", "/z"]
COOKIES = st.builds(
    "{}={}{}{}".format,
    st.sampled_from("abc"),
    st.integers(0, 9),
    st.sampled_from(["", *(f"; Path={path}" for path in PATHS)]),
    st.sampled_from(["", "; Max-Age=1000", "; Max-Age=0"]),
)


@settings(max_examples=examples(200))
@given(
    takes=st.lists(st.tuples(st.lists(COOKIES, max_size=1), st.sampled_from(PATHS)), max_size=6)
)
def test_the_standard_library_sends_the_same(takes):
    """One cookie in a response: of several, the library takes those that end first."""
    policy = http.cookiejar.DefaultCookiePolicy(strict_ns_set_path=False)
    theirs, ours = http.cookiejar.CookieJar(policy), CookieJar()
    for values, path in takes:
        request = urllib.request.Request(f"http://a.example.net{path}")
        theirs.extract_cookies(_Response(values), request)
        ours.take(values, "a.example.net", path, NOW, is_secure=False)
    for path in PATHS:
        request = urllib.request.Request(f"http://a.example.net{path}")
        theirs.add_cookie_header(request)
        text = request.get_header("Cookie") or ""
        given_ = ours.given("a.example.net", path, NOW, is_secure=False)
        assert sorted(given_.split("; ")) == sorted(text.split("; ")), path
