"""Functions on numbers."""

import math
from collections.abc import Iterator
from operator import itemgetter

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.operators import add
from tsvc.expr.values import Number, Value, exact_number, tidy, to_float, to_number

_FIRST = itemgetter(0)
_PORTION = 2_000  # values that are read in one go


def _abs(frame: Frame, value: Value) -> Value:
    return tidy(abs(exact_number(value)))


def _int(frame: Frame, value: Value) -> Value:
    number = exact_number(value)
    if isinstance(number, float) and math.isfinite(number):
        return tidy(float(math.trunc(number)))
    return number


def _sqrt(frame: Frame, value: Value) -> Value:
    number = to_float(to_number(value))
    if number < 0:
        raise ExpressionFailed("the square root of a negative number")
    return tidy(math.sqrt(number))


def _rand(frame: Frame, limit: Value = 1) -> Value:
    """Return a number of at least 0 and below the limit; 0 counts as a limit of 1."""
    return frame.env.random() * (to_float(to_number(limit)) or 1.0)


def _sum(frame: Frame, values: list[Value]) -> Value:
    if not values:
        return None
    total: Value = 0
    for value in _numbers(frame, values):
        total = add(total, value)
    return total


def _numbers(frame: Frame, values: list[Value]) -> Iterator[Number]:
    """Yield values as numbers; a long text among them is paid for."""
    for at, value in enumerate(values):
        if at and at % _PORTION == 0:
            frame.pause()
        if type(value) is str:
            frame.scan(value)
        yield exact_number(value)


def _min(frame: Frame, values: list[Value]) -> Value:
    """Return the value itself, not its number: a text keeps all its digits."""
    return min(_numbered(frame, values), key=_FIRST)[1] if values else None


def _max(frame: Frame, values: list[Value]) -> Value:
    """Return the value itself; of equal ones the last, as Perl does."""
    return max(reversed(list(_numbered(frame, values))), key=_FIRST)[1] if values else None


def _numbered(frame: Frame, values: list[Value]) -> Iterator[tuple[Number, Value]]:
    return zip(_numbers(frame, values), values, strict=True)


register("abs", "_", _abs)
register("int", "_", _int)
register("sqrt", "_", _sqrt)
register("rand", "|s", _rand)
register("sum", "l", _sum)
register("min", "l", _min)
register("max", "l", _max)
