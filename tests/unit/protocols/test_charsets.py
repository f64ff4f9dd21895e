"""Charsets that peers and definitions name."""

import pytest

from tsvc.protocols.charsets import decode, known_charset


@pytest.mark.parametrize(
    ("charset", "octets", "text"),
    [
        ("utf-8", b"\xc3\xa9", "é"),
        ("ISO-8859-1", b"\xe9", "é"),
        ("utf-16-le", b"\xe9\x00", "é"),
        ("windows-1252", b"\x80", "€"),
    ],
)
def test_text_of_octets(charset, octets, text):
    assert decode(octets, charset) == text


@pytest.mark.parametrize(
    "charset",
    [
        "punycode",
        "IDNA",
        "unicode_escape",
        "raw-unicode-escape",
        "hex",
        "zlib",
        "rot13",
        "no such",
    ],
)
def test_what_is_no_charset_of_content(charset):
    """punycode takes time that grows with the square of the length."""
    with pytest.raises(LookupError):
        decode(b"a-b" * 9, charset)


def test_octets_that_are_none_of_it():
    with pytest.raises(UnicodeDecodeError):
        decode(b"\xff", "utf-8")
    assert known_charset("latin-1") == "latin-1"
