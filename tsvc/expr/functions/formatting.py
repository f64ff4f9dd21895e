"""sprintf."""

import math
import re
from collections.abc import Callable

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import Value, format_float, to_float, to_integer, to_number, to_text

_FIELD = re.compile(
    r"%(?:(?P<index>[1-9]\d*)\$)?(?P<flags>[-+ 0#]*)(?P<width>\*|\d+)?"
    r"(?:\.(?P<precision>\*|\d*))?(?:ll|[hlqLV])?(?P<kind>[a-zA-Z%])",
    re.ASCII,
)
_WIDTH_MAX = 100_000
_SIGNED_MAX = (1 << 63) - 1
_PRECISION_MAX = 500


class _Arguments:
    """The values in order; %2$s picks one without moving to the next."""

    def __init__(self, values: list[Value]) -> None:
        self.values = values
        self.position = 0

    def next(self, index: str | None = None) -> Value:
        if index is not None:
            at = int(index) - 1 if len(index) < 6 else len(self.values)
        else:
            at = self.position
            self.position += 1
        return self.values[at] if at < len(self.values) else None


def _sprintf(frame: Frame, form: Value, values: list[Value]) -> Value:
    arguments = _Arguments(values)

    def replace(field: re.Match[str]) -> str:
        frame.step(1)
        return frame.count_text(_field(field, arguments))

    return frame.count_text(_FIELD.sub(replace, to_text(form)))


def _field(field: re.Match[str], arguments: _Arguments) -> str:
    kind = field["kind"]
    flags = field["flags"]
    width = _number(field["width"], arguments)
    if width is not None and width < 0:
        flags, width = flags + "-", -width
    precision = _number(field["precision"], arguments) if field["precision"] else None
    if field["precision"] == "":
        precision = 0
    if precision is not None and precision < 0:
        precision = None
    if (width or 0) > _WIDTH_MAX or ((precision or 0) > _PRECISION_MAX and kind != "s"):
        raise ExpressionFailed(f"sprintf: the width of {field[0]} is too large")
    if kind == "%":
        return _padded("", "%", flags, width or 0, True)
    formatter = _KINDS.get(kind)
    if formatter is None:
        raise ExpressionFailed(f"sprintf: %{kind} is not supported")
    sign, digits, may_fill = formatter(arguments.next(field["index"]), flags, precision)
    return _padded(sign, digits, flags, width or 0, may_fill)


def _number(text: str | None, arguments: _Arguments) -> int | None:
    if text is None:
        return None
    if text == "*":
        return to_integer(arguments.next())
    return int(text[:9])


def _padded(sign: str, digits: str, flags: str, width: int, may_fill: bool) -> str:
    """Pad to the width: after the digits, by zeros between sign and digits, or before the sign."""
    missing = width - len(sign) - len(digits)
    if missing <= 0:
        return sign + digits
    if "-" in flags:
        return sign + digits + " " * missing
    if "0" in flags and may_fill:
        return sign + "0" * missing + digits
    return " " * missing + sign + digits


_Parts = tuple[str, str, bool]  # sign or prefix, digits, whether zeros may fill
Formatter = Callable[[Value, str, int | None], _Parts]


def _sign(is_negative: bool, flags: str) -> str:
    if is_negative:
        return "-"
    if "+" in flags:
        return "+"
    return " " if " " in flags else ""


def _text(value: Value, flags: str, precision: int | None) -> _Parts:
    return "", to_text(value)[:precision], True


def _character(value: Value, flags: str, precision: int | None) -> _Parts:
    number = to_integer(value)
    is_character = 0 <= number <= 0x10FFFF and not 0xD800 <= number < 0xE000
    return "", chr(number) if is_character else "\ufffd", True


def _decimal(value: Value, flags: str, precision: int | None) -> _Parts:
    number = to_number(value)
    if isinstance(number, float) and not math.isfinite(number):
        return _infinite(number, flags)
    whole = min(to_integer(number), _SIGNED_MAX)
    digits = _least(str(abs(whole)), precision)
    return _sign(whole < 0, flags), digits, precision is None


def _least(digits: str, precision: int | None) -> str:
    if precision is None:
        return digits
    return "" if precision == 0 and digits == "0" else digits.zfill(precision)


def _unsigned(base: str, prefix: str) -> Formatter:
    def run(value: Value, flags: str, precision: int | None) -> _Parts:
        number = to_number(value)
        if isinstance(number, float) and not math.isfinite(number):
            return _infinite(number, flags)
        # A negative number shows as its 64-bit pattern, as in Perl.
        whole = to_integer(number)
        digits = _least(format(whole % (1 << 64), base), precision)
        has_prefix = "#" in flags and whole != 0
        if base == "o" and has_prefix:
            return "", digits if digits.startswith("0") else "0" + digits, precision is None
        return prefix if has_prefix else "", digits, precision is None

    return run


def _floating(kind: str) -> Formatter:
    def run(value: Value, flags: str, precision: int | None) -> _Parts:
        number = to_float(to_number(value))
        if not math.isfinite(number):
            return _infinite(number, flags)
        alternate = "#" if "#" in flags else ""
        digits = f"%{alternate}.{6 if precision is None else precision}{kind}" % abs(number)
        return _sign(math.copysign(1, number) < 0, flags), digits, True

    return run


def _infinite(number: float, flags: str) -> _Parts:
    return _sign(number < 0, flags), format_float(abs(number)), False


_KINDS: dict[str, Formatter] = {
    "s": _text,
    "c": _character,
    "d": _decimal,
    "i": _decimal,
    "u": _unsigned("d", ""),
    "o": _unsigned("o", ""),
    "x": _unsigned("x", "0x"),
    "X": _unsigned("X", "0X"),
    "b": _unsigned("b", "0b"),
    "B": _unsigned("b", "0B"),
    "e": _floating("e"),
    "E": _floating("E"),
    "f": _floating("f"),
    "F": _floating("F"),
    "g": _floating("g"),
    "G": _floating("G"),
}

register("sprintf", "sl", _sprintf)
