"""Values of the expression language and Perl's conversions between them.

A value is what JSON can hold: None (undef), numbers, text, list (array reference), dict (hash
reference). A JSON boolean counts as Perl's own: true is 1, false is "" as text and 0 as number.
Nothing here knows of syntax, time or state.
"""

import math
import re
from collections.abc import Callable
from typing import TypeAlias

from tsvc.errors import ExpressionFailed
from tsvc.numbers import ExactFloat

Value: TypeAlias = "bool | int | float | str | list[Value] | dict[str, Value] | None"
Number = int | float

# Perl counts in 64-bit integers, signed or unsigned, and falls back to doubles outside them.
INTEGER_MIN = -(1 << 63)
INTEGER_MAX = (1 << 64) - 1
# A double up to here holds every integer exactly, so Perl treats an integral one as an integer.
EXACT_DOUBLE = 1 << 53
# More characters never change the number read from a text, and reading them costs time.
NUMBER_TEXT_MAX = 1100
# Rendered values deeper than a request may nest are refused: a cycle never ends otherwise.
NESTING_MAX = 64
_PLAIN_PORTION = 4_000  # elements copied in one go

_FALSE = (None, "", 0, "0")
_DECIMAL = re.compile(r"\s*([+-]?(?:\d+(\.\d*)?|(\.\d+))([eE][+-]?\d+)?)", re.ASCII)
_SPECIAL = re.compile(r"\s*([+-]?)(inf(?:inity)?|nan)", re.ASCII | re.IGNORECASE)
_WHOLE_NUMBER = re.compile(
    r"\s*[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)\s*",
    re.ASCII | re.IGNORECASE,
)


def truth(value: Value) -> bool:
    """Return Perl's truth: undef, "", 0 and "0" are false; every reference is true."""
    return value not in _FALSE


def format_float(value: float) -> str:
    """Return a double as Perl prints it: 15 significant digits, `Inf`, `NaN`."""
    if math.isfinite(value):
        text = f"{value:.15g}"
        return "0" if text == "-0" else text
    if value != value:
        return "NaN"
    return "Inf" if value > 0 else "-Inf"


def to_text(value: Value) -> str:
    """Return a value as text. Errors: ExpressionFailed if it is an array or hash."""
    kind = type(value)
    if kind is str:
        return value  # type: ignore[return-value]  # `kind` says so
    if kind is int:
        return str(value)
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else ""
    if isinstance(value, ExactFloat):
        return value.literal
    if isinstance(value, float):
        return format_float(value)
    raise ExpressionFailed(f"{noun(value)} can't be used as text or number")


def to_number(value: Value) -> Number:
    """Return a value as number; a text counts by its numeric beginning, otherwise as 0."""
    if isinstance(value, str):
        return number_of_text(value)
    if isinstance(value, (int, float)):
        return int(value) if value is True or value is False else value
    if value is None:
        return 0
    raise ExpressionFailed(f"{noun(value)} can't be used as text or number")


def number_of_text(text: str) -> Number:
    """Return the number at the beginning of a text, 0 if there is none."""
    if len(text) < 19 and text.isdigit() and text.isascii():
        return int(text)
    text = text[:NUMBER_TEXT_MAX]
    found = _DECIMAL.match(text)
    if found is None:
        return _special_number(text)
    if found[2] is None and found[3] is None and found[4] is None:
        number = int(found[1])
        return number if INTEGER_MIN <= number <= INTEGER_MAX else to_float(number)
    return float(found[1])


def _special_number(text: str) -> Number:
    found = _SPECIAL.match(text)
    if found is None:
        return 0
    value = math.nan if found[2][0] in "nN" else math.inf
    return -value if found[1] == "-" else value


def looks_like_number(text: str) -> bool:
    """Return True if the whole text is a decimal number; blanks around it are allowed."""
    return len(text) <= NUMBER_TEXT_MAX and _WHOLE_NUMBER.fullmatch(text) is not None


def to_float(number: Number) -> float:
    """Return a number as double; integers beyond its range become infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def exact_number(value: Value) -> Number:
    """Return a value as number, an integral double below 2**53 as the integer it stands for."""
    number = to_number(value)
    if isinstance(number, int):
        return number if INTEGER_MIN <= number <= INTEGER_MAX else to_float(number)
    if number.is_integer() and -EXACT_DOUBLE < number < EXACT_DOUBLE:
        return int(number)
    return number


def tidy(number: Number) -> Number:
    """Return the result of arithmetic: integers in Perl's range, doubles beyond it.

    An integral double that prints as digits becomes an int, so that JSON shows 5 and not 5.0.
    """
    if isinstance(number, int):
        return number if INTEGER_MIN <= number <= INTEGER_MAX else to_float(number)
    if number.is_integer() and -1e15 < number < 1e15:
        return int(number)
    return number


def to_integer(value: Value) -> int:
    """Return a value cut to an integer, limited to Perl's range; NaN is 0."""
    number = to_number(value)
    if isinstance(number, float):
        if number != number:
            return 0
        if math.isinf(number):
            return INTEGER_MAX if number > 0 else INTEGER_MIN
        number = int(number)
    return min(max(number, INTEGER_MIN), INTEGER_MAX)


class FieldName(str):
    """A name that paths look up without regard to case: that of an HTTP field, RFC 9110 §5.1."""

    __slots__ = ()


class Undefined(str):
    """The expected value of an expression that returned undef: a text that equals no value.

    Null would mean *must be absent*, so that a misspelt variable would pass.
    """

    __slots__ = ()

    @classmethod
    def by(cls, source: str) -> "Undefined":
        """Return the value for the source of an expression."""
        return cls(f"the expected value is undefined: {source}")


def noun(value: Value) -> str:
    """Return the kind of a value as a noun, for a message."""
    if isinstance(value, list):
        return "an array"
    if isinstance(value, dict):
        return "a hash"
    if value is None:
        return "an undefined value"
    return "a number" if isinstance(value, (bool, int, float)) else "a text"


def plain(value: Value, budget: int = 1_000_000, tick: Callable[[], None] | None = None) -> Value:
    """Return a copy that shares no container with the original and that JSON can hold.

    Infinite numbers become texts. Errors: ExpressionFailed if the value is nested over 64 deep (as
    a cycle is) or has more than `budget` elements. `tick` is called now and then and may yield.
    """
    if isinstance(value, (list, dict)):
        return _plain_container(value, NESTING_MAX, [budget], tick)
    return _plain_scalar(value)


def _plain_scalar(value: Value) -> Value:
    if isinstance(value, float) and not math.isfinite(value):
        return format_float(value)
    return value


def _plain_container(
    value: Value, depth: int, left: list[int], tick: Callable[[], None] | None
) -> Value:
    if not isinstance(value, (list, dict)):
        return _plain_scalar(value)
    before = left[0]
    left[0] -= len(value)
    # Each _PLAIN_PORTION elements: a short value is copied in one go.
    if tick is not None and -before // _PLAIN_PORTION != -left[0] // _PLAIN_PORTION:
        tick()
    if depth == 0:
        raise ExpressionFailed(f"the value is nested deeper than {NESTING_MAX}")
    if left[0] < 0:
        raise ExpressionFailed("the value has too many elements")
    if isinstance(value, list):
        found: list[Value] = []
        for at in range(0, len(value), _PLAIN_PORTION):
            if at and tick is not None:
                tick()
            portion = value[at : at + _PLAIN_PORTION]
            found += [_plain_container(item, depth - 1, left, tick) for item in portion]
        return found
    return {key: _plain_container(item, depth - 1, left, tick) for key, item in value.items()}
