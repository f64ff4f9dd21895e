"""Functions on text."""

import re

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import INTEGER_MAX, Value, to_integer, to_text

_DIGITS = {
    2: re.compile("[01_]*"),
    8: re.compile("[0-7_]*"),
    16: re.compile("[0-9a-f_]*", re.IGNORECASE | re.ASCII),
}


def substring_bounds(size: int, start: int, length: int | None) -> tuple[int, int] | None:
    """Return where substr(text, start, length) begins and ends; None if outside the text.

    A negative start counts from the end, a negative length omits that many at the end.
    """
    begin = start + size if start < 0 else start
    if length is None:
        end = size
    else:
        end = begin + length if length >= 0 else size + length
    if begin > size or (begin < 0 and end < 0):
        return None
    begin, end = max(begin, 0), min(max(end, 0), size)
    return begin, max(begin, end)


def _length(frame: Frame, value: Value) -> Value:
    return None if value is None else len(to_text(value))


def _index(frame: Frame, text: Value, wanted: Value, start: Value = 0) -> Value:
    whole, part = to_text(text), to_text(wanted)
    return whole.find(part, min(max(to_integer(start), 0), len(whole)))


def _rindex(frame: Frame, text: Value, wanted: Value, start: Value = INTEGER_MAX) -> Value:
    whole, part = to_text(text), to_text(wanted)
    at = to_integer(start)
    if at < 0:
        return 0 if part == "" else -1
    whole = whole[: at + len(part)]
    # Unlike find(), rfind() takes the product of the lengths.
    found = whole[::-1].find(part[::-1])
    return -1 if found < 0 else len(whole) - found - len(part)


def _upper(frame: Frame, value: Value) -> Value:
    return frame.count_text("".join([piece.upper() for piece in frame.pieces(to_text(value))]))


def _lower(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    if "Σ" in text:  # its lower case depends on whether it ends a word
        return frame.count_text(text.lower())
    return frame.count_text("".join([piece.lower() for piece in frame.pieces(text)]))


def _upper_first(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return frame.count_text(text[:1].title() + text[1:])


def _lower_first(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return frame.count_text(text[:1].lower() + text[1:])


def _join(frame: Frame, separator: Value, values: list[Value]) -> Value:
    between = to_text(separator)
    return between.join(frame.texts(values, between))


def _reverse(frame: Frame, values: list[Value]) -> Value:
    return "".join(frame.texts(values))[::-1]


def _reverse_items(frame: Frame, values: list[Value]) -> list[Value]:
    return values[::-1]


def _ord(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return ord(text[0]) if text else 0


def _chr(frame: Frame, value: Value) -> Value:
    """Return the character of a number, U+FFFD if no character has it."""
    number = to_integer(value)
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number < 0xE000:
        return "\ufffd"
    return chr(number)


def _hex(frame: Frame, value: Value) -> Value:
    return _based(frame, to_text(value), 16, "x")


def _oct(frame: Frame, value: Value) -> Value:
    """Return the number of an octal text; prefixes 0x, 0b and 0o set another base."""
    text = to_text(value).strip()
    begin = text[:2].lower()
    if begin.startswith(("0x", "x")):
        return _based(frame, text, 16, "x")
    if begin.startswith(("0b", "b")):
        return _based(frame, text, 2, "b")
    return _based(frame, text, 8, "o")


def _based(frame: Frame, text: str, base: int, letter: str) -> int:
    """Return the number at the beginning of a text; the rest is ignored, as in Perl."""
    begin = text[:2].lower()
    at = 2 if begin == "0" + letter else 1 if begin[:1] == letter else 0
    digits = ""
    for piece in frame.pieces(text[at:]):
        found = _DIGITS[base].match(piece)
        assert found is not None  # it matches anything
        digits = (digits + found[0].replace("_", "")).lstrip("0")
        if len(digits) > 64 or int(digits or "0", base) >> 64:
            raise ExpressionFailed(f"the number {text[:24]!r} has more than 64 bits")
        if len(found[0]) < len(piece):
            break
    return int(digits or "0", base)


register("length", "_", _length, is_reading=False)
register("index", "ss|s", _index)
register("rindex", "ss|s", _rindex)
register("uc", "_", _upper)
register("lc", "_", _lower)
register("ucfirst", "_", _upper_first)
register("lcfirst", "_", _lower_first)
register("join", "sl", _join)
register("reverse", "l", _reverse, _reverse_items)
register("ord", "_", _ord, is_reading=False)
register("chr", "_", _chr)
register("hex", "_", _hex)
register("oct", "_", _oct)
