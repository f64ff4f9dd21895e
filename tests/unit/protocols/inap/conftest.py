"""Shared by the tests of INAP and CAP: our own vectors, and decoded arguments in plain form."""

from pathlib import Path
from typing import Any

import pytest
from unit.protocols.own_vectors import Vector, give, vectors_in

from tsvc.protocols.asn1 import (
    Boolean,
    Containing,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    SequenceOf,
    Structure,
    Text,
    Type,
)
from tsvc.protocols.inap.operation import OPERATIONS, VARIANTS


def own_vectors() -> list[Vector]:
    return vectors_in(Path(__file__).parent / "vectors", OPERATIONS)


def of_known_variants() -> list[Vector]:
    return [one for one in own_vectors() if one.variant in VARIANTS]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    give(metafunc, own_vectors)


def portray(type_: Type, tree: dict[str, Any]) -> dict[str, Any]:
    """Return a decoded argument in the plain form to which pycrate's values are also converted.

    Octets of any kind are {"hex"}, enumerations their names, NULL is 0, booleans are booleans.
    """
    assert isinstance(type_, Structure)
    plain = {}
    for member in type_.members:
        if any(key in tree for key in member.type.keys(member.name)):
            plain[member.name] = _portrayed(member.type, tree, member.name)
    return plain


def _portrayed(type_: Type, tree: dict[str, Any], name: str) -> Any:
    value: Any = {"hex": tree.get(name + "_hex")}
    if isinstance(type_, Structure):
        value = portray(type_, tree[name])
    elif isinstance(type_, SequenceOf):
        value = [_element(type_.element, tree, name, at) for at in range(len(tree[name]))]
    elif isinstance(type_, Enumerated):
        value = tree.get(name + "_name", tree[name])
    elif isinstance(type_, Boolean):
        value = bool(tree[name])
    elif isinstance(type_, Null):
        value = 0
    elif isinstance(type_, Integer | Text | ObjectIdentifier):
        value = tree[name]
    elif isinstance(type_, Containing):
        value = {"hex": tree[name + "_hex"]}
    return value


def _element(type_: Type, tree: dict[str, Any], name: str, at: int) -> Any:
    item = tree[name][at]
    if isinstance(type_, Structure):
        return portray(type_, item)
    if isinstance(type_, Enumerated):
        return type_.names.get(item, item)
    if isinstance(type_, Integer):
        return item
    return {"hex": tree[name + "_hex"][at]}


@pytest.fixture(name="portray", scope="session")
def portray_fixture() -> Any:
    return portray
