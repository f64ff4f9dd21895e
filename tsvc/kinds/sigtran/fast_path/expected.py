"""The octets of a component whose arguments a definition expects by expressions.

The component of the recording is decoded. For another instance the expected values replace the
values that the definition named, and the component is encoded again. match_arguments(), which the
ordinary instance uses, then compares the decoded octets with the expected values. If they differ,
there are no octets. So a slot never accepts a value that an ordinary instance would refuse.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tsvc.expr.values import Undefined, to_text
from tsvc.matching.arguments import match_arguments
from tsvc.matching.outcome import Outcome
from tsvc.operations.eligibility import Argument
from tsvc.protocols.asn1 import Notes
from tsvc.protocols.inap.operation import Operation

Rewrite = Callable[[Mapping[str, Any], str], Mapping[str, Any]]
_SETS = ("bcsmEvents",)  # compared as sets: the element of an expected value is not known


class RecordedArgument(NamedTuple):
    """A component of a recording: its parameter, in the variant of its dialogue."""

    parameter: bytes
    variant: str


class Expected(NamedTuple):
    """An invocation, or a result, that one operation of a definition expects.

    rewrite: expands shorthands.
    variant: the variant of the entry; None: the variant of the dialogue.
    """

    operation: Operation
    is_result: bool
    given: Mapping[str, Any]
    rewrite: Rewrite
    variant: str | None = None

    def argument(self) -> Argument:
        """Return the argument that becomes a slot."""
        what = self.operation.code, self.is_result
        return Argument(dict(self.given), self.octets, is_expected=True, what=what)

    def octets(self, expected: Mapping[str, Any], recorded: RecordedArgument) -> bytes:
        """Return the octets of the expected parameter. Errors: NOT_RECORDABLE."""
        operation, variant = self.operation, self.variant or recorded.variant
        decode, encode = operation.decode_argument, operation.encode_argument
        if self.is_result:
            decode, encode = operation.decode_result, operation.encode_result
        notes: Notes = []
        tree = decode(recorded.parameter, variant, notes)
        if notes:
            raise ValueError("it is malformed")
        rewritten = self.rewrite(expected, variant)
        octets = encode(_overlaid(tree, rewritten), variant)
        if not octets:
            raise ValueError("nothing to expect")
        again = decode(octets, variant, notes)
        outcome = Outcome()
        is_equal = match_arguments(
            expected, again, outcome, lambda given: self.rewrite(given, variant)
        )
        if notes or not is_equal:
            raise ValueError("it is not what is expected when it is encoded")
        return octets


def _overlaid(tree: Mapping[str, Any], expected: Mapping[str, Any]) -> dict[str, Any]:
    """Return a decoded tree with the expected scalars in it. Errors: ValueError."""
    found = dict(tree)
    for name, value in expected.items():
        if isinstance(value, Undefined):
            raise ValueError("an undefined value")
        if name.startswith("!") or value is None or name in _SETS:
            continue
        found[name] = _value(found.get(name), value)
        if not isinstance(value, Mapping | list):
            _drop_other_forms(found, name)
    return found


def _value(got: Any, expected: Any) -> Any:
    if isinstance(expected, Mapping):
        return _overlaid(got if isinstance(got, Mapping) else {}, expected)
    if isinstance(expected, list):
        items = list(got) if isinstance(got, list) else []
        if len(items) < len(expected):
            raise ValueError("more is expected than there is")
        return [
            *(_value(item, value) for item, value in zip(items, expected, strict=False)),
            *items[len(expected) :],
        ]
    # Computed digits are a number: convert them if the member that came is a text.
    return (
        to_text(expected) if isinstance(got, str) and not isinstance(expected, str) else expected
    )


def _drop_other_forms(tree: dict[str, Any], name: str) -> None:
    """Remove the forms of a member that would be encoded instead of the form that is set.

    A member X has forms such as X_hex, X_name and X_digits; the encoder takes the raw form first.
    """
    base, _, form = name.rpartition("_")
    if base and base in tree:
        del tree[base]
        if form != "hex":
            tree.pop(f"{base}_hex", None)
    elif any(other.startswith(f"{name}_") for other in tree):
        for other in [one for one in tree if one.startswith(f"{name}_")]:
            del tree[other]
