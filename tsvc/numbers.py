"""Numbers as they are written: a decimal number from JSON, YAML or TOML keeps its digits.

Calculations need doubles, and comparisons need the number that was written. An ExactFloat is
both. Pure. Like tsvc.words, this module is below all others.
"""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

import ujson

_EXACT_DIGITS = 15  # decimal digits that a double keeps of a number, except very small ones
_SMALL = 1e-290


class ExactFloat(float):
    """A double that keeps the digits it was written with.

    It equals a number only if both are the same decimal number; the same double is not enough.
    """

    __slots__ = ("literal",)
    literal: str

    def exactly(self) -> Decimal:
        """Return the number that was written."""
        return Decimal(self.literal)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int | float) and decimal_of(other) == self.exactly()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.exactly())

    def __repr__(self) -> str:
        return self.literal


def decimal_of(number: float) -> Decimal:
    """Return a finite number as the decimal that was written; of a plain float the shortest."""
    if isinstance(number, ExactFloat):
        return number.exactly()
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def float_of_literal(literal: str) -> float:
    """Return the double of a decimal number, or an ExactFloat where a double loses digits."""
    value = float(literal)
    is_kept = len(literal) <= _EXACT_DIGITS and (abs(value) > _SMALL or not value)
    if is_kept and (value or not literal.strip("-+0.eE")):
        return value
    if not isfinite(value) or Decimal(literal) == Decimal(repr(value)):
        return value
    exact = ExactFloat(value)
    exact.literal = literal
    return exact


def encode_exactly(value: object) -> bytes:
    """Return the JSON text of a value with every digit of its numbers.

    Errors: TypeError if it has no JSON form, OverflowError if it nests too deep.
    """
    return text_exactly(value, _dumps).encode("ascii")


def text_exactly(value: object, dumps: Callable[[object], str]) -> str:
    """Return the text that `dumps` (as in json) makes of a value, with all digits of numbers."""
    literals: list[str] = []
    placed = _with_places(value, literals)
    if not literals:
        return dumps(value)
    parts = re.split(r'"\\u0000(\d+)"', dumps(placed))
    parts[1::2] = [literals[int(part)] for part in parts[1::2]]
    return "".join(parts)


def loads_exactly(text: str | bytes) -> Any:
    """Return the value of a JSON text, with every digit of its numbers. Errors: ValueError."""
    return json.loads(text, parse_float=float_of_literal)


def _with_places(value: object, literals: list[str]) -> object:
    """Return a value with a unique text for each ExactFloat; append the literals to a list."""
    if isinstance(value, ExactFloat):
        literals.append(value.literal)
        return f"\0{len(literals) - 1}"
    if isinstance(value, dict):
        return {name: _with_places(item, literals) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_places(item, literals) for item in value]
    return value


def _dumps(value: object) -> str:
    return ujson.dumps(value, escape_forward_slashes=False, allow_nan=False)
