"""Texts by data_coding."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.text import DefaultAlphabet, decode_text, encode_text, split_header

GSM, LATIN = DefaultAlphabet


@pytest.mark.parametrize(
    ("coding", "default", "text", "octets"),
    [
        (0, GSM, "@£$ à€", b"\x00\x01\x02 \x7f\x1b\x65"),
        (0, LATIN, "@£à", b"@\xa3\xe0"),
        (1, GSM, "abc", b"abc"),
        (3, GSM, "é", b"\xe9"),
        (6, GSM, "Ж", b"\xb6"),
        (7, GSM, "א", b"\xe0"),
        (8, GSM, "é😀", b"\x00\xe9\xd8\x3d\xde\x00"),
        (0xF1, LATIN, "@", b"\x00"),
        (0xC8, GSM, "@", b"\x00"),
    ],
)
def test_both_ways(coding, default, text, octets):
    assert encode_text(text, coding, default) == octets
    assert decode_text(octets, coding, default) == text


@pytest.mark.parametrize("coding", [2, 4, 5, 9, 10, 13, 14, 0x10, 0xE0, 0xF4, 0xFF])
def test_codings_without_a_text(coding):
    assert decode_text(b"abc", coding) is None
    with pytest.raises(LocalProtocolError, match=f"data_coding {coding} is not that of a text"):
        encode_text("abc", coding)


@pytest.mark.parametrize(("coding", "octets"), [(0, b"\x80"), (1, b"\x80"), (8, b"\x00")])
def test_octets_that_are_no_text(coding, octets):
    assert decode_text(octets, coding) is None


@pytest.mark.parametrize(("coding", "text"), [(0, "ж"), (1, "é"), (3, "ж"), (8, "\ud800")])
def test_characters_that_a_coding_lacks(coding, text):
    with pytest.raises(LocalProtocolError, match=f"data_coding {coding}"):
        encode_text(text, coding)


@pytest.mark.parametrize(
    ("octets", "esm_class", "header", "message"),
    [
        (b"\x05\x00\x03\x01\x02\x01abc", 0x40, b"\x05\x00\x03\x01\x02\x01", b"abc"),
        (b"\x05\x00\x03\x01\x02\x01", 0xC0, b"\x05\x00\x03\x01\x02\x01", b""),
        (b"\x05abc", 0x40, b"", b"\x05abc"),
        (b"\x01abc", 0x00, b"", b"\x01abc"),
        (b"", 0x40, b"", b""),
    ],
)
def test_user_data_header(octets, esm_class, header, message):
    assert split_header(octets, esm_class) == (header, message)
