"""USSD strings: a data coding scheme with its parts, and the text that it encodes.

The scheme is one octet. Its high half is the group, which determines the meaning of the low half:
a language (groups 0 to 3), or an encoding and perhaps a message class (4 to 7, 9, 15).

Source: TS 23.038 (cell broadcast data coding scheme, which USSD uses)
"""

from collections.abc import Mapping
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.protocols.asn1 import Note, Notes, Octets, Tree, Type, m
from tsvc.protocols.asn1.base import given_octets, number_of
from tsvc.protocols.map import alphabet
from tsvc.protocols.map.operation import InOrder
from tsvc.protocols.party_number import ISDN_ADDRESS

SCHEME = "ussdDataCodingScheme"
STRING = "ussdString"

GSM7, EIGHT_BIT, UCS2, RESERVED = 0, 1, 2, 3
ENCODING_NAMES = {GSM7: "gsm7", EIGHT_BIT: "8bit", UCS2: "ucs2", RESERVED: "reserved"}
_ENCODING_NUMBERS = {name: number for number, name in ENCODING_NAMES.items()}

DEFAULT_SCHEME = 0x0F  # default alphabet, language unspecified
UCS2_SCHEME = 0x48  # group 4, UCS2, no message class

_LANGUAGE_GROUPS = range(4)
_GENERAL_GROUPS = range(4, 8)  # bits 5 and 4 of the octet: compressed, has a message class
_UDH_GROUP = 9
_CLASS_GROUP = 15
_UCS2_WITH_LANGUAGE = 0x11  # two octets of language precede the text
_COMPRESSED = 0x20
_HAS_CLASS = 0x10

LONGEST_STRING = 160  # octets
_PARTS = ("_group", "_language", "_is_compressed", "_message_class", "_encoding")


def parts_of(octet: int) -> dict[str, int]:
    """Return the parts that a scheme has, by suffix."""
    group = octet >> 4
    parts = {"_group": group}
    if group in _LANGUAGE_GROUPS:
        is_ucs2 = octet == _UCS2_WITH_LANGUAGE
        return parts | {"_language": octet & 0x0F, "_encoding": UCS2 if is_ucs2 else GSM7}
    if group in _GENERAL_GROUPS:
        parts |= {"_is_compressed": octet >> 5 & 1, "_encoding": octet >> 2 & 3}
        return parts | {"_message_class": octet & 3} if octet & _HAS_CLASS else parts
    if group == _UDH_GROUP:
        return parts | {"_encoding": octet >> 2 & 3, "_message_class": octet & 3}
    if group == _CLASS_GROUP:
        return parts | {"_encoding": octet >> 2 & 1, "_message_class": octet & 3}
    return parts | {"_language": octet & 0x0F}  # reserved or WAP: the low half unchanged


def scheme_of(parts: Mapping[str, int]) -> int:
    """Return the scheme of parts that are within their ranges.

    Without a group it is 0 (default alphabet), or 4 if a given part needs it.
    """
    needs_general = any(
        name in parts for name in ("_is_compressed", "_message_class", "_encoding")
    )
    group = parts.get("_group", 4 if needs_general else 0)
    octet = group << 4
    if group in _GENERAL_GROUPS:
        octet |= parts.get("_encoding", GSM7) << 2
        octet |= _COMPRESSED if parts.get("_is_compressed") else 0
        if "_message_class" in parts:
            octet |= _HAS_CLASS | parts["_message_class"]
        return octet
    if group in (_UDH_GROUP, _CLASS_GROUP):
        return octet | parts.get("_encoding", GSM7) << 2 | parts.get("_message_class", 0)
    return octet | parts.get("_language", 15 if group == 0 else 0)


_HIGHEST = {
    "_group": 15,
    "_language": 15,
    "_is_compressed": 1,
    "_message_class": 3,
    "_encoding": 3,
}


class DataCodingScheme(Type):
    """One octet, raw or by its parts; `_encoding` is a number or gsm7, 8bit, ucs2."""

    tag = 0x04
    suffixes = ("", "_hex", *_PARTS, "_encoding_name")

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = octets[start:stop]
        out[name] = value.decode("latin-1")
        out[name + "_hex"] = value.hex()
        if len(value) != 1:
            notes.append(Note(name, start, f"data coding scheme of {len(value)} octets"))
            return
        for suffix, part in parts_of(value[0]).items():
            out[name + suffix] = part
            if suffix == "_encoding":
                out[name + "_encoding_name"] = ENCODING_NAMES[part]

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        given = given_octets(args, name)
        if given is not None:
            return given
        parts: dict[str, int] = {}
        for suffix, highest in _HIGHEST.items():
            value = args.get(name + suffix)
            if suffix == "_encoding" and value is None:
                value = args.get(name + "_encoding_name")
            if value is None:
                continue
            parts[suffix] = _part(value, name + suffix, highest)
        return bytes((scheme_of(parts),))

    def describe(self) -> dict[str, Any]:
        return {
            "type": "data coding scheme",
            "parts": {suffix: {"maximum": highest} for suffix, highest in _HIGHEST.items()},
        }


def _part(value: object, name: str, highest: int) -> int:
    if isinstance(value, str) and name.endswith("_encoding") and value in _ENCODING_NUMBERS:
        return _ENCODING_NUMBERS[value]
    number = number_of(value, name)
    if not 0 <= number <= highest:
        raise LocalProtocolError(f"{number} is outside 0..{highest}", path=name)
    return number


class UssdString(Type):
    """The string, raw or as `_text`, in the encoding of the scheme in the same dict.

    8-bit data, compressed text and UCS2 after a language have no text form: give octets.
    """

    tag = 0x04
    suffixes = ("", "_hex", "_text")

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = octets[start:stop]
        out[name] = value.decode("latin-1")
        out[name + "_hex"] = value.hex()
        if not 1 <= len(value) <= LONGEST_STRING:
            notes.append(Note(name, start, f"{len(value)} octets, not 1..{LONGEST_STRING}"))
        scheme = bytes.fromhex(out.get(SCHEME + "_hex", ""))
        encoding = text_encoding(scheme[0]) if len(scheme) == 1 else None
        if encoding == GSM7:
            out[name + "_text"] = alphabet.text_of(alphabet.unpack(value))
        elif encoding == UCS2:
            try:
                out[name + "_text"] = value.decode("utf-16-be")
            except UnicodeDecodeError:
                notes.append(Note(name, start, "is not UCS2"))

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        given = given_octets(args, name)
        if given is not None:
            return given
        text = _text_of(args, name)
        if text is None:
            raise LocalProtocolError("must be a string", path=name + "_text")
        octets = encode_text(text, CODING_SCHEME.encode(args, SCHEME), name + "_text")
        if not 1 <= len(octets) <= LONGEST_STRING:
            raise LocalProtocolError(
                f"takes {len(octets)} octets, not 1..{LONGEST_STRING}", path=name + "_text"
            )
        return octets

    def describe(self) -> dict[str, Any]:
        return {"type": "USSD string", "max_octets": LONGEST_STRING}


def _text_of(args: Mapping[str, Any], name: str) -> str | None:
    """Return the text of a string, None if there is none. A number is the text of its digits."""
    text = args.get(name + "_text")
    if isinstance(text, int | float) and not isinstance(text, bool):
        is_whole = isinstance(text, int) or text.is_integer()
        return str(int(text)) if is_whole else str(text)
    return text if isinstance(text, str) else None


def text_encoding(scheme: int) -> int | None:
    """Return the encoding of text in a scheme, None if the scheme has no text form."""
    parts = parts_of(scheme)
    if parts.get("_is_compressed") or scheme == _UCS2_WITH_LANGUAGE:
        return None
    encoding = parts.get("_encoding")
    return encoding if encoding in (GSM7, UCS2) else None


def encode_text(text: str, scheme: bytes, path: str) -> bytes:
    """Return the octets of a text in a scheme. Errors: LocalProtocolError."""
    encoding = text_encoding(scheme[0]) if len(scheme) == 1 else None
    if encoding == GSM7:
        try:
            return alphabet.pack(alphabet.codes_of(text))
        except ValueError as error:
            raise LocalProtocolError(str(error), path=path) from None
    if encoding == UCS2:
        try:
            return text.encode("utf-16-be")
        except UnicodeEncodeError as error:
            raise LocalProtocolError(str(error), path=path) from None
    raise LocalProtocolError(
        f"the data coding scheme {scheme.hex()} has no text form, give octets", path=path
    )


CODING_SCHEME = DataCodingScheme()
USSD_STRING = UssdString()


class UssdSequence(InOrder):
    """A USSD argument or result; without a scheme the text determines GSM 7-bit or UCS2."""

    def encode_members(self, args: Mapping[str, Any]) -> bytes:
        text = _text_of(args, STRING)
        has_octets = args.get(STRING) is not None or args.get(STRING + "_hex") is not None
        is_scheme_given = any(args.get(key) is not None for key in CODING_SCHEME.keys(SCHEME))
        if not is_scheme_given and (has_octets or text is not None):
            is_gsm7 = has_octets or alphabet.is_in_alphabet(text or "")
            scheme = DEFAULT_SCHEME if is_gsm7 else UCS2_SCHEME
            args = {**args, SCHEME + "_hex": f"{scheme:02x}"}
        return super().encode_members(args)


ARGUMENT = UssdSequence(
    m(SCHEME, None, CODING_SCHEME, required=True),
    m(STRING, None, USSD_STRING, required=True),
    m("alertingPattern", None, Octets(1, 1)),
    m("msisdn", 0, ISDN_ADDRESS),
)
RESULT = UssdSequence(
    m(SCHEME, None, CODING_SCHEME, required=True),
    m(STRING, None, USSD_STRING, required=True),
)

# Errors of the operations that the network sends to a mobile.
MOBILE_ERRORS = (
    "systemFailure",
    "dataMissing",
    "unexpectedDataValue",
    "absentSubscriber",
    "illegalSubscriber",
    "illegalEquipment",
    "unknownAlphabet",
    "ussd-Busy",
)
