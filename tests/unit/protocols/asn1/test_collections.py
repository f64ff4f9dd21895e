"""SEQUENCE OF, octet strings that hold BER, and types that differ by variant."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Containing,
    Enumerated,
    Integer,
    Octets,
    Sequence,
    SequenceOf,
    Structure,
    decode_value,
    encode_value,
    m,
)
from tsvc.protocols.party_number import TBCD

NUMBER = Integer(0, 100)
LISTS = Sequence(
    m("numbers", 0, SequenceOf(NUMBER, 1, 3)),
    m("colours", 1, SequenceOf(Enumerated({0: "red", 1: "green"}))),
    m("parties", 2, SequenceOf(TBCD)),
    m("pairs", 3, SequenceOf(Sequence(m("a", 0, NUMBER, required=True)))),
    m("choices", 4, SequenceOf(Choice(m("a", 0, NUMBER), m("b", 1, NUMBER)))),
    m("held", 5, Containing(Choice(m("a", 0, NUMBER)))),
)


def decode(type_: Structure, octets: str) -> tuple[dict[str, Any], list[str]]:
    notes: list[Any] = []
    tree = decode_value(type_, bytes.fromhex(octets), notes)
    return tree, [str(note) for note in notes]


VALUES = [
    ("3008a006020105020106", {"numbers": [5, 6], "numbers_hex": ["05", "06"]}),
    (
        "3005a1030a0101",
        {"colours": [1], "colours_name": "green", "colours_hex": ["01"]},
    ),
    (
        "3009a207040121040221f3",
        {"parties": ["\x21", "\x21\xf3"], "parties_hex": ["21", "21f3"], "parties_digits": "12"},
    ),
    ("300ca30a30038001013003800102", {"pairs": [{"a": 1}, {"a": 2}]}),
    ("3008a406800101810102", {"choices": [{"a": 1}, {"b": 2}]}),
    ("3002a300", {"pairs": []}),
    ("30058503800107", {"held": {"a": 7}, "held_hex": "800107"}),
]


@pytest.mark.parametrize(("octets", "tree"), VALUES)
def test_both_ways(octets: str, tree: dict[str, Any]) -> None:
    assert decode(LISTS, octets) == (tree, [])
    assert encode_value(LISTS, tree).hex() == octets


OTHER_FORMS = [
    ({"parties_digits": "12"}, "3005a203040121"),
    ({"parties": [{"digits": "12"}, {"parties_hex": "34"}]}, "3008a206040121040134"),
    ({"parties_hex": ["21", "34"]}, "3008a206040121040134"),
    ({"colours": ["green", 0]}, "3008a1060a01010a0100"),
    ({"pairs_hex": "ffff"}, "3004a302ffff"),
    ({"held_hex": "0102"}, "300485020102"),
    ({"held": "\x01"}, "3003850101"),
]


@pytest.mark.parametrize(("args", "octets"), OTHER_FORMS)
def test_other_forms(args: dict[str, Any], octets: str) -> None:
    assert encode_value(LISTS, args).hex() == octets


DEVIATIONS = [
    ("3005a0030a0101", "numbers[0] at octet 6: tag a where 2 is due"),
    ("3005a003020201", "numbers at octet 4: length 2 runs 1 octets past the end"),
    ("3005a0030201c8", "numbers[0].numbers at octet 6: -56 is outside 0..100"),
    ("3002a000", "numbers at octet 4: 0 elements, not 1..3"),
    ("3008a306300380010191", "pairs at octet 9: cut short"),
    ("3004a3023000", "pairs[0].a at octet 6: mandatory member is missing"),
    ("3005a403820101", "choices[0] at octet 6: unknown alternative, tag 82"),
    ("30048502aaff", "held at octet 4: length of length"),
    ("30048502a000", "held at octet 6: a must be primitive"),
    ("30028500", "held at octet 4: holds no alternative"),
]


@pytest.mark.parametrize(("octets", "text"), DEVIATIONS)
def test_deviations_are_noted(octets: str, text: str) -> None:
    _, notes = decode(LISTS, octets)
    assert any(text in note for note in notes), notes


@pytest.mark.parametrize(
    "octets", ["3005a0030a0101", "3005a003020201", "3005a403820101", "30048502aaff"]
)
def test_what_is_not_understood_is_kept(octets: str) -> None:
    assert encode_value(LISTS, decode(LISTS, octets)[0]).hex() == octets


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"numbers": [1, 500]}, "numbers[1].numbers"),
        ({"pairs": [{"a": 1}, {}]}, "pairs[1].a"),
        ({"pairs": [5]}, "pairs[0]"),
        ({"pairs": {"a": 1}}, "pairs"),
        ({"choices": [{}]}, "choices[0]"),
        ({"held": {"a": 500}}, "held.a"),
        ({"held_hex": None, "held": 5}, "held"),
    ],
)
def test_refusals_have_a_path(args: dict[str, Any], path: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        encode_value(LISTS, args)
    assert caught.value.path == path


V1, V2 = frozenset({"v1"}), frozenset({"v2"})


def test_by_variant() -> None:
    type_ = Sequence(m("x", 0, ByVariant({V1: Octets(), V2: SequenceOf(NUMBER)})))
    assert encode_value(type_.for_variant("v1"), {"x_hex": "05"}).hex() == "3003800105"
    assert encode_value(type_.for_variant("v2"), {"x": [5]}).hex() == "3005a003020105"
    with pytest.raises(KeyError):
        type_.for_variant("v3")
    assert type_.known_keys() == ["x", "x_hex"]
    choices = type_.describe()["members"]["x"]["choices"]
    assert [choice["type"] for choice in choices] == ["octets", "array"]


def test_lists_and_held_types_follow_the_variant() -> None:
    inner = Choice(m("a", 0, NUMBER, only=V1), m("b", 0, NUMBER, only=V2))
    type_ = Sequence(m("held", 0, Containing(inner)), m("list", 1, SequenceOf(inner)))
    octets = "300a" + "8003800101" + "a103800102"
    assert decode(type_.for_variant("v2"), octets) == (
        {"held": {"b": 1}, "held_hex": "800101", "list": [{"b": 2}]},
        [],
    )
    assert decode(type_.for_variant("v1"), octets)[0]["list"] == [{"a": 2}]


HOLDING = Sequence(m("held", 0, Containing(Sequence(m("a", 0, NUMBER, required=True)))))


def test_octets_that_hold_a_sequence_are_its_whole_tlv() -> None:
    assert encode_value(HOLDING, {"held": {"a": 5}}) == bytes.fromhex("300780053003800105")
    tree, notes = decode(HOLDING, "300780053003800105")
    assert not notes
    assert tree == {"held": {"a": 5}, "held_hex": "3003800105"}


@pytest.mark.parametrize(
    ("octets", "note"),
    [
        ("30058003800105", "held at octet 4: tag 80 where 30 is due"),
        ("30098007300380010500ff", "held at octet 9: 2 octets after the value"),
        ("3003800130", "held at octet 4: cut short in tag or length"),
        ("300480023000", "held.a at octet 6: mandatory member is missing"),
    ],
)
def test_octets_that_hold_no_such_sequence_are_kept(octets: str, note: str) -> None:
    tree, notes = decode(HOLDING, octets)
    assert notes == [note]
    if "missing" in note:
        assert tree["held_hex"] == "3000"
    else:
        assert encode_value(HOLDING, tree) == bytes.fromhex(octets)


@pytest.mark.parametrize(
    ("held", "path"), [({"a": "x"}, "held.a"), ({"b": 1}, "held.b"), (5, "held")]
)
def test_what_is_held_is_checked(held: Any, path: str) -> None:
    with pytest.raises(LocalProtocolError) as caught:
        encode_value(HOLDING, {"held": held})
    assert caught.value.path == path
