"""Checks of `arguments` by the types that operations declare: names, and the smallest example."""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from tsvc import turns
from tsvc.errors import LocalProtocolError, Problem
from tsvc.expr.template import is_expression
from tsvc.kinds.sigtran.operations.tcap_attributes import InboundEntry, OutboundEntry
from tsvc.matching.equality import number_of
from tsvc.operations.operation import MOST_HINTED, Scope
from tsvc.protocols.asn1 import (
    Boolean,
    Choice,
    Containing,
    Enumerated,
    Integer,
    Member,
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
from tsvc.protocols.party_number import Cause, GenericDigits, Number, Parted
from tsvc.protocols.ros import Operation
from tsvc.words import shown

_DIGITS = "6421000001"


class Use(Enum):
    """The use of arguments, which decides what is wrong with them."""

    SENT = "sent"
    SENT_ANYHOW = "sent, valid or not"  # allow_invalid
    EXPECTED = "expected"

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> "Use":
        """Return the use of the arguments of an operation that sends."""
        return cls.SENT_ANYHOW if entry["allow_invalid"] else cls.SENT


# Types with one value and no members: an object or array can't be sent and never matches.
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
    """Return arguments with the mandatory members, by the description of a type's arguments.

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


def check_values(
    args: Mapping[str, Any],
    operation: Operation,
    variant: str,
    path: str,
    scope: Scope,
    *,
    is_result: bool,
    use: Use,
) -> None:
    """Refuse all values to send that can't be encoded; values of expressions are not checked.

    Values that can be encoded but are not allowed give a warning, unless anything is sent.
    """
    if has_name(args, "value_inner"):
        return
    found = {problem.path for problem in scope.problems}
    doubts: list[LocalProtocolError] = []
    errors = operation.faults(args, variant, is_expression, is_result=is_result, doubts=doubts)
    for error in turns.over(errors):
        place = f"{path}.{error.path}" if error.path else path
        if place not in found:
            scope.refuse(place, error.text)
    for doubt in turns.over(doubts if use is Use.SENT else ()):
        place = f"{path}.{doubt.path}" if doubt.path else path
        if place not in found:
            text = f"{doubt.text}; allow_invalid: 1 if it is sent on purpose"
            scope.problems.append(Problem(place, text, "warning"))


def has_name(value: Any, name: str) -> bool:
    """Return True if an object in a value has a member with that name."""
    turns.walked()
    if isinstance(value, Mapping):
        return name in value or any(has_name(one, name) for one in value.values())
    return isinstance(value, list) and any(has_name(one, name) for one in value)


# The path to an object in a value, and the name of one of its members.
Place = tuple[tuple[str | int, ...], str]


def digit_places(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[Place]:
    """Yield the digit members whose values are expressions."""
    turns.walked()
    if isinstance(value, Mapping):
        for name, item in value.items():
            if is_expression(item) and name.endswith("digits"):
                yield way, name
            yield from digit_places(item, (*way, name))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            yield from digit_places(item, (*way, position))


def with_digits(rendered: dict[str, Any], places: Iterable[Place]) -> dict[str, Any]:
    """Return rendered arguments in which the integers at these places are written as digits.

    An expression calculates with numbers, and a `$sequence` without a width gives numbers.
    """
    for way, name in places:
        target: Any = rendered
        for step in way:
            target = target[step]
        if type(target[name]) is int:
            target[name] = str(target[name])
    return rendered


def check_names(
    args: Mapping[str, Any],
    type_: Structure | None,
    path: str,
    scope: Scope,
    extra: frozenset[str],
    use: Use = Use.SENT,
) -> None:
    """Refuse names that no member has. `extra`: shorthands; a leading `!` is the negation.

    Unknown names of enumeration values are refused too if they are expected, as nothing equals
    them. Digits given as the characters of octets are a warning, unless anything is sent.
    """
    for key, value in turns.over(args.items()):
        name = key.removeprefix("!")
        if name in extra or name.startswith("_"):
            continue
        member = type_.member_of(name) if type_ is not None else None
        if member is None:
            known = [*(type_.known_keys() if type_ is not None else ()), *sorted(extra)]
            way = way_to(name, type_) if len(scope.problems) < MOST_HINTED else ()
            below = f'; did you mean "{".".join(way)}"?' if way else scope.hint(name, known)
            entry = InboundEntry if use is Use.EXPECTED else OutboundEntry
            if not below and name in entry.shared().load_fields:
                below = f'; did you mean "{name}" beside "arguments"?'
            scope.refuse(f"{path}.{key}", f"unknown argument{below}")
            continue
        if use is Use.EXPECTED and isinstance(member.type, Enumerated):
            _check_name_of_value(value, member.type, f"{path}.{key}", scope)
        if name == member.name:
            if use is not Use.SENT_ANYHOW:
                _check_digits(value, member, f"{path}.{key}", scope)
            _check_below(value, member.type, f"{path}.{key}", scope, use)


def way_to(name: str, type_: Structure | None) -> tuple[str, ...]:
    """Return the way to a member that is deeper in a structure, () if there is none.

    The names on it are those that a definition nests. Of several members the shortest way counts.
    """
    seen: set[int] = set()
    ways: list[tuple[tuple[str, ...], Structure]] = [] if type_ is None else [((), type_)]
    for way, structure in ways:
        for member in structure.members:
            inner = _structure_of(member.type)
            if inner is None or id(inner) in seen:
                continue
            seen.add(id(inner))
            below = (*way, member.name)
            if inner.member_of(name) is not None:
                return (*below, name)
            ways.append((below, inner))
    return ()


def _structure_of(type_: Type) -> Structure | None:
    """Return the structure of a member, or of the elements of an array; None of a leaf."""
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(type_, SequenceOf):
        type_ = type_.element
    return type_ if isinstance(type_, Structure) else None


def _check_name_of_value(value: Any, type_: Enumerated, path: str, scope: Scope) -> None:
    if not isinstance(value, str) or is_expression(value) or path.endswith("_hex"):
        return
    if value not in type_.numbers and number_of(value) is None:
        known = ", ".join(type_.numbers)
        scope.refuse(path, f"{shown(value)} is none of {known}{scope.hint(value, type_.numbers)}")


def _check_digits(value: Any, member: Member, path: str, scope: Scope) -> None:
    """Warn of digits in a member of octets, where each digit stands for an octet from 30 hex."""
    type_ = member.type.element if isinstance(member.type, SequenceOf) else member.type
    if not isinstance(type_, Octets | Parted):
        return
    values = value if isinstance(value, list) else [value]
    found = (one for one in values if isinstance(one, str) and one.isascii() and one.isdigit())
    value = next(found, None)
    if value is not None:
        keys = member.type.keys(member.name)
        better = f"{member.name}_digits"
        if better not in keys:
            better = f"{member.name}_hex"
        text = f"stands for the octets {value[:3].encode().hex(' ')}{'…' * (len(value) > 3)}"
        scope.problems.append(Problem(path, f"{text}; write {better} for digits", "warning"))


def _check_below(value: Any, type_: Type, path: str, scope: Scope, use: Use) -> None:
    nothing: frozenset[str] = frozenset()
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(value, Mapping | list) and isinstance(type_, _LEAVES):
        key = path.rpartition(".")[2]
        noun = "an object" if isinstance(value, Mapping) else "an array"
        scope.refuse(path, f"must be one value, not {noun}; its octets may be given as {key}_hex")
    elif isinstance(type_, (Sequence, Choice)) and isinstance(value, Mapping):
        check_names(value, type_, path, scope, nothing, use)
    elif isinstance(type_, SequenceOf) and isinstance(value, list):
        element = type_.element
        for position, item in enumerate(turns.over(value)):
            if isinstance(element, Structure) and isinstance(item, Mapping):
                place = f"{path}[{position}]"
                _check_below(item, element, place, scope, use)
