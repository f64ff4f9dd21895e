"""The default alphabet of TS 23.038, its extension table and the packing."""

import pytest

from tsvc.protocols.map.alphabet import codes_of, is_in_alphabet, pack, text_of, unpack


@pytest.mark.parametrize(
    ("text", "octets"),
    [
        ("*100#", "aa180c3602"),
        ("hellohello", "e8329bfd4697d9ec37"),
        ("1", "31"),
        ("", ""),
        # Seven characters leave seven bits: CR fills them.
        ("1234567", "31d98c56b3dd1a"),
        ("12345678", "31d98c56b3dd70"),
    ],
)
def test_known_octets(text: str, octets: str) -> None:
    assert pack(codes_of(text)).hex() == octets
    assert text_of(unpack(bytes.fromhex(octets))) == text


def test_a_last_at_sign_is_told_from_filling() -> None:
    assert text_of(unpack(pack(codes_of("1234567")))) == "1234567"
    assert text_of(unpack(pack(codes_of("1234567@")))) == "1234567@"


def test_a_last_cr_on_the_boundary_is_doubled() -> None:
    octets = pack(codes_of("1234567\r"))
    assert len(octets) == 8
    assert text_of(unpack(octets)) == "1234567\r\r"


def test_the_table_has_each_character_once() -> None:
    characters = [text_of([code]) for code in range(128) if code != 0x1B]
    assert len(set(characters)) == 127
    for code, character in zip([c for c in range(128) if c != 0x1B], characters, strict=True):
        assert codes_of(character) == [code]


@pytest.mark.parametrize(
    ("character", "code"),
    [
        *(("@", 0), ("£", 1), ("$", 2), ("é", 5), ("Δ", 0x10), ("_", 0x11), ("Ξ", 0x1A)),
        *(("É", 0x1F), (" ", 0x20), ("¤", 0x24), ("0", 0x30), ("¡", 0x40), ("A", 0x41)),
        *(("Ä", 0x5B), ("§", 0x5F), ("¿", 0x60), ("a", 0x61), ("ä", 0x7B), ("à", 0x7F)),
        *(("\n", 0x0A), ("\r", 0x0D)),
    ],
)
def test_places_in_the_table(character: str, code: int) -> None:
    assert codes_of(character) == [code]


@pytest.mark.parametrize(
    ("character", "code"),
    [
        *(("^", 0x14), ("{", 0x28), ("}", 0x29), ("\\", 0x2F), ("[", 0x3C), ("~", 0x3D)),
        *(("]", 0x3E), ("|", 0x40), ("€", 0x65), ("\f", 0x0A)),
    ],
)
def test_extension_table(character: str, code: int) -> None:
    assert codes_of(character) == [0x1B, code]
    assert text_of([0x1B, code]) == character


def test_escapes_that_lead_nowhere() -> None:
    assert text_of([0x1B, 0x41]) == "A"
    assert text_of([0x1B, 0x1B]) == " "
    assert text_of([0x41, 0x1B]) == "A "


def test_what_is_not_in_it() -> None:
    assert not is_in_alphabet("ç")
    with pytest.raises(ValueError, match="'ç' is not in the GSM default alphabet"):
        codes_of("aç")
