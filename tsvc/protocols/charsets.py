"""Text of octets in a charset that a peer or a definition names. Pure.

Python has codecs that are no charset of content: punycode and idna take time that grows with the
square of the length, unicode_escape reads a notation of Python. A peer who names one is told the
same as with one that nobody knows.
"""

import codecs

_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape"})


def known_charset(name: str) -> str:
    """Return the name of a charset. Errors: LookupError for what is none."""
    found = codecs.lookup(name).name
    if found.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"unknown encoding: {name}")
    return name


def decode(octets: bytes, charset: str) -> str:
    """Return octets as text.

    Errors: LookupError for what is no charset of texts, UnicodeDecodeError.
    """
    return octets.decode(known_charset(charset))
