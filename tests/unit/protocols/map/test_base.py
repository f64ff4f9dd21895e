"""Versions, members that share a tag, and spellings."""

from typing import Any

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import Choice, Null, Octets, SequenceOf, m
from tsvc.protocols.contexts import BY_ALIAS, alias_of, context_octets, variant_of
from tsvc.protocols.map import operation as base
from tsvc.protocols.map.operation import OPERATIONS, InOrder, respelled

PAIR = InOrder(
    m("first", None, Octets(1, 1), required=True),
    m("which", None, Choice(m("left", 0, Null()), m("right", 1, Null()))),
    m("second", None, Octets(1, 1), required=True),
    m("third", 1, Octets(1, 1)),
)


def decoded(octets: str) -> tuple[dict[str, Any], list[str]]:
    notes: list[Any] = []
    tree: dict[str, Any] = {}
    raw = bytes.fromhex(octets)
    PAIR.decode_members(raw, 0, len(raw), tree, notes)
    return tree, [str(note) for note in notes]


def test_place_says_which_member_it_is() -> None:
    tree, notes = decoded("0401aa0401bb")
    assert not notes
    assert (tree["first_hex"], tree["second_hex"]) == ("aa", "bb")
    tree, notes = decoded("0401aa81000401bb8101cc")
    assert not notes
    assert tree["which"] == {"right": 1}
    assert tree["third_hex"] == "cc"


@pytest.mark.parametrize(
    ("octets", "note"),
    [
        ("0401aa", "second at octet 0: mandatory member is missing"),
        ("0401aa0401bb0401cc", "argument at octet 8: occurs again or out of order"),
        ("0401aa0401bb8000", "argument at octet 8: occurs again or out of order"),
        ("0401aa05000401bb", "argument at octet 5: unknown member, tag 5"),
        ("0401aa81010004" + "01bb", "which.right at octet 5: null of 1 octets"),
    ],
)
def test_deviations_are_noted(octets: str, note: str) -> None:
    _, notes = decoded(octets)
    assert note in notes


@pytest.mark.parametrize("octets", ["0401aa0401bb8101cc", "0401aa81000401bb", "0401aa0401bb8300"])
def test_octets_come_back(octets: str) -> None:
    tree, _ = decoded(octets)
    assert PAIR.encode_members(tree).hex() == octets


def test_mandatory_members_are_demanded() -> None:
    with pytest.raises(LocalProtocolError, match="second: is mandatory"):
        PAIR.encode_members({"first_hex": "aa"})


@pytest.mark.parametrize(
    ("alias", "variant"),
    [("ati3", "map3"), ("ussd2", "map2"), ("mtsm3", "map3"), ("sri2", "map2"), ("ul1", "map1")],
)
def test_context_decides_the_version(alias: str, variant: str) -> None:
    octets = BY_ALIAS[alias].octets
    assert base.variant_of(octets) == variant
    assert base.is_map_context(octets)
    assert variant_of(octets) is None  # it is not found as INAP or CAP
    assert alias_of(octets) == alias


@pytest.mark.parametrize(
    "alias", ["camel1", "camel2", "camel2-assist", "camel2-srf", "cs1", "camel3"]
)
def test_contexts_that_are_not_maps(alias: str) -> None:
    assert not base.is_map_context(BY_ALIAS[alias].octets)
    assert base.variant_of(BY_ALIAS[alias].octets) is None


def test_contexts_without_an_alias() -> None:
    assert base.variant_of(context_octets("0.4.0.0.1.0.2.3")) == "map3"
    assert base.variant_of(context_octets("0.4.0.0.1.0.5.1")) == "map1"
    assert base.variant_of(context_octets("0.4.0.0.1.0.1.4")) is None
    assert base.is_map_context(context_octets("0.4.0.0.1.0.1.4"))
    assert base.variant_of(None) is None


def test_published_aliases() -> None:
    assert BY_ALIAS["ati3"].oid == "0.4.0.0.1.0.29.3"
    assert BY_ALIAS["ussd2"].oid == "0.4.0.0.1.0.19.2"


def test_variant_names() -> None:
    assert base.variant_named("map") == "map3"
    assert base.variant_named("map1") == "map1"
    assert base.variant_named("map2") == "map2"
    assert base.variant_named("camel3") is None


@pytest.mark.parametrize(
    ("operation", "given", "spelled"),
    [
        ("AnyTimeInterrogation", {"gsmSCFAddress_digits": "1"}, {"gsmSCF-Address_digits": "1"}),
        ("AnyTimeInterrogation", {"!gsmSCFAddress": None}, {"!gsmSCF-Address": None}),
        ("MO-ForwardSM", {"smRPUI_hex": "01"}, {"sm-RP-UI_hex": "01"}),
        (
            "MO-ForwardSM",
            {"smRPDA": {"noSMRPDA": 1}},
            {"sm-RP-DA": {"noSM-RP-DA": 1}},
        ),
        ("UnstructuredSSNotify", {"ussd-String_text": "1"}, {"ussdString_text": "1"}),
        ("UnstructuredSSNotify", {"nonsense": 1}, {"nonsense": 1}),
    ],
)
def test_spellings(operation: str, given: dict[str, Any], spelled: dict[str, Any]) -> None:
    declared = OPERATIONS.required(operation)
    assert declared.respelled(given, max(declared.variants)) == spelled


def test_what_is_spelled_right_is_left_alone() -> None:
    declared = OPERATIONS.required("AnyTimeInterrogation")
    assert declared.respelled(declared.example, "map3") is declared.example
    kept = {"items": [{"a-b": 1}]}
    listed = InOrder(m("items", 0, SequenceOf(InOrder(m("a-b", 0, Null())))))
    assert respelled(kept, listed) is kept
    assert respelled({"items": [{"aB": 1}, "x"]}, listed) == {"items": [{"a-b": 1}, "x"]}
