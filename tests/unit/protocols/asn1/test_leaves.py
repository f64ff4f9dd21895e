"""Leaf types: a table of octets and values, a table of deviations, a table of refusals."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import (
    Boolean,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    Octets,
    OpenType,
    Text,
    Type,
)

COLOURS = Enumerated({0: "red", 1: "green", 200: "blue"})


def decode(type_: Type, octets: str) -> tuple[dict[str, Any], list[str]]:
    # Two octets before and one after the leaf's contents, which the leaf must not read.
    value = b"\xff\xff" + bytes.fromhex(octets) + b"\xff"
    out: dict[str, Any] = {}
    notes: list[Any] = []
    type_.decode(value, 2, len(value) - 1, out, "x", notes)
    assert all(note.path == "x" and note.offset == 2 for note in notes)
    return out, [note.text for note in notes]


VALUES = [
    (Integer(0, 300), "05", {"x": 5}),
    (Integer(-200, 300), "80", {"x": -128}),
    (Integer(-200, 300), "012c", {"x": 300}),
    (COLOURS, "01", {"x": 1, "x_name": "green"}),
    (COLOURS, "00c8", {"x": 200, "x_name": "blue"}),
    (Boolean(), "ff", {"x": 1}),
    (Boolean(), "00", {"x": 0}),
    (Boolean(), "01", {"x": 1, "x_hex": "01"}),
    (Null(), "", {"x": 1}),
    (ObjectIdentifier(), "2a03", {"x": "1.2.3", "x_hex": "2a03"}),
    (Octets(1, 3), "00ff", {"x": "\x00\xff", "x_hex": "00ff"}),
    (OpenType(), "020105", {"x": "\x02\x01\x05", "x_hex": "020105"}),
    (Text(1, 9), "4869", {"x": "Hi", "x_hex": "4869"}),
]


@pytest.mark.parametrize(("type_", "octets", "tree"), VALUES)
def test_both_ways(type_: Type, octets: str, tree: dict[str, Any]) -> None:
    assert decode(type_, octets) == (tree, [])
    assert type_.encode(tree, "x").hex() == octets
    assert set(tree) <= set(type_.keys("x"))


DEVIATIONS = [
    (Integer(0, 300), "", "integer without octets"),
    (Integer(0, 300), "012d", "301 is outside 0..300"),
    (Integer(0, 300), "0005", "needless octets"),
    (Integer(-9, 300), "ffff", "needless octets"),
    (COLOURS, "", "enumerated without octets"),
    (COLOURS, "02", "2 is no known value"),
    (COLOURS, "0001", "needless octets"),
    (Boolean(), "", "boolean of 0 octets"),
    (Boolean(), "0000", "boolean of 2 octets"),
    (Null(), "00", "null of 1 octets"),
    (ObjectIdentifier(), "2a83", "cut short"),
    (Octets(2, 3), "01", "1 octets, not 2..3"),
    (Text(1, 9), "48ff", "outside IA5"),
    (Text(1, 2), "484848", "3 characters, not 1..2"),
]


@pytest.mark.parametrize(("type_", "octets", "text"), DEVIATIONS)
def test_deviations_are_noted_and_kept(type_: Type, octets: str, text: str) -> None:
    tree, notes = decode(type_, octets)
    assert len(notes) == 1
    assert text in notes[0]
    if not (isinstance(type_, Integer) and octets == "012d"):
        assert type_.encode(tree, "x").hex() == octets


REFUSALS = [
    (Integer(0, 300), {"x": 301}, "301 is outside 0..300"),
    (Integer(0, 300), {"x": "many"}, "'many' is not an integer"),
    (Integer(0, 300), {"x": 1.5}, "not an integer"),
    (COLOURS, {"x": "mauve"}, "none of red, green, blue"),
    (COLOURS, {"x_hex": "zz"}, "not octets in hex"),
    (Boolean(), {"x": "maybe"}, "neither 1 nor 0"),
    (ObjectIdentifier(), {"x": "1.x"}, "1.x"),
    (Octets(), {}, "octets or as _hex"),
    (Text(1, 9), {}, "must be a string"),
]


@pytest.mark.parametrize(("type_", "args", "text"), REFUSALS)
def test_refusals_name_the_member(type_: Type, args: dict[str, Any], text: str) -> None:
    with pytest.raises(LocalProtocolError, match=text) as caught:
        type_.encode(args, "x")
    assert caught.value.path.startswith("x")


OTHER_FORMS = [
    (Integer(0, 300), {"x": "300"}, "012c"),
    (Integer(0, 300), {"x": 5.0}, "05"),
    (Integer(0, 300), {"x": 5, "x_hex": "ffff"}, "ffff"),
    (Integer(0, 300), {"x_hex": "00 05"}, "0005"),
    (COLOURS, {"x": "blue"}, "00c8"),
    (COLOURS, {"x_name": "green"}, "01"),
    (COLOURS, {"x": 77}, "4d"),
    (COLOURS, {"x": "77"}, "4d"),
    (Boolean(), {"x": True}, "ff"),
    (Boolean(), {"x": "1"}, "ff"),
    (Boolean(), {"x": "false"}, "00"),
    (Null(), {"x_hex": "00"}, "00"),
    (ObjectIdentifier(), {"x": "1.2.3"}, "2a03"),
    (Octets(), {"x_hex": "0A 0b"}, "0a0b"),
    (Text(1, 9), {"x": "Hi"}, "4869"),
]


@pytest.mark.parametrize(("type_", "args", "octets"), OTHER_FORMS)
def test_other_forms_of_giving_a_value(type_: Type, args: dict[str, Any], octets: str) -> None:
    assert type_.encode(args, "x").hex() == octets


@pytest.mark.parametrize("type_", [type_ for type_, _, _ in VALUES])
def test_describes_itself(type_: Type) -> None:
    assert type_.describe()["type"]


def test_describes_units_and_names() -> None:
    assert Integer(1, 2, unit="s").describe() == {
        "type": "integer",
        "minimum": 1,
        "maximum": 2,
        "unit": "s",
    }
    assert COLOURS.describe()["names"] == {"0": "red", "1": "green", "200": "blue"}
