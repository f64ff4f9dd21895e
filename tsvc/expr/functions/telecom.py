"""Functions for numbers of the field: packed BCD, the Luhn check digit, UUIDs."""

import re

from tsvc.errors import ExpressionFailed
from tsvc.expr.environment import Frame
from tsvc.expr.functions import register
from tsvc.expr.values import Value, to_text

_BCD_SIGNS = re.compile(r"[0-9a-e]*", re.ASCII)
_BCD_OCTETS = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_DIGITS = re.compile(r"[0-9]+", re.ASCII)
_KEYS_TO_BCD = str.maketrans({"*": "a", "#": "b"})


def _pack_bcd(frame: Frame, value: Value) -> Value:
    """Return digits as packed BCD in hex, first digit in the low nibble; f fills an odd end.

    `*` and `#` are packed as a and b.
    """
    packed = []
    for piece in frame.pieces(to_text(value)):
        digits = piece.lower().translate(_KEYS_TO_BCD)
        if not _BCD_SIGNS.fullmatch(digits):
            raise ExpressionFailed(f"pack_bcd: {digits[:40]!r} has other signs than 0-9 a-e * #")
        packed.append(_swapped(digits + "f" if len(digits) % 2 else digits))
    return frame.count_text("".join(packed))


def _unpack_bcd(frame: Frame, value: Value) -> Value:
    """Return the digits of packed BCD in hex, without the filler at an odd end."""
    digits = []
    for piece in frame.pieces(to_text(value)):
        octets = piece.lower()
        if not _BCD_OCTETS.fullmatch(octets):
            raise ExpressionFailed(f"unpack_bcd: {octets[:40]!r} is not whole octets in hex")
        digits.append(_swapped(octets))
    return frame.count_text("".join(digits).removesuffix("f"))


def _swapped(digits: str) -> str:
    """Return digits with the two of each pair exchanged."""
    octets = bytearray(digits, "ascii")
    octets[::2], octets[1::2] = octets[1::2], octets[::2]
    return octets.decode("ascii")


def _luhn(frame: Frame, value: Value) -> Value:
    """Return the Luhn check digit of digits: mod 10, each second one from the right doubled."""
    digits = to_text(value)
    total = 0
    if not digits:
        raise ExpressionFailed("luhn: '' is not digits")
    last = (len(digits) - 1) % 2  # of each two from the left, as pieces have an even length
    for piece in frame.pieces(digits):
        if not _DIGITS.fullmatch(piece):
            raise ExpressionFailed(f"luhn: {piece[:40]!r} is not digits")
        for number in range(1, 10):
            sign, doubled = str(number), number * 2 - 9 if number > 4 else number * 2
            total += doubled * piece[last::2].count(sign)
            total += number * piece[1 - last :: 2].count(sign)
    return str(-total % 10)


def _uuid(frame: Frame) -> Value:
    """Return a random UUID (version 4) from the instance's own random numbers."""
    frame.step(8)
    octets = bytearray(int(frame.env.random() * 256) for _ in range(16))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    text = octets.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


register("pack_bcd", "_", _pack_bcd)
register("unpack_bcd", "_", _unpack_bcd)
register("luhn", "_", _luhn)
register("uuid", "", _uuid)
