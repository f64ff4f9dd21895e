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
    """Return digits as packed BCD in hex, first digit in the low half; an odd end is filled by f.

    `*` and `#` are packed as a and b.
    """
    digits = to_text(value).lower().translate(_KEYS_TO_BCD)
    if not _BCD_SIGNS.fullmatch(digits):
        raise ExpressionFailed(f"pack_bcd: {digits[:40]!r} has other signs than 0-9 a-e * #")
    if len(digits) % 2:
        digits += "f"
    return frame.made("".join([digits[at + 1] + digits[at] for at in range(0, len(digits), 2)]))


def _unpack_bcd(frame: Frame, value: Value) -> Value:
    """Return the digits of packed BCD in hex, without the filler at an odd end."""
    octets = to_text(value).lower()
    if not _BCD_OCTETS.fullmatch(octets):
        raise ExpressionFailed(f"unpack_bcd: {octets[:40]!r} is not whole octets in hex")
    digits = "".join([octets[at + 1] + octets[at] for at in range(0, len(octets), 2)])
    return frame.made(digits.removesuffix("f"))


def _luhn(frame: Frame, value: Value) -> Value:
    """Return the check digit (mod 10, from the right doubling each second) to put after digits."""
    digits = to_text(value)
    if not _DIGITS.fullmatch(digits):
        raise ExpressionFailed(f"luhn: {digits[:40]!r} is not digits")
    frame.scan(digits)
    total = 0
    for position, sign in enumerate(reversed(digits)):
        digit = int(sign) * (1 if position % 2 else 2)
        total += digit - 9 if digit > 9 else digit
    return str(-total % 10)


def _uuid(frame: Frame) -> Value:
    """Return a random UUID (version 4) from the instance's own random numbers."""
    octets = bytearray(int(frame.env.random() * 256) for _ in range(16))
    octets[6] = octets[6] & 0x0F | 0x40
    octets[8] = octets[8] & 0x3F | 0x80
    text = octets.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


register("pack_bcd", "_", _pack_bcd)
register("unpack_bcd", "_", _unpack_bcd)
register("luhn", "_", _luhn)
register("uuid", "", _uuid)
