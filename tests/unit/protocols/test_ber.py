"""BER core: tags, lengths, integers, object identifiers; valid and invalid octets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber


@pytest.mark.parametrize(
    ("octets", "tag", "contents"),
    [
        ("3000", 0x30, ""),
        ("0201ff", 0x02, "ff"),
        ("9f32020102", 0x9F32, "0102"),
        ("bf810100", 0xBF8101, ""),
        ("04810101", 0x04, "01"),
        ("0482000101", 0x04, "01"),
        ("048400000001aa", 0x04, "aa"),
        ("3080020105" + "0000", 0x30, "020105"),
        ("30803080" + "0000" + "0000", 0x30, "30800000"),
        ("3080bf8201030201050000", 0x30, "bf820103020105"),
    ],
)
def test_read(octets: str, tag: int, contents: str) -> None:
    whole = bytes.fromhex(octets)
    found, start, stop, end = ber.read(whole, 0, len(whole))
    assert found == tag
    assert whole[start:stop].hex() == contents
    assert end == len(whole)


@pytest.mark.parametrize(
    ("octets", "text"),
    [
        ("30", "cut short"),
        ("9f", "tag number has no end"),
        ("9fffffffffff0100", "tag number has no end"),
        ("0403aabb", "runs 1 octets past the end"),
        ("0482", "length of length"),
        ("048500000000ff", "length of length"),
        ("0480aa0000", "indefinite length on a primitive"),
        ("3080020105", "without end-of-contents"),
        ("3080" * 60, "nested too deep"),
    ],
)
def test_broken(octets: str, text: str) -> None:
    whole = bytes.fromhex(octets)
    with pytest.raises(RemoteProtocolError, match=text):
        ber.read(whole, 0, len(whole))


def test_nothing_is_read_past_stop() -> None:
    whole = bytes.fromhex("0402aabb")
    with pytest.raises(RemoteProtocolError):
        ber.read(whole, 0, 3)
    with pytest.raises(RemoteProtocolError):
        ber.walk(whole, 0, 3)


def test_walk_gives_tags_and_places() -> None:
    whole = bytes.fromhex("800101" + "9f320100" + "a003020105")
    assert ber.walk(whole, 0, len(whole)) == [(0x80, 2, 3), (0x9F32, 6, 7), (0xA0, 9, 12)]
    assert ber.walk(whole, 3, 3) == []


@pytest.mark.parametrize(
    ("tag", "other"), [(0x80, 0xA0), (0xA1, 0x81), (0x9F32, 0xBF32), (0xBF8101, 0x9F8101)]
)
def test_forms_of_tags(tag: int, other: int) -> None:
    assert ber.other_form(tag) == other
    assert ber.other_form(other) == tag
    assert ber.is_constructed(tag) is not ber.is_constructed(other)


@pytest.mark.parametrize(
    ("number", "constructed", "octets"),
    [
        (0, False, "80"),
        (30, True, "be"),
        (31, False, "9f1f"),
        (50, True, "bf32"),
        (127, False, "9f7f"),
        (128, True, "bf8100"),
        (200, False, "9f8148"),
    ],
)
def test_context_tag(number: int, constructed: bool, octets: str) -> None:
    assert ber.tag_octets(ber.context_tag(number, constructed=constructed)).hex() == octets


@pytest.mark.parametrize(
    ("length", "octets"),
    [(0, "00"), (127, "7f"), (128, "8180"), (255, "81ff"), (256, "820100"), (65536, "83010000")],
)
def test_length(length: int, octets: str) -> None:
    assert ber.encode_length(length).hex() == octets
    whole = ber.tlv(b"\x04", bytes(length))
    assert whole[1 : 1 + len(octets) // 2].hex() == octets
    assert ber.read(whole, 0, len(whole))[1:3] == (1 + len(octets) // 2, len(whole))


@pytest.mark.parametrize(
    ("value", "octets"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "0080"),
        (255, "00ff"),
        (256, "0100"),
        (-1, "ff"),
        (-128, "80"),
        (-129, "ff7f"),
        (-32768, "8000"),
        (2**31 - 1, "7fffffff"),
    ],
)
def test_integer(value: int, octets: str) -> None:
    assert ber.encode_integer(value).hex() == octets
    assert ber.decode_integer(bytes.fromhex(octets)) == value


@given(st.integers(-(2**70), 2**70))
def test_integers_are_as_short_as_can_be(value: int) -> None:
    octets = ber.encode_integer(value)
    assert ber.decode_integer(octets) == value
    assert len(octets) == 1 or ber.decode_integer(octets[1:]) != value


def test_integer_without_octets() -> None:
    with pytest.raises(RemoteProtocolError):
        ber.decode_integer(b"")


@pytest.mark.parametrize(
    ("name", "octets"),
    [
        ("0.4.0.0.1.0.50.1", "04000001003201"),
        ("0.0.17.773.1.1.1", "00118605010101"),
        ("1.39.5", "4f05"),
        ("2.999.3", "883703"),
        ("2.40", "78"),
    ],
)
def test_object_identifier(name: str, octets: str) -> None:
    assert ber.encode_oid(name).hex() == octets
    assert ber.decode_oid(bytes.fromhex(octets)) == name


@pytest.mark.parametrize("name", ["", "1", "3.1", "1.40", "1.x", "1.-1", "0.4.-5"])
def test_no_object_identifier(name: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        ber.encode_oid(name)


@pytest.mark.parametrize("octets", ["", "8886", "0480"])
def test_broken_object_identifier(octets: str) -> None:
    with pytest.raises(RemoteProtocolError):
        ber.decode_oid(bytes.fromhex(octets))


@given(st.binary(max_size=80))
def test_walk_raises_nothing_else(octets: bytes) -> None:
    try:
        found = ber.walk(octets, 0, len(octets))
    except RemoteProtocolError:
        return
    for _, start, stop in found:
        assert 0 <= start <= stop <= len(octets)


@pytest.mark.parametrize("cut", range(1, 6))
def test_walk_of_a_two_octet_tag_that_is_cut(cut: int) -> None:
    octets = bytes.fromhex("9f32030102ff")
    with pytest.raises(RemoteProtocolError):
        ber.walk(octets, 0, cut)
    with pytest.raises(RemoteProtocolError):
        ber.walk(octets[:cut], 0, cut)
    assert ber.walk(octets, 0, 6) == [(0x9F32, 3, 6)]


def test_walk_of_tags_of_every_length() -> None:
    octets = bytes.fromhex("800101" + "9f320102" + "9f81320103" + "bf3203800104")
    assert [tag for tag, _, _ in ber.walk(octets, 0, len(octets))] == [
        0x80,
        0x9F32,
        0x9F8132,
        0xBF32,
    ]
