"""Texts of short messages by data_coding (SMPP 3.4 section 5.2.19).

The SMSC chooses the default alphabet of data_coding 0: the GSM alphabet, one code per octet (never
packed), or Latin-1. Codings of binary or unknown content have no text.
"""

from enum import Enum

from tsvc.errors import LocalProtocolError
from tsvc.protocols.map import alphabet as gsm

_UDHI = 0x40  # esm_class: a user data header comes before the message


class DefaultAlphabet(Enum):
    """The alphabet of data_coding 0."""

    GSM7 = "gsm7"
    LATIN_1 = "latin-1"


_GSM = "gsm"
_CODECS = {
    1: "ascii",
    3: "latin-1",
    6: "iso8859_5",
    7: "iso8859_8",
    8: "utf_16_be",
}


def _codec(data_coding: int, default: DefaultAlphabet) -> str | None:
    """Return the codec of a data_coding, None if it is not a coding of text."""
    if data_coding == 0:
        return _GSM if default is DefaultAlphabet.GSM7 else "latin-1"
    group = data_coding >> 4
    if group in (0xC, 0xD):  # GSM message waiting: the default alphabet
        return _GSM
    if group == 0xF:  # GSM message class: bit 2 means 8-bit data
        return None if data_coding & 0x04 else _GSM
    return _CODECS.get(data_coding)


def decode_text(
    octets: bytes, data_coding: int, default: DefaultAlphabet = DefaultAlphabet.GSM7
) -> str | None:
    """Return the text of a message without its user data header, None if it is not text."""
    codec = _codec(data_coding, default)
    if codec is None:
        return None
    if codec == _GSM:
        return gsm.text_of(list(octets)) if all(octet < 0x80 for octet in octets) else None
    try:
        return octets.decode(codec)
    except UnicodeDecodeError:
        return None


def encode_text(
    text: str, data_coding: int, default: DefaultAlphabet = DefaultAlphabet.GSM7
) -> bytes:
    """Return the octets of a text. Errors: LocalProtocolError if the coding can't encode it."""
    codec = _codec(data_coding, default)
    if codec is None:
        raise LocalProtocolError(f"data_coding {data_coding} is not that of a text")
    try:
        return bytes(gsm.codes_of(text)) if codec == _GSM else text.encode(codec)
    except ValueError as error:  # UnicodeEncodeError is one, too
        raise LocalProtocolError(f"data_coding {data_coding}: {error}") from None


def split_header(octets: bytes, esm_class: int) -> tuple[bytes, bytes]:
    """Return the user data header, including its length octet, and the message after it.

    A header that would be longer than the message counts as absent.
    """
    if not esm_class & _UDHI or not octets or octets[0] >= len(octets):
        return b"", octets
    return octets[: octets[0] + 1], octets[octets[0] + 1 :]
