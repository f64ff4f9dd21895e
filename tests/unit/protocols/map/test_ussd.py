"""Data coding schemes by their parts, and texts decoded by them."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.map.ussd import ARGUMENT, RESULT, parts_of, scheme_of, text_encoding

SCHEME = "ussdDataCodingScheme"


@pytest.mark.parametrize(
    ("octet", "parts"),
    [
        (0x0F, {"_group": 0, "_language": 15, "_encoding": 0}),
        (0x01, {"_group": 0, "_language": 1, "_encoding": 0}),
        (0x11, {"_group": 1, "_language": 1, "_encoding": 2}),
        (0x10, {"_group": 1, "_language": 0, "_encoding": 0}),
        (0x23, {"_group": 2, "_language": 3, "_encoding": 0}),
        (0x40, {"_group": 4, "_is_compressed": 0, "_encoding": 0}),
        (0x48, {"_group": 4, "_is_compressed": 0, "_encoding": 2}),
        (0x44, {"_group": 4, "_is_compressed": 0, "_encoding": 1}),
        (0x5A, {"_group": 5, "_is_compressed": 0, "_encoding": 2, "_message_class": 2}),
        (0x78, {"_group": 7, "_is_compressed": 1, "_encoding": 2, "_message_class": 0}),
        (0x99, {"_group": 9, "_encoding": 2, "_message_class": 1}),
        (0xF1, {"_group": 15, "_encoding": 0, "_message_class": 1}),
        (0xF6, {"_group": 15, "_encoding": 1, "_message_class": 2}),
        (0x8A, {"_group": 8, "_language": 10}),
    ],
)
def test_parts(octet: int, parts: dict[str, int]) -> None:
    assert parts_of(octet) == parts
    assert scheme_of(parts) == octet


def test_parts_give_back_every_octet_whose_bits_mean_something() -> None:
    for octet in range(256):
        again = scheme_of(parts_of(octet))
        # Without a message class two bits of the general groups are reserved, and one of 15.
        reserved = 0x03 if octet >> 4 in (4, 6) else 0x08 if octet >> 4 == 15 else 0
        assert again == octet & ~reserved


@pytest.mark.parametrize(
    ("given", "octet"),
    [
        ({}, "0f"),
        ({"_group": 0}, "0f"),
        ({"_language": 1}, "01"),
        ({"_encoding": 2}, "48"),
        ({"_encoding": "ucs2"}, "48"),
        ({"_encoding_name": "8bit"}, "44"),
        ({"_message_class": 1}, "51"),
        ({"_is_compressed": 1}, "60"),
        ({"_group": "4", "_encoding": "2"}, "48"),
        ({"_hex": "2a"}, "2a"),
        ({"": "\x0f", "_group": 4}, "0f"),
    ],
)
def test_scheme_of_what_is_given(given: dict[str, Any], octet: str) -> None:
    args = {f"{SCHEME}{suffix}": value for suffix, value in given.items()}
    encoded = ARGUMENT.encode_members({**args, "ussdString_hex": "31"})
    assert encoded.hex() == f"0401{octet}040131"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"_group": 16}, "16 is outside 0..15"),
        ({"_encoding": 4}, "4 is outside 0..3"),
        ({"_encoding": "utf8"}, "'utf8' is not an integer"),
    ],
)
def test_parts_out_of_range(given: dict[str, Any], message: str) -> None:
    args = {f"{SCHEME}{suffix}": value for suffix, value in given.items()}
    with pytest.raises(LocalProtocolError, match=message):
        ARGUMENT.encode_members({**args, "ussdString_text": "1"})


@pytest.mark.parametrize(
    ("args", "octets"),
    [
        ({"ussdString_text": "*100#"}, "04010f0405aa180c3602"),
        ({"ussdString_text": "ж"}, "04014804020436"),
        ({"ussdString_text": 1}, "04010f040131"),  # the value of an expression
        ({"ussdString_text": "1", f"{SCHEME}_encoding": "ucs2"}, "04014804020031"),
        ({"ussdString_text": "😀"}, "0401480404d83dde00"),
        ({"ussdString_hex": "31"}, "04010f040131"),
        ({"ussdString": "1"}, "04010f040131"),
    ],
)
def test_text_decides_where_no_scheme_is_given(args: dict[str, Any], octets: str) -> None:
    assert RESULT.encode_members(args).hex() == octets


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"ussdString_text": "ж", f"{SCHEME}_group": 0}, "'ж' is not in the GSM"),
        ({"ussdString_text": "1", f"{SCHEME}_hex": "44"}, "44 has no text form, give octets"),
        ({"ussdString_text": "1", f"{SCHEME}_hex": "60"}, "60 has no text form, give octets"),
        ({"ussdString_text": "1", f"{SCHEME}_hex": "11"}, "11 has no text form, give octets"),
        ({"ussdString_text": "x" * 183}, "takes 161 octets, not 1..160"),
        ({"ussdString_text": ""}, "takes 0 octets, not 1..160"),
        ({"ussdString_text": "\ud800"}, "surrogates not allowed"),
        ({f"{SCHEME}_group": 0}, "ussdString: is mandatory"),
        ({}, "is mandatory"),
    ],
)
def test_what_can_not_be_sent(args: dict[str, Any], message: str) -> None:
    with pytest.raises(LocalProtocolError, match=message):
        RESULT.encode_members(args)


def test_longest_text_fits() -> None:
    assert len(RESULT.encode_members({"ussdString_text": "x" * 182})) == 3 + 3 + 160


def test_text_is_filled_in_on_receipt() -> None:
    notes: list[Any] = []
    tree: dict[str, Any] = {}
    octets = bytes.fromhex("04014804040436003f800391463f")
    ARGUMENT.decode_members(octets, 0, len(octets), tree, notes)
    assert not notes
    assert tree["ussdDataCodingScheme_encoding_name"] == "ucs2"
    assert tree["ussdString_text"] == "ж?"
    assert tree["msisdn_digits"] == "64f3"


def test_odd_ucs2_is_noted_and_kept() -> None:
    notes: list[Any] = []
    tree: dict[str, Any] = {}
    octets = bytes.fromhex("0401480403004100")
    ARGUMENT.decode_members(octets, 0, len(octets), tree, notes)
    assert [note.text for note in notes] == ["is not UCS2"]
    assert "ussdString_text" not in tree
    assert ARGUMENT.encode_members(tree) == octets


def test_scheme_of_two_octets_is_noted_and_kept() -> None:
    notes: list[Any] = []
    tree: dict[str, Any] = {}
    octets = bytes.fromhex("04020f0f040131")
    ARGUMENT.decode_members(octets, 0, len(octets), tree, notes)
    assert [note.text for note in notes] == ["data coding scheme of 2 octets"]
    assert ARGUMENT.encode_members(tree) == octets


def test_schemes_without_text() -> None:
    assert text_encoding(0x11) is None
    assert text_encoding(0x60) is None
    assert text_encoding(0x44) is None
    assert text_encoding(0x4C) is None
    assert text_encoding(0x8A) is None
