"""SEQUENCE and CHOICE: members by tag, deviations, raw octets, variants."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import (
    Choice,
    Integer,
    Null,
    Octets,
    Sequence,
    Structure,
    decode_value,
    encode_value,
    m,
)

BYTE = Integer(-128, 127)
LEG = Choice(m("sending", 0, Octets(1, 1)), m("receiving", 1, Octets(1, 1)))
ADDRESS = Choice(m("ip", 0, Octets()), m("none", 3, Null()))
SEQUENCE = Sequence(
    m("key", 0, BYTE, required=True),
    m("leg", 2, LEG),
    m("inner", 4, Sequence(m("a", 0, BYTE, required=True), m("b", 1, BYTE))),
    m("flag", 50, Null()),
    m("plain", None, BYTE),
    m("new", 51, BYTE, only=frozenset({"v2"})),
)
UNTAGGED = Sequence(m("address", None, ADDRESS, required=True), m("more", 4, BYTE))


def decode(type_: Structure, octets: str) -> tuple[dict[str, Any], list[str]]:
    notes: list[Any] = []
    tree = decode_value(type_, bytes.fromhex(octets), notes)
    return tree, [str(note) for note in notes]


VALUES = [
    (SEQUENCE, "3003800105", {"key": 5}),
    (
        SEQUENCE,
        "3008800105a203800102",
        {"key": 5, "leg": {"sending": "\x02", "sending_hex": "02"}},
    ),
    (SEQUENCE, "3008800105a403800101", {"key": 5, "inner": {"a": 1}}),
    (SEQUENCE, "30098001059f3200020107", {"key": 5, "flag": 1, "plain": 7}),
    (UNTAGGED, "30028300", {"address": {"none": 1}}),
    (
        UNTAGGED,
        "30068001ff840102",
        {"address": {"ip": "\xff", "ip_hex": "ff"}, "more": 2},
    ),
    (LEG, "810101", {"receiving": "\x01", "receiving_hex": "01"}),
    (Choice(m("bare", None, Octets())), "040101", {"bare": "\x01", "bare_hex": "01"}),
]


@pytest.mark.parametrize(("type_", "octets", "tree"), VALUES)
def test_both_ways(type_: Structure, octets: str, tree: dict[str, Any]) -> None:
    type_ = type_.for_variant("v1")
    assert decode(type_, octets) == (tree, [])
    assert encode_value(type_, tree).hex() == octets


DEVIATIONS = [
    (SEQUENCE, "3000", "key at octet 2: mandatory member is missing"),
    (SEQUENCE, "3006800105910101", "argument at octet 7: unknown member, tag 91"),
    (SEQUENCE, "3006800105800106", "argument at octet 7: key occurs again"),
    (SEQUENCE, "3006820102800105", "argument at octet 4: leg must be constructed"),
    (SEQUENCE, "3006800105bf3200", "argument at octet 8: flag must be primitive"),
    (SEQUENCE, "3005800105a200", "leg at octet 7: holds no alternative"),
    (SEQUENCE, "3008800105a203820102", "leg at octet 9: unknown alternative, tag 82"),
    (SEQUENCE, "3008800105a403810101", "inner.a at octet 7: mandatory member is missing"),
    (SEQUENCE, "3008800105a403800201", "inner at octet 7: length 2 runs 1 octets past the end"),
    (SEQUENCE, "300b800105a206800101810101", "leg at octet 12: a second alternative"),
    (SEQUENCE, "3103800105", "argument at octet 0: tag 31 where 30 is due"),
    (SEQUENCE, "3004800105", "argument at octet 0: length 4 runs 1 octets past the end"),
    (SEQUENCE, "3003800205", "argument at octet 2: length 2 runs 1 octets past the end"),
    (SEQUENCE, "3003800105ffff", "argument at octet 5: 2 octets after the value"),
    (SEQUENCE, "3007800105bf330101", "argument at octet 8: unknown member, tag bf33"),
    (UNTAGGED, "3000", "address at octet 2: mandatory member is missing"),
    (UNTAGGED, "300583018001ff", "argument at octet 5: length of length"),
    (LEG, "810101820102", "argument at octet 5: a second alternative"),
    (LEG, "30", "argument at octet 0: cut short"),
]


@pytest.mark.parametrize(("type_", "octets", "text"), DEVIATIONS)
def test_deviations_are_noted(type_: Structure, octets: str, text: str) -> None:
    _, notes = decode(type_.for_variant("v1"), octets)
    assert any(note.startswith(text) for note in notes), notes


@pytest.mark.parametrize(("type_", "octets", "text"), DEVIATIONS)
def test_no_octet_is_lost(type_: Structure, octets: str, text: str) -> None:
    type_ = type_.for_variant("v1")
    tree, _ = decode(type_, octets)
    if "missing" in text or "no alternative" in text:
        with pytest.raises(LocalProtocolError, match=r"mandatory|needed"):
            encode_value(type_, tree)
    else:
        assert encode_value(type_, tree).hex() == octets


def test_out_of_order_is_noted_but_read() -> None:
    tree, notes = decode(SEQUENCE, "3008a203800102800105")
    assert tree == {"leg": {"sending": "\x02", "sending_hex": "02"}, "key": 5}
    assert notes == ["key at octet 9: is out of order"]


def test_unknown_members_keep_their_place() -> None:
    tree, notes = decode(SEQUENCE, "30099e0101800105910102")
    assert [item["at"] for item in tree["_unknown"]] == [0, 2]
    assert len(notes) == 2
    assert encode_value(SEQUENCE, tree).hex() == "30099e0101800105910102"


REFUSALS = [
    (SEQUENCE, {}, "key", "is mandatory"),
    (SEQUENCE, {"key": 5, "nothing": 1}, "nothing", "no such member"),
    (SEQUENCE, {"key": 500}, "key", "outside"),
    (SEQUENCE, {"key": 5, "leg": {}}, "leg", "one of sending, receiving is needed"),
    (SEQUENCE, {"key": 5, "leg": {"sending_hex": "01", "receiving_hex": "01"}}, "leg", "exclude"),
    (SEQUENCE, {"key": 5, "leg": {"middle": 1}}, "leg.middle", "no such member"),
    (SEQUENCE, {"key": 5, "leg": "01"}, "leg", "must be an object"),
    (SEQUENCE, {"key": 5, "inner": {"b": 1}}, "inner.a", "is mandatory"),
    (SEQUENCE, {"key": 5, "inner": {"a": "x"}}, "inner.a", "not an integer"),
    (SEQUENCE, {"key": 5, "new": 1}, "new", "no such member"),
    (SEQUENCE, {"key": 5, "_unknown": [{"tag": "zz", "hex": ""}]}, "_unknown.tag", "in hex"),
]


@pytest.mark.parametrize(("type_", "args", "path", "text"), REFUSALS)
def test_refusals_have_a_path(
    type_: Structure, args: dict[str, Any], path: str, text: str
) -> None:
    with pytest.raises(LocalProtocolError, match=text) as caught:
        encode_value(type_.for_variant("v1"), args)
    assert caught.value.path == path


OVERRIDES = [
    ({"key_hex": "010203"}, "30058003010203"),
    ({"key": 5, "leg_hex": "ffff"}, "3007800105a202ffff"),
    ({"key": 5, "inner": {"_hex": "00"}}, "3006800105a40100"),
    ({"_hex": "deadbeef"}, "deadbeef"),
    ({"key": 5, "flag": 0}, "3003800105"),
    ({"key": 5, "flag": 1}, "30068001059f3200"),
    ({"key": 5, "leg": None}, "3003800105"),
    ({"key": 5, "_comment": "ignored"}, "3003800105"),
]


@pytest.mark.parametrize(("args", "octets"), OVERRIDES)
def test_anything_can_be_overridden(args: dict[str, Any], octets: str) -> None:
    assert encode_value(SEQUENCE, args).hex() == octets


def test_variants_differ_in_members() -> None:
    new = SEQUENCE.for_variant("v2")
    old = SEQUENCE.for_variant("v1")
    octets = "30078001059f330101"
    assert decode(new, octets) == ({"key": 5, "new": 1}, [])
    tree, notes = decode(old, octets)
    assert "new" not in tree
    assert notes == ["argument at octet 8: unknown member, tag 9f33"]
    assert SEQUENCE.for_variant("v2") is new
    assert new.for_variant("v2") is new


def test_members_and_keys() -> None:
    assert set(LEG.known_keys()) == {"sending", "sending_hex", "receiving", "receiving_hex"}
    member = LEG.member_of("receiving_hex")
    assert member is not None
    assert member.name == "receiving"
    assert LEG.member_of("other") is None
    described = SEQUENCE.describe()
    assert described["members"]["key"]["required"] is True
    assert described["members"]["leg"]["members"]["sending"]["keys"] == ["sending", "sending_hex"]


def test_the_same_keys_are_checked_against_each_value() -> None:
    """The check that is remembered for a set of keys does not depend on their values."""
    first = {"key": 5, "flag": 1, "leg": {"sending_hex": "01"}}
    assert encode_value(SEQUENCE, first).hex() == "300b800105a2038001019f3200"
    assert encode_value(SEQUENCE, {**first, "flag": 0}).hex() == "3008800105a203800101"
    assert encode_value(SEQUENCE, {**first, "leg": None}).hex() == "30068001059f3200"
    assert encode_value(SEQUENCE, first).hex() == "300b800105a2038001019f3200"
    with pytest.raises(LocalProtocolError, match="mandatory"):
        encode_value(SEQUENCE, {**first, "key": None})


def test_order_of_the_keys_does_not_matter() -> None:
    args = {"flag": 1, "plain": 7, "key": 5}
    octets = encode_value(SEQUENCE, args)
    assert encode_value(SEQUENCE, dict(reversed(args.items()))) == octets


def test_unknown_members_stand_in_only_where_there_are_some() -> None:
    args: dict[str, Any] = {"plain": 7, "_unknown": [{"tag": "80", "hex": "05"}]}
    assert encode_value(SEQUENCE, args).hex() == "3006020107800105"
    for _ in range(2):
        with pytest.raises(LocalProtocolError, match="mandatory"):
            encode_value(SEQUENCE, {"plain": 7, "_unknown": []})


def test_more_sets_of_keys_than_are_remembered() -> None:
    wide = Sequence(*(m(f"m{number}", number, BYTE) for number in range(9)))
    for bits in range(1, 512):
        args = {f"m{number}": number for number in range(9) if bits >> number & 1}
        tree, notes = decode(wide, encode_value(wide, args).hex())
        assert (tree, notes) == (args, [])
