"""Numbers as they are written: a decimal number from JSON, YAML or TOML keeps its digits.

Calculations want doubles, comparisons the number that was written; an ExactFloat is both. Pure,
and below everything else, as words are.
"""

import json
import re
from collections.abc import Callable
from decimal import Decimal
from math import isfinite
from typing import Any

import ujson

_EXACT_DIGITS = 15  # a double keeps so many of a number above the smallest ones
_SMALL = 1e-290


class ExactFloat(float):
    """A double, where calculations need one, that keeps the digits it was written with.

    It equals what is the same decimal number, and nothing that only the same double stands for.
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
    """Return the decimal number that a finite number was written as, in its shortest form."""
    if isinstance(number, ExactFloat):
        return number.exactly()
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def float_of_literal(literal: str) -> float:
    """Return the double of a decimal number, an ExactFloat where a double loses digits."""
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

    Errors: TypeError for what has no JSON form, OverflowError for what nests too deep.
    """
    return text_exactly(value, _dumps).encode("ascii")


def text_exactly(value: object, dumps: Callable[[object], str]) -> str:
    """Return what `dumps` (of json or the like) makes of a value, with all digits of numbers."""
    literals: list[str] = []
    placed = _with_places(value, literals)
    if not literals:
        return dumps(value)
    parts = re.split(r'"\\u0000(\d+)"', dumps(placed))
    parts[1::2] = [literals[int(part)] for part in parts[1::2]]
    return "".join(parts)


def loads_exactly(text: str | bytes) -> Any:
    """Return what a JSON text holds, with every digit of its numbers. Errors: ValueError."""
    return json.loads(text, parse_float=float_of_literal)


def _with_places(value: object, literals: list[str]) -> object:
    """Put a text that no other is in the place of each ExactFloat, and take its literal."""
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
