"""Random valid values of declared types, in the form that test definitions give them.

A value only follows the declaration: ranges, sizes, mandatory members, one alternative of a
CHOICE. The meaning of a leaf's octets is not declared: `samples` gives some by the leaf's name.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from tsvc.protocols import ber
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
    OpenType,
    SequenceOf,
    Structure,
    Text,
    Type,
)
from tsvc.protocols.inap.parameters import ExtensionValue
from tsvc.protocols.map.parameters import BitString, ExtensionContainer
from tsvc.protocols.map.ussd import DataCodingScheme, UssdString
from tsvc.protocols.party_number import Cause, GenericDigits, Number
from tsvc.protocols.ros import Operation

Tree = dict[str, Any]
# Values in hex by the name of a leaf; one of them is chosen.
Samples = Mapping[str, Sequence[str]]
Decided = Mapping[str, bool]

MOST_ELEMENTS = 3
MOST_MORE = 12  # octets, beyond the minimum
# BIT STRINGs that the tables hold as octets; the first octet counts the unused bits.
BIT_STRINGS = frozenset({"supportedCamelPhases", "offeredCamel4Functionalities", "csg-Id"})
# An extension's number and object identifier exclude one another.
EITHER = ("type", "globalType")


class Values:
    """A source of values. `fullness`: the probability that an optional member is given.

    `decided`: True or False by the names of members that are always or never given.
    """

    def __init__(
        self,
        random: Random,
        fullness: float,
        samples: Samples | None = None,
        decided: Decided | None = None,
    ) -> None:
        self.random = random
        self._fullness = fullness
        self._samples = samples or {}
        self._decided = decided or {}

    def of(self, type_: Structure) -> Tree:
        """Return a value of a structure."""
        tree: Tree = {}
        for member in self._members(type_):
            self.give(member.type, member.name, tree)
        return tree

    def _members(self, type_: Structure) -> list[Member]:
        if isinstance(type_, Choice):
            return [self.random.choice(type_.members)]
        given = [member for member in type_.members if self._is_given(member)]
        if any(isinstance(member.type, ExtensionValue) for member in type_.members):
            dropped = self.random.choice(EITHER)
            return [member for member in type_.members if member.name != dropped]
        return given

    def _is_given(self, member: Member) -> bool:
        if member.is_required:
            return True
        is_likely = self.random.random() < self._fullness
        return self._decided.get(member.name, is_likely)

    def give(self, type_: Type, name: str, tree: Tree) -> None:
        """Put a value of a type under a name. Errors: TypeError if no giver knows the type."""
        samples = self._samples.get(name)
        if samples and not isinstance(type_, Structure | SequenceOf | Null):
            tree[name + "_hex"] = self.random.choice(samples)
            return
        for kind, give in GIVERS.items():
            if isinstance(type_, kind):
                give(self, type_, name, tree)
                return
        raise TypeError(f"{name}: no values of {type(type_).__name__}")

    def octets(self, lowest: int, highest: int) -> bytes:
        size = self.random.randint(lowest, min(highest, lowest + MOST_MORE))
        return self.random.randbytes(size)

    def digits(self, least: int = 6, most: int = 15) -> str:
        most = min(most, 15)
        size = self.random.randint(min(max(least, 6), most), most)
        return "".join(self.random.choices("0123456789", k=size))


def _number(values: Values, type_: Any, name: str, tree: Tree) -> None:
    if values.random.random() < 0.3:
        tree[name] = values.random.choice((type_.lowest, type_.highest))
    else:
        tree[name] = values.random.randint(type_.lowest, type_.highest)


def _enumerated(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name] = values.random.choice(list(type_.names))


def _open(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name + "_hex"] = ber.tlv(b"\x04", values.octets(0, 9)).hex()


def _nothing(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name + "_hex"] = ""  # an empty SEQUENCE


def _bits(values: Values, type_: Any, name: str, tree: Tree) -> None:
    octets = bytearray(values.octets(type_.lowest, type_.highest))
    octets[0] = values.random.randrange(8) if len(octets) > 1 else 0
    octets[-1] &= 0xFF << octets[0] & 0xFF
    tree[name + "_hex"] = octets.hex()


def _octets(values: Values, type_: Any, name: str, tree: Tree) -> None:
    if name in BIT_STRINGS:
        _bits(values, type_, name, tree)
    else:
        tree[name + "_hex"] = values.octets(type_.lowest, type_.highest).hex()


def _text(values: Values, type_: Any, name: str, tree: Tree) -> None:
    size = values.random.randint(type_.lowest, min(type_.highest, 20))
    tree[name] = "".join(chr(values.random.randint(32, 126)) for _ in range(size))


def _party(values: Values, type_: Any, name: str, tree: Tree) -> None:
    lowest, highest = (size - len(type_.header) for size in type_.sizes)
    tree[name + "_digits"] = values.digits(2 * lowest - 1, 2 * highest)
    for part in type_.parts:
        tree[name + part.suffix] = values.random.randrange(1 << part.width)


def _generic(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name + "_digits"] = values.digits()
    tree[name + "_type"] = values.random.randrange(32)


def _cause(values: Values, type_: Any, name: str, tree: Tree) -> None:
    for suffix, width in (("_cause", 7), ("_standard", 2), ("_location", 4)):
        tree[name + suffix] = values.random.randrange(1 << width)


def _scheme(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name + "_hex"] = values.random.choice(("0f", "48", "f4", "00"))


def _string(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name + "_hex"] = (b"\0" + values.random.randbytes(1)).hex() * values.random.randint(1, 9)


def _list(values: Values, type_: Any, name: str, tree: Tree) -> None:
    most = min(type_.highest, max(MOST_ELEMENTS, type_.lowest))
    count = values.random.randint(type_.lowest, most)
    if isinstance(type_.element, Structure):
        tree[name] = [values.of(type_.element) for _ in range(count)]
        return
    items: list[Any] = []
    for _ in range(count):
        item: Tree = {}
        values.give(type_.element, name, item)
        items.append(item)
    tree[name] = items


def _structure(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name] = values.of(type_)


def _containing(values: Values, type_: Any, name: str, tree: Tree) -> None:
    tree[name] = values.of(type_.inner)


# The first class of which a type is an instance gives its values.
GIVERS: dict[type, Callable[[Values, Any, str, Tree], None]] = {
    Structure: _structure,
    SequenceOf: _list,
    Containing: _containing,
    Integer: _number,
    Enumerated: _enumerated,
    Boolean: lambda values, type_, name, tree: tree.update({name: values.random.randrange(2)}),
    Null: lambda values, type_, name, tree: tree.update({name: 1}),
    ObjectIdentifier: lambda values, type_, name, tree: tree.update(
        {name: f"2.999.{values.random.randrange(1 << 20)}"}
    ),
    BitString: _bits,
    ExtensionContainer: _nothing,
    ExtensionValue: _open,
    OpenType: _open,
    Octets: _octets,
    Text: _text,
    Number: _party,
    GenericDigits: _generic,
    Cause: _cause,
    DataCodingScheme: _scheme,
    UssdString: _string,
}


def is_within(given: Any, found: Any) -> bool:
    """Return True if the decoded value contains the given value, under the given keys."""
    if isinstance(given, dict) and isinstance(found, dict):
        return all(key in found and is_within(given[key], found[key]) for key in given)
    if isinstance(given, list) and isinstance(found, list) and len(given) == len(found):
        # Leaves in a list are decoded raw, one by one.
        pairs = zip(given, found, strict=True)
        return all(not isinstance(one, dict) or is_within(mine, one) for mine, one in pairs)
    return bool(given == found)


FULLNESS = (0.0, 1.0, 0.2, 0.5)


@dataclass(frozen=True)
class Form:
    """An argument ("invoke") or a result of an operation, in one variant."""

    operation: Operation
    variant: str
    component: str

    def __str__(self) -> str:
        return f"{self.operation.name} {self.component} {self.variant}"

    @property
    def type(self) -> Structure:
        is_result = self.component == "result"
        found = self.operation.result_in if is_result else self.operation.argument_in
        type_ = found(self.variant)
        assert type_ is not None
        return type_

    def encode(self, tree: Tree) -> bytes:
        is_result = self.component == "result"
        write = self.operation.encode_result if is_result else self.operation.encode_argument
        octets = write(tree, self.variant)
        assert octets is not None
        return octets

    def decode(self, octets: bytes, notes: list[Any]) -> Tree:
        is_result = self.component == "result"
        read = self.operation.decode_result if is_result else self.operation.decode_argument
        return read(octets, self.variant, notes)


@dataclass(frozen=True)
class Value:
    """A value of a form, as a tree and in octets."""

    form: Form
    tree: Tree
    octets: bytes

    @property
    def operation(self) -> Operation:
        return self.form.operation

    @property
    def component(self) -> str:
        return self.form.component

    @property
    def variant(self) -> str:
        return self.form.variant

    def has(self, member: str | None) -> bool:
        """Return True if a member of this name is given at any depth; always True for None."""
        return member is None or any(member in name for name in _names(self.tree))


def _names(tree: Any) -> Iterator[str]:
    if isinstance(tree, dict):
        for key, inner in tree.items():
            yield key
            yield from _names(inner)
    elif isinstance(tree, list):
        for item in tree:
            yield from _names(item)


def forms_of(operations: Iterable[Operation]) -> list[Form]:
    """Return every argument and every result in every variant."""
    return [
        Form(operation, variant, component)
        for operation in operations
        for variant in sorted(operation.variants)
        for component, type_ in (
            ("invoke", operation.argument_in(variant)),
            ("result", operation.result_in(variant)),
        )
        if type_ is not None
    ]


def random_values(
    form: Form, count: int, samples: Samples | None = None, decided: Decided | None = None
) -> Iterator[Value]:
    """Yield values of a form, the same each time: minimal, full and partly filled values."""
    for number in range(count):
        fullness = FULLNESS[number % len(FULLNESS)]
        tree = Values(Random(f"{form} {number}"), fullness, samples, decided).of(form.type)
        yield Value(form, tree, form.encode(tree))
