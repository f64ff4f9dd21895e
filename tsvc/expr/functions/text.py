"""Functions on text."""

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import Value, to_integer, to_text


def substring_bounds(size: int, start: int, length: int | None) -> tuple[int, int] | None:
    """Return where substr(text, start, length) begins and ends; None if outside the text.

    A negative start counts from the end, a negative length leaves that many off the end.
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
    frame.scan(whole)
    return whole.find(part, min(max(to_integer(start), 0), len(whole)))


def _rindex(frame: Frame, text: Value, wanted: Value, start: Value = None) -> Value:
    whole, part = to_text(text), to_text(wanted)
    frame.scan(whole)
    if start is None:
        return whole.rfind(part)
    at = to_integer(start)
    if at < 0:
        return 0 if part == "" else -1
    return whole.rfind(part, 0, at + len(part))


def _upper(frame: Frame, value: Value) -> Value:
    return frame.made(to_text(value).upper())


def _lower(frame: Frame, value: Value) -> Value:
    return frame.made(to_text(value).lower())


def _upper_first(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return frame.made(text[:1].title() + text[1:])


def _lower_first(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return frame.made(text[:1].lower() + text[1:])


def _join(frame: Frame, separator: Value, values: list[Value]) -> Value:
    between = to_text(separator)
    texts = [to_text(value) for value in values]
    frame.use(sum(map(len, texts)) + len(between) * len(texts))
    return between.join(texts)


def _reverse(frame: Frame, values: list[Value]) -> Value:
    return frame.made("".join([to_text(value) for value in values])[::-1])


def _reverse_items(frame: Frame, values: list[Value]) -> list[Value]:
    return values[::-1]


def _ord(frame: Frame, value: Value) -> Value:
    text = to_text(value)
    return ord(text[0]) if text else 0


def _chr(frame: Frame, value: Value) -> Value:
    """Return the character of a number; U+FFFD for a number that is none."""
    number = to_integer(value)
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number < 0xE000:
        return "\ufffd"
    return chr(number)


def _hex(frame: Frame, value: Value) -> Value:
    return _based(to_text(value), 16, "x")


def _oct(frame: Frame, value: Value) -> Value:
    """Return the number of an octal text; one in 0x, 0b or 0o is read as such."""
    text = to_text(value).strip().lower()
    if text.startswith(("0x", "x")):
        return _based(text, 16, "x")
    if text.startswith(("0b", "b")):
        return _based(text, 2, "b")
    return _based(text, 8, "o")


def _based(text: str, base: int, letter: str) -> int:
    """Return the number that a text begins with, as Perl does: what follows is ignored."""
    lowered = text.lower().removeprefix("0" + letter).removeprefix(letter)
    digits = "0123456789abcdef"[:base]
    number = count = 0
    for sign in lowered:
        if sign == "_":
            continue
        if sign not in digits:
            break
        number, count = number * base + digits.index(sign), count + 1
        if number >> 64:
            raise ExpressionFailed(f"the number {text[:24]!r} has more than 64 bits")
    return number


register("length", "_", _length)
register("index", "ss|s", _index)
register("rindex", "ss|s", _rindex)
register("uc", "_", _upper)
register("lc", "_", _lower)
register("ucfirst", "_", _upper_first)
register("lcfirst", "_", _lower_first)
register("join", "sl", _join)
register("reverse", "l", _reverse, _reverse_items)
register("ord", "_", _ord)
register("chr", "_", _chr)
register("hex", "_", _hex)
register("oct", "_", _oct)
