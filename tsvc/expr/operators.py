"""Perl's operators on values. Each takes two values and returns one, without any syntax."""

import math
from collections.abc import Callable

from tsvc.errors import ExpressionFailed
from tsvc.expr.values import (
    EXACT_DOUBLE,
    INTEGER_MAX,
    INTEGER_MIN,
    Number,
    Value,
    exact_number,
    looks_like_number,
    tidy,
    to_float,
    to_number,
    to_text,
)

Operator = Callable[[Value, Value], Value]
Test = Callable[[Value, Value], bool]


def add(left: Value, right: Value) -> Value:
    """Return left + right."""
    if type(left) is int and type(right) is int:
        result = left + right
        if INTEGER_MIN <= result <= INTEGER_MAX:
            return result
    return tidy(exact_number(left) + exact_number(right))


def subtract(left: Value, right: Value) -> Value:
    """Return left - right."""
    if type(left) is int and type(right) is int:
        result = left - right
        if INTEGER_MIN <= result <= INTEGER_MAX:
            return result
    return tidy(exact_number(left) - exact_number(right))


def multiply(left: Value, right: Value) -> Value:
    """Return left * right."""
    return tidy(exact_number(left) * exact_number(right))


def divide(left: Value, right: Value) -> Value:
    """Return left / right, an integer if there is no remainder."""
    dividend, divisor = exact_number(left), exact_number(right)
    if divisor == 0:
        raise ExpressionFailed("division by zero")
    if type(dividend) is int and type(divisor) is int and dividend % divisor == 0:
        return tidy(dividend // divisor)
    return tidy(float(dividend) / float(divisor))


def remainder(left: Value, right: Value) -> Value:
    """Return left % right on integers, with the sign of the right side."""
    dividend, divisor = _whole(left), _whole(right)
    if divisor == 0:
        raise ExpressionFailed("remainder of a division by zero")
    return tidy(dividend % divisor)


def _whole(value: Value) -> int:
    number = to_number(value)
    if isinstance(number, float) and not math.isfinite(number):
        raise ExpressionFailed("remainder of an infinite number")
    return int(number)


def power(left: Value, right: Value) -> Value:
    """Return left ** right: exact while it surely fits 64 bits, otherwise a double."""
    base, exponent = exact_number(left), exact_number(right)
    if type(base) is int and type(exponent) is int and exponent >= 0:
        if exponent == 0 or abs(base) <= 1:
            return base if exponent % 2 else base * base if exponent else 1
        if abs(base).bit_length() * exponent <= 64:
            return tidy(base**exponent)
    result = _float_power(to_float(base), to_float(exponent))
    if result.is_integer() and abs(result) < EXACT_DOUBLE:
        return int(result)
    return result


def _float_power(base: float, exponent: float) -> float:
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power, or a negative number to a fraction
        return math.inf if base == 0 else math.nan


def negate(value: Value) -> Value:
    """Return -value; Perl reverses the sign of a text, or puts a minus before a word."""
    if isinstance(value, str) and value and not looks_like_number(value):
        if value[0] in "+-":
            return ("-" if value[0] == "+" else "+") + value[1:]
        if value[0].isalpha() or value[0] == "_":
            return "-" + value
    return tidy(-exact_number(value))


def compare_numbers(left: Value, right: Value) -> Value:
    """Return -1, 0 or 1; undef if one side is NaN."""
    first, second = to_number(left), to_number(right)
    if first < second:
        return -1
    if first > second:
        return 1
    return 0 if first == second else None


def compare_texts(left: Value, right: Value) -> Value:
    """Return -1, 0 or 1 by code points."""
    first, second = to_text(left), to_text(right)
    return (first > second) - (first < second)


def equal(left: Value, right: Value) -> bool:
    """Return left == right. Two references are equal if they are the same one."""
    if isinstance(left, (list, dict)) and isinstance(right, (list, dict)):
        return left is right
    return to_number(left) == to_number(right)


def same_text(left: Value, right: Value) -> bool:
    """Return left eq right."""
    return to_text(left) == to_text(right)


def increment(value: Value) -> Value:
    """Return value + 1; a text of letters, letters then digits, or 0 and digits steps as text.

    A text of more digits than an integer has does so too: ICCIDs have twenty.
    """
    if isinstance(value, str) and value.isascii():
        stem = value.rstrip("0123456789")
        is_number = not value.startswith("0") and len(value) < _DIGITS_MAX
        if stem.isalpha() or (not stem and len(value) > 1 and not is_number):
            return next_text(value)
    return add(value, 1)


_DIGITS_MAX = len(str(INTEGER_MAX))
_WRAPPED = str.maketrans("zZ9", "aA0")


def next_text(text: str) -> str:
    """Return the successor of a text of letters and digits: az -> ba, Zz -> AAa, a9 -> b0."""
    stem = text.rstrip("zZ9")
    rest = text[len(stem) :].translate(_WRAPPED)
    if stem:
        return stem[:-1] + chr(ord(stem[-1]) + 1) + rest
    return {"z": "a", "Z": "A", "9": "1"}[text[0]] + rest


def decrement(value: Value) -> Value:
    """Return value - 1."""
    return subtract(value, 1)


def _numeric(test: Callable[[Number, Number], bool]) -> Test:
    def run(left: Value, right: Value) -> bool:
        if type(left) is int and type(right) is int:
            return test(left, right)
        return test(to_number(left), to_number(right))

    return run


def _textual(test: Callable[[str, str], bool]) -> Test:
    def run(left: Value, right: Value) -> bool:
        return test(to_text(left), to_text(right))

    return run


def exclusive_or(left: Value, right: Value) -> bool:
    """Return True if exactly one side is true."""
    return (left in (None, "", 0, "0")) != (right in (None, "", 0, "0"))


VALUE_OPERATORS: dict[str, Operator] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
    "**": power,
    "<=>": compare_numbers,
    "cmp": compare_texts,
}

TESTS: dict[str, Test] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": _numeric(lambda left, right: left < right),
    ">": _numeric(lambda left, right: left > right),
    "<=": _numeric(lambda left, right: left <= right),
    ">=": _numeric(lambda left, right: left >= right),
    "eq": same_text,
    "ne": lambda left, right: not same_text(left, right),
    "lt": _textual(lambda left, right: left < right),
    "gt": _textual(lambda left, right: left > right),
    "le": _textual(lambda left, right: left <= right),
    "ge": _textual(lambda left, right: left >= right),
    "xor": exclusive_or,
}
