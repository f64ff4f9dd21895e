"""The declaration of an operation of INAP, CAP or MAP, and the set of a protocol's operations.

An operation is declared by one Operation value in its protocol's operations/, in a file of its own
or of its family: code, class, who sends it, variants, argument and result types, errors. Types of
test operations, schemas, documentation and tests derive from it; nothing else lists operations.
"""

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, TypeVar

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import Note, Notes, Structure, Tree, Type, decode_value, encode_value
from tsvc.protocols.asn1.base import hex_octets
from tsvc.protocols.asn1.structures import IsOpen
from tsvc.protocols.facts import Fact, anything
from tsvc.registry import Finder, Registry
from tsvc.values import dataclass
from tsvc.words import quoted

Rewrite = Callable[[Tree], Tree]


@dataclass(frozen=True)
class Operation:
    """One operation. `timer_s` is the invocation timer. Classes as in Q.771: 1 is answered with a
    result or an error, 2 with an error only, 3 with a result only, 4 never. Without `argument` the
    operation sends none. Without `result`, though its class has results, the result is empty.
    """

    name: str
    code: int
    operation_class: int
    sent_by: frozenset[str]
    variants: frozenset[str]
    summary: str
    argument: Type | None = None
    result: Type | None = None
    errors: tuple[str, ...] = ()
    # True if the argument or the result may be omitted, though the operation has one.
    is_argument_optional: bool = False
    is_result_optional: bool = False
    timer_s: float = 5.0
    can_begin: bool = False
    # Names of the operations to whose invocations this operation is linked (linked id).
    linked_to: tuple[str, ...] = ()
    # Shorthands of test definitions: `expand` makes the ASN.1 form, `fill` adds them on receipt.
    expand: Rewrite | None = None
    fill: Callable[[Tree], None] | None = None
    # `expand` for the values that a test expects, where it differs (only what was given).
    expand_expected: Rewrite | None = None
    # Keys of shorthands, in addition to those of the members.
    shorthands: frozenset[str] = frozenset()
    example: Mapping[str, Any] = field(default_factory=dict)
    # For ladders: its abbreviation, if it has one, and the facts of its argument and of its
    # result, the most important first (tsvc.protocols.facts).
    short_name: str = ""
    facts: tuple[Fact, ...] = (anything,)
    result_facts: tuple[Fact, ...] = (anything,)

    def argument_in(self, variant: str) -> Structure | None:
        """Return the type of the argument in a variant, None if there is no argument."""
        return _resolved(self.argument, variant)

    def result_in(self, variant: str) -> Structure | None:
        """Return the type of the result in a variant, None if there is no result."""
        return _resolved(self.result, variant)

    def encode_argument(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        """Return the argument's TLV, or None where the operation has none.

        Errors: LocalProtocolError with the path of the member.
        """
        tree = self.expand(dict(args)) if self.expand else args
        return _encode(self.argument_in(variant), tree)

    def faults(
        self,
        args: Mapping[str, Any],
        variant: str,
        is_open: IsOpen,
        *,
        is_result: bool = False,
        doubts: list[LocalProtocolError] | None = None,
    ) -> list[LocalProtocolError]:
        """Return all errors that prevent the encoding of an argument or result, with their paths.

        Values that are not known yet (is_open() is true) are assumed to be right. `doubts`: a list
        to which values are added that can be encoded, but that their type does not allow.
        """
        known = {name: value for name, value in args.items() if not is_open(value)}
        type_ = self.result_in(variant) if is_result else self.argument_in(variant)
        if type_ is None or not known or "raw_hex" in known:
            return []
        tree = self.expand(known) if self.expand and not is_result else known
        return type_.faults(tree, is_open, is_whole=len(known) == len(args), doubts=doubts)

    def decode_argument(self, octets: bytes | None, variant: str, notes: Notes) -> Tree:
        """Return the argument as a dict; deviations go to `notes`, nothing is raised."""
        type_ = self.argument_in(variant)
        tree = _decode(type_, octets, notes, is_optional=self.is_argument_optional)
        if self.fill:
            self.fill(tree)
        return tree

    def encode_result(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        """Return the result's TLV, or None for an empty result."""
        return _encode(self.result_in(variant), args)

    def decode_result(self, octets: bytes | None, variant: str, notes: Notes) -> Tree:
        """Return the result as a dict; deviations go to `notes`."""
        type_ = self.result_in(variant)
        return _decode(type_, octets, notes, is_optional=self.is_result_optional)


def _resolved(type_: Type | None, variant: str) -> Structure | None:
    if type_ is None:
        return None
    try:
        resolved = type_.for_variant(variant)
    except KeyError:
        return None  # ByVariant: this variant has no argument
    assert isinstance(resolved, Structure)
    return resolved


def _encode(type_: Structure | None, args: Mapping[str, Any]) -> bytes | None:
    raw = args.get("raw_hex")
    if raw is None and type_ is None:
        raw = args.get("_hex")  # set by _decode() if octets came where none were due
    if raw is not None:
        return hex_octets(raw, "raw_hex")
    return None if type_ is None else encode_value(type_, args)


def _decode(
    type_: Structure | None, octets: bytes | None, notes: Notes, *, is_optional: bool
) -> Tree:
    if not octets:
        if type_ is not None and not is_optional:
            notes.append(Note("", 0, "nothing where an argument is due"))
        return {}
    if type_ is None:
        notes.append(Note("", 0, f"{len(octets)} octets where nothing is due"))
        return {"_hex": octets.hex()}
    return decode_value(type_, octets, notes)


def error_code(value: object, codes: Mapping[str, int]) -> int:
    """Return the code of an error given as name or number. Errors: ValueError otherwise."""
    if isinstance(value, str) and value in codes:
        return codes[value]
    try:
        return int(str(value), 10)
    except ValueError:
        raise ValueError(f"{quoted(value)} is no error; known: {', '.join(codes)}") from None


OperationT = TypeVar("OperationT", bound=Operation)


class OperationSet(Registry[OperationT]):
    """The operations of a protocol, by name and by code."""

    def __init__(self, noun: str, find: Finder) -> None:
        super().__init__(noun, find)
        self._by_code: dict[tuple[str, int], OperationT] = {}

    def declare(self, operation: OperationT) -> OperationT:
        """Register an operation under its name; called by the file that defines it."""
        return self.register(operation.name, operation)

    def by_code(self, variant: str, code: int) -> OperationT | None:
        """Return the operation that a code means in a variant."""
        if not self._by_code:
            for operation in self:
                for name in operation.variants:
                    self._by_code[name, operation.code] = operation
        return self._by_code.get((variant, code))
