"""Compares the sizes and ranges of declared types with those of pycrate's compiled modules."""

from collections.abc import Iterator, Mapping
from typing import Any

from tsvc.protocols.asn1 import (
    Containing,
    Integer,
    Octets,
    OpenType,
    SequenceOf,
    Structure,
    Text,
    Type,
)
from tsvc.protocols.party_number import Parted

Limits = tuple[int, int] | None
_BIT_STRING = "BIT STRING"


def _inherited(type_: Any, name: str) -> Any:
    """Return an attribute of a type of pycrate, or of the type that it refers to."""
    while type_ is not None:
        found = getattr(type_, name, None)
        if found is not None:
            return found
        type_ = getattr(type_, "_tr", None)
    return None


def _ours(type_: Type) -> Limits:
    if isinstance(type_, Parted):
        return type_.sizes
    if isinstance(type_, OpenType):
        return None
    if isinstance(type_, Octets | Text | Integer | SequenceOf):
        return type_.lowest, type_.highest
    return None


def _theirs(type_: Any, ours: Type) -> Limits:
    limits = _inherited(type_, "_const_val" if isinstance(ours, Integer) else "_const_sz")
    if limits is None:
        return None
    if _inherited(type_, "TYPE") == _BIT_STRING:  # ours: octets, with the unused-bits count
        return (limits.lb + 7) // 8 + 1, (limits.ub + 7) // 8 + 1
    return limits.lb, limits.ub


def differences(
    ours: Type,
    theirs: Any,
    path: str,
    renamed: Mapping[str, str],
    seen: frozenset[int] = frozenset(),
) -> Iterator[str]:
    """Yield the differences below two types, and each leaf and list that was compared.

    renamed: pycrate's name -> our name.
    """
    if theirs is None or id(ours) in seen:
        return
    mine, other = _ours(ours), _theirs(theirs, ours)
    if mine is not None and other is not None:
        yield f"compared {path}"
        if mine != other:
            yield f"{path} has {mine[0]}..{mine[1]}, there {other[0]}..{other[1]}"
    if isinstance(ours, Containing):
        ours, theirs = ours.inner, getattr(theirs, "_const_cont", None)
    below = _inherited(theirs, "_cont")
    if isinstance(ours, SequenceOf) and below is not None and not hasattr(below, "keys"):
        yield from differences(ours.element, below, f"{path}[]", renamed, seen)
    if not isinstance(ours, Structure) or not hasattr(below, "keys"):
        return
    members = {member.name: member.type for member in ours.members}
    for name in below:
        type_ = members.get(renamed.get(name, name))
        if type_ is not None:
            inner = f"{path}.{name}"
            yield from differences(type_, below[name], inner, renamed, seen | {id(ours)})
