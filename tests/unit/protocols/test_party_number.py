"""Numbers, digits and causes: tables of their octets and parts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError
from tsvc.protocols import party_number
from tsvc.protocols.asn1 import Type
from tsvc.protocols.inap.operation import CS
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    IMSI,
    ISDN_ADDRESS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
    TBCD,
)


def decode(type_: Type, octets: str) -> tuple[dict[str, Any], list[str]]:
    value = bytes.fromhex(octets)
    out: dict[str, Any] = {}
    notes: list[Any] = []
    type_.decode(value, 0, len(value), out, "x", notes)
    return {key.removeprefix("x"): part for key, part in out.items()}, [
        note.text for note in notes
    ]


def encode(type_: Type, **parts: Any) -> str:
    return type_.encode({"x" + key: part for key, part in parts.items()}, "x").hex()


TABLE = [
    (CALLED_PARTY_NUMBER, "84902143f5", {"_noa": 4, "_inn": 1, "_npi": 1, "_digits": "12345"}),
    (CALLED_PARTY_NUMBER, "02102143", {"_noa": 2, "_inn": 0, "_npi": 1, "_digits": "1234"}),
    (CALLED_PARTY_NUMBER, "0210", {"_noa": 2, "_inn": 0, "_npi": 1, "_digits": ""}),
    (CALLED_PARTY_NUMBER, "0210bcfa", {"_noa": 2, "_inn": 0, "_npi": 1, "_digits": "cbaf"}),
    (
        CALLING_PARTY_NUMBER,
        "83973302",
        {"_noa": 3, "_ni": 1, "_npi": 1, "_pri": 1, "_si": 3, "_digits": "332"},
    ),
    (
        LOCATION_NUMBER,
        "049121",
        {"_noa": 4, "_inn": 1, "_npi": 1, "_pri": 0, "_si": 1, "_digits": "12"},
    ),
    (REDIRECTING_NUMBER, "031421", {"_noa": 3, "_npi": 1, "_pri": 1, "_digits": "12"}),
    (
        GENERIC_NUMBER,
        "06841302",
        {"_nqi": 6, "_noa": 4, "_ni": 0, "_npi": 1, "_pri": 0, "_si": 3, "_digits": "2"},
    ),
    (ISDN_ADDRESS, "9146121200f1", {"_noa": 1, "_npi": 1, "_digits": "642121001"}),
    (TBCD, "350321f4", {"_digits": "5330124"}),
    (TBCD, "", {"_digits": ""}),
    (GENERIC_DIGITS, "022143", {"_scheme": 0, "_type": 2, "_digits": "1234"}),
    (GENERIC_DIGITS, "202103", {"_scheme": 1, "_type": 0, "_digits": "123"}),
    (GENERIC_DIGITS, "40312a23", {"_scheme": 2, "_type": 0, "_digits": "1bc"}),
    (CAUSE, "8090", {"_standard": 0, "_location": 0, "_cause": 16}),
    (
        CAUSE,
        "e49f0102",
        {"_standard": 3, "_location": 4, "_cause": 31, "_diagnostics_hex": "0102"},
    ),
]


@pytest.mark.parametrize(("type_", "octets", "parts"), TABLE)
def test_decodes_all_parts(type_: Type, octets: str, parts: dict[str, Any]) -> None:
    tree, notes = decode(type_, octets)
    assert not notes
    raw = bytes.fromhex(octets)
    assert tree == {"": raw.decode("latin-1"), "_hex": octets, **parts}
    assert {"x" + key for key in tree} <= set(type_.keys("x"))


@pytest.mark.parametrize(("type_", "octets", "parts"), TABLE)
def test_encodes_from_parts(type_: Type, octets: str, parts: dict[str, Any]) -> None:
    given = {key: str(part) if isinstance(part, int) else part for key, part in parts.items()}
    # The filler of an odd number is sent as 0, even if another filler was received.
    assert encode(type_, **parts) == octets.replace("2143f5", "214305")
    assert encode(type_, **given) == encode(type_, **parts)


@pytest.mark.parametrize(("type_", "octets", "parts"), TABLE)
def test_raw_octets_win(type_: Type, octets: str, parts: dict[str, Any]) -> None:
    assert encode(type_, **{**parts, "_hex": octets}) == octets
    assert encode(type_, **{**parts, "": bytes.fromhex(octets).decode("latin-1")}) == octets


@pytest.mark.parametrize(
    ("type_", "octets"),
    [
        (CALLED_PARTY_NUMBER, "0210"),
        (CALLING_PARTY_NUMBER, "0210"),
        (LOCATION_NUMBER, "0210"),
        (REDIRECTING_NUMBER, "0210"),
        (GENERIC_NUMBER, "000210"),
        (ISDN_ADDRESS, "91"),
        (TBCD, ""),
        (GENERIC_DIGITS, "00"),
        (CAUSE, "809f"),
    ],
)
def test_defaults(type_: Type, octets: str) -> None:
    assert encode(type_) == octets


@pytest.mark.parametrize(
    ("type_", "octets", "text"),
    [
        (CALLED_PARTY_NUMBER, "84", "called party number of 1 octets"),
        (GENERIC_NUMBER, "0084", "generic number of 2 octets"),
        (ISDN_ADDRESS, "", "address string of 0 octets"),
        (GENERIC_DIGITS, "", "without octets"),
        (GENERIC_DIGITS, "e021", "encoding scheme 7"),
        (CAUSE, "80", "cause of 1 octets"),
        (CAUSE, "0080", "cause of 2 octets"),
        (CAUSE, "", "cause of 0 octets"),
    ],
)
def test_too_short_or_unknown_is_noted_and_kept(type_: Type, octets: str, text: str) -> None:
    tree, notes = decode(type_, octets)
    assert len(notes) == 1
    assert text in notes[0]
    assert tree["_hex"] == octets
    assert encode(type_, **tree) == octets


def test_cause_with_recommendation_octet() -> None:
    tree, notes = decode(CAUSE, "00018590ff")
    assert not notes
    assert tree["_cause"] == 5
    assert tree["_diagnostics_hex"] == "90ff"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        ({"_digits": 123}, "must be a string"),
        ({"_digits": "12x"}, "no digit"),
        ({"_digits": "1", "_noa": 128}, "outside 0..127"),
        ({"_digits": "1", "_npi": -1}, "outside 0..7"),
        ({"_digits": "1", "_inn": "two"}, "not an integer"),
        ({"_hex": "021"}, "not octets in hex"),
        ({"_hex": 5}, "string of hex digits"),
        ({"": "\u0100"}, "above octet 255"),
    ],
)
def test_what_can_not_be_sent(parts: dict[str, Any], text: str) -> None:
    with pytest.raises(LocalProtocolError, match=text) as caught:
        encode(CALLED_PARTY_NUMBER, **parts)
    assert caught.value.path.startswith("x")


@given(st.text("0123456789abcdef", max_size=30))
def test_digits_come_back(digits: str) -> None:
    for type_ in (CALLED_PARTY_NUMBER, GENERIC_NUMBER, GENERIC_DIGITS):
        assert decode(type_, encode(type_, _digits=digits))[0]["_digits"] == digits


@given(st.text("0123456789abcde", max_size=30))
def test_telephony_bcd_comes_back(digits: str) -> None:
    assert decode(TBCD, encode(TBCD, _digits=digits))[0]["_digits"] == digits


def test_bcd() -> None:
    assert party_number.encode_bcd("123").hex() == "2103"
    assert party_number.encode_bcd("123", "f").hex() == "21f3"
    assert party_number.decode_bcd(bytes.fromhex("21f3"), is_odd=True) == "123"
    assert party_number.decode_bcd(bytes.fromhex("21f3"), is_odd=False) == "123f"


@pytest.mark.parametrize("type_", [CALLED_PARTY_NUMBER, GENERIC_DIGITS, CAUSE, TBCD])
def test_describes_itself(type_: Type) -> None:
    assert isinstance(type_.describe()["type"], str)


def test_what_is_remembered_is_not_shared() -> None:
    first, _ = decode(CALLED_PARTY_NUMBER, "8390214305")
    second, _ = decode(CALLED_PARTY_NUMBER, "8390214305")
    first["_digits"] = "changed"
    third, _ = decode(CALLED_PARTY_NUMBER, "8390214305")
    assert second == third
    assert third["_digits"] == "12345"


def test_more_numbers_than_are_remembered() -> None:
    for number in range(9000):
        digits = f"{number:06d}"
        octets = encode(TBCD, _digits=digits)
        assert decode(TBCD, octets)[0]["_digits"] == digits
    assert len(TBCD._written) <= 4096
    assert len(TBCD._read) <= 4096


def test_the_same_octets_are_as_wrong_every_time() -> None:
    for _ in range(2):
        assert decode(CALLED_PARTY_NUMBER, "83")[1] == ["called party number of 1 octets"]


@pytest.mark.parametrize("value", [[5], {"a": 1}])
def test_parts_of_no_usable_type_are_refused(value: Any) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        CALLED_PARTY_NUMBER.encode({"x_digits": "12", "x_noa": value}, "x")
    assert caught.value.path == "x_noa"


def test_equal_keys_of_different_types_mean_the_same() -> None:
    for noa in (1, True, 1.0, "1"):
        octets = CALLED_PARTY_NUMBER.encode({"x_digits": "12", "x_noa": noa}, "x")
        assert octets.hex() == "011021"


@pytest.mark.parametrize(
    ("type_", "most"),
    [(CALLED_PARTY_NUMBER, 18), (CAUSE, 32), (GENERIC_DIGITS, 16), (IMSI, 8), (ISDN_ADDRESS, 9)],
)
def test_sizes_are_those_of_the_standard_of_a_variant(type_: Type, most: int) -> None:
    right, long = "11" * most, "11" * (most + 1)
    for variant in ("camel2", "camel4-sms", "map1", "map3"):
        assert decode(type_.for_variant(variant), right)[1] == []
        (note,) = decode(type_.for_variant(variant), long)[1]
        assert note.startswith(f"{most + 1} octets, not ")
    # INAP and CAP v1 leave them to the network; the octets have the same meaning.
    for variant in CS | {"camel1"}:
        assert decode(type_.for_variant(variant), long)[1] == []
        assert decode(type_.for_variant(variant), long)[0] == decode(type_, long)[0]


def test_the_variants_of_free_sizes_are_those_there_are() -> None:
    assert CS | {"camel1"} == party_number.NETWORK_SPECIFIC
