"""Text that is safe in a terminal, a file or a page.

The module imports little, because every command needs it.
"""

from tsvc import turns

_PORTION = 1024  # characters between two checkpoints: each may take a quarter of a µs


def printable(text: str, *, is_ascii: bool = False) -> str:
    """Return text that can't move a cursor or break XML.

    All characters that are not printable are escaped: also line ends and bidirectional marks.
    Blocks: while other greenlets run, inside turns.given().
    """
    if len(text) <= _PORTION:
        return _printable(text, is_ascii)
    portions = []
    for at in range(0, len(text), _PORTION):
        turns.walked(turns.PORTION)
        portions.append(_printable(text[at : at + _PORTION], is_ascii))
    return "".join(portions)


def _printable(text: str, is_ascii: bool) -> str:
    if text.isprintable() and (text.isascii() or not is_ascii):
        return text
    return "".join(
        sign if sign.isprintable() and (sign.isascii() or not is_ascii) else _escaped(sign)
        for sign in text
    )


def _escaped(sign: str) -> str:
    number = ord(sign)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
