"""Text as a terminal, a file or a page may have it. Imports little, as every command needs it."""

from tsvc import turns

_PORTION = 1024  # characters between which others may run: each may take a quarter of a µs


def printable(text: str, *, is_ascii: bool = False) -> str:
    """Return text that can't move a cursor or break XML: what is not printable is escaped,
    controls, line ends and bidirectional marks included.

    Blocks: for turns of others, where they are given some.
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
