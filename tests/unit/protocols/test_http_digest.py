"""Digest: the examples of RFC 7616 and 2617, and challenges in all spellings."""

import pytest

from tsvc.protocols.http_digest import Challenge, Credentials, challenge_of

# RFC 7616 3.9.1.
REALM, NONCE = "http-auth@example.org", "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
OPAQUE = "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
CNONCE = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"


@pytest.mark.parametrize(
    ("algorithm", "response"),
    [
        ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
        ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
    ],
)
def test_the_example_of_rfc_7616(algorithm, response):
    challenge = Challenge(REALM, NONCE, OPAQUE, algorithm, True)
    answer = Credentials("Mufasa", "Circle of Life").answer(
        challenge, "GET", "/dir/index.html", 1, CNONCE
    )
    assert f'response="{response}"' in answer
    assert 'username="Mufasa", realm="http-auth@example.org"' in answer
    assert "qop=auth, nc=00000001" in answer
    assert f'opaque="{OPAQUE}"' in answer


def test_the_example_of_rfc_2617():
    challenge = Challenge("testrealm@host.com", "dcd98b7102dd2f0e8b11d0f600bfb0c093", has_qop=True)
    answer = Credentials("Mufasa", "Circle Of Life").answer(
        challenge, "GET", "/dir/index.html", 1, "0a4f113b"
    )
    assert 'response="6629fae49393a05397450978507c4ef1"' in answer
    assert "algorithm" not in answer


DIGEST = 'Digest realm="a, \\"b\\"", nonce="n"'


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([], None),
        (['Basic realm="x"'], None),
        ([DIGEST], Challenge('a, "b"', "n")),
        (["Negotiate, Basic realm=x, " + DIGEST], Challenge('a, "b"', "n")),
        (["Basic realm=x", DIGEST + ", stale=TRUE"], Challenge('a, "b"', "n", is_stale=True)),
        ([DIGEST + ', qop="auth,auth-int" , opaque=""'], Challenge('a, "b"', "n", "", "", True)),
        ([DIGEST + ", qop=auth-int"], None),
        ([DIGEST + ", algorithm=SHA-512-256"], None),
        ([DIGEST + ", algorithm=md5-sess"], Challenge('a, "b"', "n", None, "md5-sess")),
        (
            [DIGEST + ", algorithm=MD5", DIGEST + ", algorithm=SHA-256"],
            Challenge('a, "b"', "n", None, "SHA-256"),
        ),
        ([f"{DIGEST}, algorithm=MD5, {DIGEST}, algorithm=SHA-256"],
         Challenge('a, "b"', "n", None, "SHA-256")),
        (["Digest nonce=n"], None),
        (["Digest"], None),
        (['Digest realm="x'], None),
        (['Digest realm="\xc3\xbc", nonce=n'], Challenge("ü", "n")),
    ],
)  # fmt: skip
def test_challenges(values, found):
    assert challenge_of(values) == found


def test_names_beyond_ascii_go_as_utf_8():
    answer = Credentials('m"ü', "p").answer(Challenge("r", "n"), "GET", "/", 1, "c")
    assert answer.startswith('Digest username="m\\"\xc3\xbc"')
