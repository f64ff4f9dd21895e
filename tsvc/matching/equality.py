"""Equality of an expected value and a received one.

Numbers compare by value ("2" is 2), digit strings by their text, hex without regard to case. The
name of an enumerated value compares with the name that the decoder put beside the number.
"""

import math
from decimal import Decimal

from tsvc.numbers import decimal_of

_TEXT_SUFFIXES = ("_digits", "_hex")


class Absent:
    """The type of ABSENT."""

    def __repr__(self) -> str:
        return "absent"


# Stands for the received value of an absent member.
ABSENT = Absent()


def number_of(value: object) -> int | Decimal | None:
    """Return the number of a numeric value or text, with all digits; None if it is no number."""
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return decimal_of(value) if math.isfinite(value) else None
    if not isinstance(value, str) or not 0 < len(value) < 64 or not value.isascii():
        return None
    if value.removeprefix("-").isdigit():
        return int(value)
    if not value.strip("+-.0123456789eE") and value[-1].isdigit():
        return _decimal(value)
    return None


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text) if math.isfinite(float(text)) else None
    except ValueError:
        return None


def is_text_member(name: str) -> bool:
    """Return True if a member holds digits or hex, which compare as text."""
    return name.endswith(_TEXT_SUFFIXES)


def equal_scalars(member: str, expected: object, got: object, got_name: object = None) -> bool:
    """Return True if two scalars are equal.

    member: the name without `!`; its ending decides how to compare.
    got_name: the value of `member_name` beside it, if the decoder gave one.
    """
    kind = type(expected)
    if kind is type(got) and expected == got:
        return True
    if isinstance(got, (dict, list, Absent)) or got is None:
        return False
    if is_text_member(member):
        return _same_digits(expected, got)
    if isinstance(expected, str):
        return _equal_to_text(expected, got, got_name)
    return _equal_numbers(expected, got)


def _same_digits(expected: object, got: object) -> bool:
    if isinstance(expected, (bool, float)) or isinstance(got, (bool, float)):
        return False
    # Digits above 9 are hex digits, written in either case.
    return str(expected).lower() == str(got).lower()


def _equal_to_text(expected: str, got: object, got_name: object) -> bool:
    if isinstance(got, str):
        return expected == got
    number = number_of(expected)
    if number is None:
        return isinstance(got_name, str) and expected == got_name
    return number == number_of(got)


def _equal_numbers(expected: object, got: object) -> bool:
    first, second = number_of(expected), number_of(got)
    return first is not None and first == second
