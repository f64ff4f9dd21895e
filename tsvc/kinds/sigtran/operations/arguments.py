"""`arguments` by the types that operations declare: names, and the smallest example."""

from collections.abc import Mapping
from typing import Any

from tsvc.operations.operation import Scope
from tsvc.protocols.asn1 import (
    Boolean,
    Choice,
    Containing,
    Enumerated,
    Integer,
    Null,
    ObjectIdentifier,
    Octets,
    Sequence,
    SequenceOf,
    Structure,
    Text,
    Type,
)
from tsvc.protocols.map.ussd import DataCodingScheme, UssdString
from tsvc.protocols.party_number import Cause, GenericDigits, Number

_DIGITS = "6421000001"
# What has one value and no members: an object or array for it can't be sent and never matches.
_LEAVES = (
    Boolean,
    Cause,
    DataCodingScheme,
    Enumerated,
    GenericDigits,
    Integer,
    Null,
    Number,
    ObjectIdentifier,
    Octets,
    Text,
    UssdString,
)
_BY_SUFFIX = {"_digits": _DIGITS, "_text": "text", "_cause": 16}


def smallest(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments with what is mandatory, by the description of a type's arguments.

    They are the example of an operation that declares none.
    """
    if described["type"] == "by variant":
        return smallest(described["choices"][0])
    members: Mapping[str, Any] = described.get("members", {})
    wanted = [name for name, member in members.items() if member.get("required")]
    if described["type"] == "choice":
        wanted = list(members)[:1]
    found: dict[str, Any] = {}
    for name in wanted:
        found |= _given(name, members[name])
    return found


def _given(name: str, member: Mapping[str, Any]) -> dict[str, Any]:
    """Return a member in the form that a person would write."""
    for suffix, value in _BY_SUFFIX.items():
        if name + suffix in member.get("keys", ()):
            return {name + suffix: value}
    match member["type"]:
        case "sequence" | "choice":
            return {name: smallest(member)}
        case "by variant":
            return _given(name, {**member["choices"][0], "keys": member.get("keys", ())})
        case "array":
            item = _given(name, member["items"])
            return {key: [value] for key, value in item.items()}
        case "integer":
            return {name: member["minimum"]}
        case "enumerated":
            return {name: next(iter(member["names"].values()))}
        case "boolean" | "null":
            return {name: 1}
        case "text":
            return {name: "a" * max(1, member["min_length"])}
        case "objectidentifier":
            return {name: "0.4.0.0.1.0.50.1"}
    return {f"{name}_hex": "0f" * max(1, member.get("min_octets", 1))}


def check_names(
    args: Mapping[str, Any],
    type_: Structure | None,
    path: str,
    scope: Scope,
    extra: frozenset[str],
) -> None:
    """Refuse names that no member has. `extra`: shorthands; a leading `!` is the negation."""
    for key, value in args.items():
        name = key.removeprefix("!")
        if name in extra or name.startswith("_"):
            continue
        member = type_.member_of(name) if type_ is not None else None
        if member is None:
            known = [*(type_.known_keys() if type_ is not None else ()), *sorted(extra)]
            scope.refuse(f"{path}.{key}", "unknown argument" + scope.hint(name, known))
            continue
        if name == member.name:
            _check_below(value, member.type, f"{path}.{key}", scope)


def _check_below(value: Any, type_: Type, path: str, scope: Scope) -> None:
    nothing: frozenset[str] = frozenset()
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(value, Mapping | list) and isinstance(type_, _LEAVES):
        key = path.rpartition(".")[2]
        noun = "an object" if isinstance(value, Mapping) else "an array"
        scope.refuse(path, f"must be one value, not {noun}; its octets may be given as {key}_hex")
    elif isinstance(type_, (Sequence, Choice)) and isinstance(value, Mapping):
        check_names(value, type_, path, scope, nothing)
    elif isinstance(type_, SequenceOf) and isinstance(value, list):
        element = type_.element
        for position, item in enumerate(value):
            if isinstance(element, Structure) and isinstance(item, Mapping):
                check_names(item, element, f"{path}[{position}]", scope, nothing)
