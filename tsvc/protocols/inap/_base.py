"""What one INAP or CAP operation declares, and how operations are found.

One operation = one file in operations/, with one Operation value: code, class, who sends it, in
which variants, argument and result types, errors. Test-operation types, schemas, documentation
and tests derive from it; nothing else lists operations.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tsvc.protocols.asn1 import Notes, Structure, Tree, Type, decode_value, encode_value
from tsvc.registry import Registry

# A variant decides which members an argument has and which operation a code means.
CS = frozenset({"cs1", "cs2", "genband", "sinap"})
CAMEL = frozenset({"camel1", "camel2", "camel3", "camel4"})
CAMEL2_UP = frozenset({"camel2", "camel3", "camel4"})
CAMEL3_UP = frozenset({"camel3", "camel4"})
CAMEL4 = frozenset({"camel4"})
ALL = CS | CAMEL
NOT_CAMEL1 = ALL - {"camel1"}

VARIANT_ALIASES = {"camel": "camel3", "etsi": "cs1"}
DEFAULT_VARIANT = "camel3"

SSP = frozenset({"ssp"})
SCP = frozenset({"scp"})
SRF = frozenset({"srf"})
SSP_OR_SRF = SSP | SRF

Rewrite = Callable[[Tree], Tree]


@dataclass(frozen=True)
class Operation:
    """One operation. `timer_s` is the invocation timer; classes as in Q.771: 1 answers with
    result or error, 2 with errors only, 3 with results only, 4 not at all."""

    name: str
    code: int
    operation_class: int
    sent_by: frozenset[str]
    variants: frozenset[str]
    summary: str
    argument: Type | None = None
    result: Type | None = None
    errors: tuple[str, ...] = ()
    timer_s: float = 5.0
    can_begin: bool = False
    # Names of operations to whose invocation this one is linked (linked id).
    linked_to: tuple[str, ...] = ()
    # Shorthands of the test-definition form: given -> ASN.1 form, and fill in on receipt.
    expand: Rewrite | None = None
    fill: Callable[[Tree], None] | None = None
    # The same for what a test expects to receive, where that differs (only what was said).
    expand_expected: Rewrite | None = None
    # Keys of shorthands, beside the members' own.
    shorthands: frozenset[str] = frozenset()
    example: Mapping[str, Any] = field(default_factory=dict)

    def argument_in(self, variant: str) -> Structure | None:
        """Return the argument type as it stands in a variant."""
        return _resolved(self.argument, variant)

    def result_in(self, variant: str) -> Structure | None:
        """Return the result type as it stands in a variant."""
        return _resolved(self.result, variant)

    def encode_argument(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        """Return the argument's TLV, or None where the operation has none.

        Errors: LocalProtocolError with the path of the member.
        """
        tree = self.expand(dict(args)) if self.expand else args
        return _encode(self.argument_in(variant), tree)

    def decode_argument(self, octets: bytes | None, variant: str, notes: Notes) -> Tree:
        """Return the argument as a dict; deviations go to `notes`, nothing is raised."""
        tree = _decode(self.argument_in(variant), octets, notes)
        if self.fill:
            self.fill(tree)
        return tree

    def encode_result(self, args: Mapping[str, Any], variant: str) -> bytes | None:
        """Return the result's TLV, or None for an empty result."""
        return _encode(self.result_in(variant), args)

    def decode_result(self, octets: bytes | None, variant: str, notes: Notes) -> Tree:
        """Return the result as a dict; deviations go to `notes`."""
        return _decode(self.result_in(variant), octets, notes)


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
    if "raw_hex" in args:
        return bytes.fromhex(args["raw_hex"])
    if type_ is None:
        return None
    return encode_value(type_, args)


def _decode(type_: Structure | None, octets: bytes | None, notes: Notes) -> Tree:
    if not octets:
        return {}
    if type_ is None:
        return {"_hex": octets.hex()}
    return decode_value(type_, octets, notes)


OPERATIONS: Registry[Operation] = Registry("tsvc.protocols.inap.operations", "INAP operation")

_by_code: dict[tuple[str, int], Operation] = {}


def declare(operation: Operation) -> Operation:
    """Register an operation under its name; called by its file."""
    return OPERATIONS.register(operation.name, operation)


def by_code(variant: str, code: int) -> Operation | None:
    """Return the operation that a code means in a variant."""
    if not _by_code:
        for operation in OPERATIONS:
            for name in operation.variants:
                _by_code[name, operation.code] = operation
    return _by_code.get((variant, code))


def variant_named(name: str) -> str | None:
    """Return the variant of a name or alias, None if there is none such."""
    name = VARIANT_ALIASES.get(name, name)
    return name if name in ALL else None
