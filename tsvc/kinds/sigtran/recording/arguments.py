"""Writes arguments as a person would, and checks them against the captured octets.

Arguments to send are written by names and parts if that encodes to the same octets, otherwise in
hex. Expected arguments are written in full: all parts of a number, and also its octets if the
parts leave a bit out, so that no change stays unnoticed.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.matching.arguments import differences
from tsvc.protocols.asn1 import (
    Boolean,
    Containing,
    Enumerated,
    Integer,
    Notes,
    Null,
    ObjectIdentifier,
    SequenceOf,
    Structure,
    Text,
    Tree,
    Type,
)
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.map.ussd import SCHEME, UssdString
from tsvc.protocols.party_number import Parted
from tsvc.protocols.ros import Operation

Arguments = dict[str, Any]
_HEX, _NAME, _TEXT = "_hex", "_name", "_text"
_TELLING = (
    "_digits",
    "_cause",
)  # parts that a reader wants to see even if they have default values


def spelled(type_: Structure, tree: Mapping[str, Any], *, is_expected: bool) -> Arguments:
    """Return a decoded structure as it is written in a definition."""
    found: Arguments = {}
    done: set[str] = set()
    for key, value in tree.items():
        if key in ("_unknown", _HEX):
            found[key] = value
            continue
        member = type_.member_of(key)
        if member is not None and member.name not in done:
            done.add(member.name)
            found |= _spelled_member(member.name, member.type, tree, is_expected)
    return found


def _spelled_member(
    name: str, type_: Type, tree: Mapping[str, Any], is_expected: bool
) -> Arguments:
    value = tree.get(name)
    if isinstance(type_, Containing):
        type_ = type_.inner
    if isinstance(type_, Structure):
        if isinstance(value, Mapping):
            return {name: spelled(type_, value, is_expected=is_expected)}
        return _octets(name, tree)
    if isinstance(type_, SequenceOf):
        return _spelled_list(name, type_, tree, is_expected)
    return _spelled_leaf(name, type_, tree, is_expected)


def _spelled_list(
    name: str, type_: SequenceOf, tree: Mapping[str, Any], is_expected: bool
) -> Arguments:
    items = tree.get(name)
    if not isinstance(items, list):
        return _octets(name, tree)
    element = type_.element
    if isinstance(element, Structure):
        return {name: [spelled(element, item, is_expected=is_expected) for item in items]}
    if isinstance(element, Integer):
        return {name: items}
    if isinstance(element, Parted) and len(items) == 1:
        return _only_number(name, element, tree, is_expected)
    return _octets(name, tree)


def _only_number(
    name: str, type_: Parted, tree: Mapping[str, Any], is_expected: bool
) -> Arguments:
    """Return a list with a single number by the parts of the number, and its octets as a list."""
    hex_key = name + _HEX
    found = _parts(name, type_, {**tree, hex_key: tree[hex_key][0]}, is_expected)
    return {**found, hex_key: tree[hex_key]} if hex_key in found else found


def _octets(name: str, tree: Mapping[str, Any]) -> Arguments:
    return {name + _HEX: tree[name + _HEX]} if name + _HEX in tree else {name: tree[name]}


def _spelled_leaf(name: str, type_: Type, tree: Mapping[str, Any], is_expected: bool) -> Arguments:
    match type_:
        case Parted():
            return _parts(name, type_, tree, is_expected)
        case UssdString():
            return _ussd(name, type_, tree, is_expected)
        case ObjectIdentifier() if name in tree:
            return {name: tree[name]}
        case Text() if str(tree[name]).isprintable() and str(tree[name]).isascii():
            return {name: tree[name]}
        case Integer() | Enumerated() | Boolean() | Null() if name + _HEX not in tree:
            return {name: tree.get(name + _NAME, tree[name])}
    return _octets(name, tree)


def _parts(name: str, type_: Parted, tree: Mapping[str, Any], is_expected: bool) -> Arguments:
    """Return a number or cause by its parts; parts to send are left out if they are defaults."""
    octets = bytes.fromhex(tree[name + _HEX])
    suffixes = [one for one in type_.suffixes if one not in ("", _HEX)]
    parts = {name + one: tree[name + one] for one in suffixes if name + one in tree}
    if not _gives(type_, parts, name, octets):
        return {name + _HEX: octets.hex()}
    if is_expected:
        return (
            parts
            if _tells_all(type_, parts, name, octets)
            else {**parts, name + _HEX: octets.hex()}
        )
    for key in list(parts):
        fewer = {one: value for one, value in parts.items() if one != key}
        if not key.endswith(_TELLING) and fewer and _gives(type_, fewer, name, octets):
            parts = fewer
    return parts


def _gives(type_: Type, parts: Mapping[str, Any], name: str, octets: bytes) -> bool:
    try:
        return bool(parts) and type_.encode(parts, name) == octets
    except LocalProtocolError:
        return False


def _tells_all(type_: Parted, parts: Mapping[str, Any], name: str, octets: bytes) -> bool:
    """Return True if every changed bit of the octets changes one of the parts."""
    return all(
        problem is not None or any(read.get(key) != value for key, value in parts.items())
        for read, problem in (type_.read(one, name) for one in _one_bit_off(octets))
    )


def _one_bit_off(octets: bytes) -> Iterator[bytes]:
    whole = int.from_bytes(octets)
    for bit in range(8 * len(octets)):
        yield (whole ^ 1 << bit).to_bytes(len(octets))


def _ussd(name: str, type_: UssdString, tree: Mapping[str, Any], is_expected: bool) -> Arguments:
    octets = tree[name + _HEX]
    text = {key: tree[key] for key in (name + _TEXT,) if key in tree}
    given = {**text, SCHEME + _HEX: tree.get(SCHEME + _HEX)}
    if not text or not _gives(type_, given, name, bytes.fromhex(octets)):
        return {name + _HEX: octets}
    return {**text, name + _HEX: octets} if is_expected else text


# -- whole arguments ----------------------------------------------------------------------------

Encode = Callable[[Mapping[str, Any], str], bytes | None]
Decode = Callable[[bytes | None, str, Notes], Tree]


class Parameter:
    """The argument of an operation, or its result, in a variant."""

    def __init__(self, operation: Operation, variant: str, *, is_result: bool) -> None:
        self._operation = operation
        self._variant = variant
        self._is_result = is_result
        self._type = operation.result_in(variant) if is_result else operation.argument_in(variant)

    def to_send(self, octets: bytes | None) -> Arguments:
        """Return the attributes of an operation that sends the octets: arguments or raw_hex.

        Errors: LocalProtocolError if there are no octets and the operation always sends some.
        """
        operation = self._operation
        encode = operation.encode_result if self._is_result else operation.encode_argument
        arguments = self._spelled(octets, is_expected=False)
        try:
            is_same = encode(arguments, self._variant) == (octets or None)
            if is_same and _HEX not in arguments:
                return {"arguments": arguments} if arguments else {}
        except LocalProtocolError:
            pass  # names can't express the octets: send them in hex
        if not octets:
            raise LocalProtocolError(
                f"{operation.name} always has an argument here, that had none"
            )
        return {"raw_hex": octets.hex()}

    def expected(self, octets: bytes | None) -> tuple[Arguments, list[str]]:
        """Return the attributes of an operation that expects the octets, and the problems."""
        notes: Notes = []
        tree = self._decode(octets, notes)
        arguments = self._spelled(octets, is_expected=True)
        found: Arguments = {"arguments": arguments} if arguments else {}
        problems = [
            f"{self._operation.name} is malformed: {text}" for text in malformations(notes)
        ]
        if problems:
            found["malformed"] = "note"
        rewrite = self._operation.expand_expected or self._operation.expand
        compared: Mapping[str, Any] = arguments
        if rewrite is not None and not self._is_result:
            compared = rewrite(dict(arguments))
        if differences(compared, tree):
            problems.append(f"{self._operation.name}: its arguments can't be compared")
            found.pop("arguments", None)
        return found, problems

    def notes(self, octets: bytes | None) -> int:
        """Return how many deviations octets have from the type."""
        notes: Notes = []
        self._decode(octets, notes)
        return len(notes)

    def tree(self, octets: bytes | None) -> Tree:
        """Return the decoded octets."""
        return self._decode(octets, [])

    def _decode(self, octets: bytes | None, notes: Notes) -> Tree:
        operation = self._operation
        decode: Decode = operation.decode_result if self._is_result else operation.decode_argument
        return decode(octets, self._variant, notes)

    def _spelled(self, octets: bytes | None, *, is_expected: bool) -> Arguments:
        tree = self._decode(octets, [])
        if self._type is None:
            return {}
        return spelled(self._type, tree, is_expected=is_expected)
