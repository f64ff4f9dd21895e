"""Values between JSON and databases: a column's value in a form that JSON carries without loss."""

import math
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from tsvc.errors import GatewayError
from tsvc.numbers import ExactFloat
from tsvc.words import cut, quoted

# int() and Decimal() also accept forms such as 1_000, which are numbers nowhere else.
_INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)
_SCALED_INTEGER = re.compile(r"-?[0-9]{1,1000}\.0+", re.ASCII)


def json_value(value: Any) -> Any:
    """Return a column's value in JSON's types.

    Shape: numbers as numbers, but a decimal that is no integer as its digits ("12.50"); booleans
    as 1 or 0; dates and times in ISO 8601; an interval in seconds; octets in hex. A large object
    is read.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _of_decimal(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(name): json_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_value(item) for item in value]
    if hasattr(value, "read"):
        return json_value(value.read())
    return str(value)


def _of_decimal(value: Decimal) -> int | str:
    if not value.is_finite():
        return str(value)
    exponent = value.as_tuple().exponent
    # 1E+1000000 would be a megabyte of digits.
    if isinstance(exponent, int) and 0 <= exponent <= 30:
        return int(value)
    return format(value, "f") if abs(value.adjusted()) < 1000 else str(value)


def octets_of(value: Any) -> int:
    """Return the approximate length of a value's JSON text."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, list):
        return 2 + sum(map(octets_of, value))
    if isinstance(value, dict):
        return 2 + sum(len(name) + octets_of(item) for name, item in value.items())
    return 8


# -- declared types -----------------------------------------------------------------------------


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        try:
            return Decimal(value).is_finite()
        except ArithmeticError:
            return False
    return isinstance(value, int | float)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int)


def without_zeros(value: Any) -> Any:
    """Return the integer that a decimal with a scale is ("12.00"), otherwise the value."""
    if isinstance(value, str) and _SCALED_INTEGER.fullmatch(value):
        return int(value.partition(".")[0])
    return value


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return value in (0, 1)


COLUMN_TYPES: dict[str, Callable[[Any], bool]] = {
    "integer": _is_integer,
    "number": _is_number,
    "text": _is_text,
    "boolean": _is_truth,
}


def _to_integer(value: Any) -> int:
    if isinstance(value, float) and not value.is_integer():
        raise ValueError
    if isinstance(value, str) and not _INTEGER.fullmatch(value.strip()):
        raise ValueError
    return int(value)


def _to_number(value: Any) -> Decimal:
    text = str(value)
    if "_" in text or not text.isascii():
        raise ValueError
    return Decimal(text)


def _to_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


BIND_TYPES: dict[str, Callable[[Any], Any]] = {
    "integer": _to_integer,
    "number": _to_number,
    "text": _to_text,
    "timestamp": lambda value: datetime.fromisoformat(str(value)),
    "hex": lambda value: bytes.fromhex(str(value)),
}


def bound(name: str, value: Any, type_name: str | None, *, has_arrays: bool = False) -> Any:
    """Return a value to bind: converted to the declared type, otherwise unchanged. For an array,
    the type is that of its items.

    Errors: GatewayError that names the bind parameter.
    """
    if isinstance(value, list) and has_arrays:
        return [bound(name, one, type_name, has_arrays=True) for one in value]
    if isinstance(value, list):
        raise GatewayError(f"{name}: an array can't be bound: only PostgreSQL has them")
    if isinstance(value, dict):
        raise GatewayError(f"{name}: an object can't be bound to a parameter")
    if isinstance(value, ExactFloat):
        value = value.exactly()
    if value is None or type_name is None:
        return value
    try:
        return BIND_TYPES[type_name](value)
    except (ValueError, ArithmeticError):
        raise GatewayError(f"{name}: {cut(quoted(value), 80)} is no {type_name}") from None
