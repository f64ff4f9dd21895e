"""Content codings: decoding restores any content, and reports any error."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc import turns
from tsvc.errors import RemoteProtocolError
from tsvc.protocols.content_coding import ContentTooLarge, codings_of, decoded


def raw(octets):
    maker = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return maker.compress(octets) + maker.flush()


CODERS = {
    "gzip": lambda octets: gzip.compress(octets, mtime=0),
    "x-gzip": lambda octets: gzip.compress(octets[:7]) + gzip.compress(octets[7:]),
    "deflate": zlib.compress,
    "deflate, raw": raw,
}
TEXT = b'{"balance": 1450, "state": "active", "name": "\xc3\xbc"}' * 3


def undone(name, octets, most=1 << 20):
    return decoded(octets, [name.partition(",")[0]], most)


@pytest.mark.parametrize("name", CODERS)
@given(octets=st.binary(max_size=300), times=st.sampled_from([1, 1000]))
def test_what_was_coded_comes_back(name, octets, times):
    assert undone(name, CODERS[name](octets * times)) == octets * times


@given(names=st.lists(st.sampled_from(["gzip", "deflate"]), max_size=4))
def test_several_codings_are_undone_in_reverse(names):
    octets = TEXT
    for name in names:
        octets = CODERS[name](octets)
    assert decoded(octets, names, 1 << 20) == TEXT


@pytest.mark.parametrize("name", CODERS)
def test_every_cut_is_told(name):
    octets = CODERS[name](TEXT)
    whole = {len(octets)}
    if name == "x-gzip":
        whole.add(len(gzip.compress(TEXT[:7])))
    for cut in range(len(octets)):
        if cut not in whole:
            with pytest.raises(RemoteProtocolError, match="the content is not"):
                undone(name, octets[:cut])


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_every_damaged_octet_is_told_or_says_the_same(name):
    """Fields of the gzip header that do not affect the content may change: RFC 1952 2.3."""
    octets = CODERS[name](TEXT)
    for at in range(len(octets)):
        damaged = bytearray(octets)
        damaged[at] ^= 0x41
        try:
            assert undone(name, bytes(damaged)) == TEXT, at
        except RemoteProtocolError:
            continue
        assert name == "gzip"
        assert at < 10


@pytest.mark.parametrize("name", CODERS)
def test_what_follows_is_told(name):
    with pytest.raises(RemoteProtocolError):
        undone(name, CODERS[name](TEXT) + b"x")


@pytest.mark.parametrize("name", CODERS)
@pytest.mark.parametrize("most", [0, 1, 65536, 1_000_000])
def test_a_bomb_is_refused_before_it_is_decoded(name, most):
    bomb = CODERS[name](bytes(20_000_000))
    with pytest.raises(ContentTooLarge, match=f"larger than {most} octets"):
        undone(name, bomb, most)
    assert undone(name, CODERS[name](bytes(most)), most) == bytes(most)


def test_long_content_lets_others_run():
    looks = []
    with turns.given(lambda: looks.append(1)):
        decoded(gzip.compress(bytes(8 << 20)), ["gzip"], 8 << 20)
    assert len(looks) >= 7


@pytest.mark.parametrize("names", [["br"], ["gzip", "zstd"], ["klingon" * 100], ["gzip"] * 5])
def test_what_nobody_knows_and_too_many(names):
    with pytest.raises(RemoteProtocolError, match="coding") as raised:
        decoded(b"x", names, 100)
    assert len(str(raised.value)) < 100


@pytest.mark.parametrize(
    ("fields", "codings"),
    [
        ([("Content-Type", "a/b")], []),
        ([("CONTENT-ENCODING", " GZip ")], ["gzip"]),
        ([("Content-Encoding", "gzip"), ("content-encoding", "deflate")], ["gzip", "deflate"]),
        ([("Content-Encoding", "identity, gzip,")], ["gzip"]),
        ([("Transfer-Encoding", "chunked")], []),
        ([("Transfer-Encoding", "gzip, chunked"), ("Content-Encoding", "br")], ["br", "gzip"]),
    ],
)
def test_which_codings(fields, codings):
    assert codings_of(fields) == codings
