"""Decoding of octets in a charset that a peer or a definition names. Pure.

Python has codecs that are not charsets of content: punycode and idna take time that grows with
the square of the length, unicode_escape reads a notation of Python. A peer that names one of them
gets the same error as for an unknown charset.
"""

import codecs

_NO_CHARSETS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape"})


def known_charset(name: str) -> str:
    """Return `name` if it is a charset. Errors: LookupError otherwise."""
    found = codecs.lookup(name).name
    if found.replace("_", "-") in _NO_CHARSETS:
        raise LookupError(f"unknown encoding: {name}")
    return name


def decode(octets: bytes, charset: str) -> str:
    """Return octets as text.

    Errors: LookupError if the name is not a charset of texts, UnicodeDecodeError.
    """
    return octets.decode(known_charset(charset))
