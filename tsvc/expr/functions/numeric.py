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


def _exponential(frame: Frame, mean: Value) -> Value:
    """Return a number of the exponential distribution with that mean."""
    scale = _parameter("exponential", "mean", mean)
    if scale < 0:
        raise ExpressionFailed("exponential of a negative mean")
    return tidy(-scale * math.log1p(-frame.env.random()))


def _normal(frame: Frame, mean: Value, deviation: Value) -> Value:
    """Return a number of the normal distribution with that mean and standard deviation.

    Two random numbers make one result (Box and Muller). The second result that they could make
    is not kept for the next call: values would then depend on calls elsewhere in the definition.
    """
    middle = _parameter("normal", "mean", mean)
    scale = _parameter("normal", "standard deviation", deviation)
    if scale < 0:
        raise ExpressionFailed("normal of a negative standard deviation")
    radius = math.sqrt(-2.0 * math.log1p(-frame.env.random()))
    return tidy(middle + scale * radius * math.cos(2 * math.pi * frame.env.random()))


def _parameter(function: str, name: str, value: Value) -> float:
    """Return a parameter of a distribution.

    An undefined one fails: as 0 it would silently give values that are all the same.
    """
    if value is None:
        raise ExpressionFailed(f"{function} of an undefined {name}")
    number = to_float(to_number(value))
    if not math.isfinite(number):
        raise ExpressionFailed(f"{function} of a {name} that is not finite")
    return number


def _sum(frame: Frame, values: list[Value]) -> Value:
    if not values:
        return None
    total: Value = 0
    for value in _numbers(frame, values):
        total = add(total, value)
    return total


def _numbers(frame: Frame, values: list[Value]) -> Iterator[Number]:
    """Yield values as numbers; the steps to read a long text are counted."""
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
register("exponential", "s", _exponential)
register("normal", "ss", _normal)
register("sum", "l", _sum)
register("min", "l", _min)
register("max", "l", _max)
