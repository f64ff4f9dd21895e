"""Numbers, addresses and causes of Q.763, Q.713 and TS 24.008 as leaf types of the tables.

A leaf is described by its header octets (which bits form which part) and by the coding of the
digits after them. Its sizes in octets are given where the standard of a variant defines them.
Digits are text, one hex digit each, low nibble first on the wire; 10..14 read a..e, where `b` is
the key * and `c` the key #. The filler of an odd number of digits is dropped.

Source: Q.763 §3.9, §3.10, §3.26, Q.850 §2, TS 29.002 (ISDN-AddressString, TBCD-STRING),
TS 29.078 (cAPSpecificBoundSet)
"""

from collections.abc import Mapping
from copy import copy
from itertools import repeat
from typing import Any, Self

from tsvc.errors import LocalProtocolError
from tsvc.memo import Memo
from tsvc.protocols.asn1 import Note, Notes, Tree, Type
from tsvc.protocols.asn1.base import given_octets, number_of
from tsvc.values import dataclass
from tsvc.words import quoted

_SWAP = bytes((octet & 0x0F) << 4 | octet >> 4 for octet in range(256))
_HEX_DIGITS = frozenset("0123456789abcdefABCDEF")
_MOST_DIGITS = 0x1_0000  # each digit is checked, and no message holds more


def decode_bcd(octets: bytes, *, is_odd: bool) -> str:
    """Return the digits of BCD octets, low nibble first; the last nibble is a filler if odd."""
    digits = octets.translate(_SWAP).hex()
    return digits[:-1] if is_odd else digits


def encode_bcd(digits: str, filler: str = "0") -> bytes:
    """Return the BCD octets of digits, low nibble first, filled up to whole octets."""
    if len(digits) & 1:
        digits += filler
    return bytes.fromhex(digits).translate(_SWAP)


def digits_of(value: object, name: str) -> str:
    """Return a given string of digits; numbers are refused because they lose leading zeros."""
    if not isinstance(value, str):
        raise LocalProtocolError("digits must be a string", path=name)
    if len(value) > _MOST_DIGITS:
        raise LocalProtocolError(f"{len(value)} digits, at most {_MOST_DIGITS}", path=name)
    if not _HEX_DIGITS.issuperset(value):
        raise LocalProtocolError(
            f"{quoted(value)} has something that is no digit 0-9 a-f", path=name
        )
    return value


@dataclass(frozen=True, slots=True)
class Part:
    """Bits of a header octet: suffix of the key, shift, width, default value."""

    suffix: str
    shift: int
    width: int
    default: int


Reading = tuple[Tree, str | None]  # entries of the dict, and a deviation as text
Sizes = tuple[int, int]  # fewest and most octets
_ANY_SIZE = (0, 65535)
# Variants whose standards leave the sizes to the network.
NETWORK_SPECIFIC = frozenset({"camel1", "cs1", "cs2", "genband", "sinap"})

_ABSENT = repeat(object())  # stands for a part that is not given; None is a wrong value
_REMEMBERED = 4096  # values of one type, in each direction
_LONGEST = 32  # octets of a cached value: longer ones are rare, but any peer may send them


class Parted(Type):
    """An OCTET STRING made of parts. Decoded values are cached by name and octets: the same few
    numbers come again and again, and decoding a number is the most expensive step."""

    tag = 0x04

    def __init__(self, sizes: Sizes = _ANY_SIZE) -> None:
        self.sizes = sizes
        self._forget()

    def _forget(self) -> None:
        self._read: Memo[tuple[str, bytes], Reading] = Memo("numbers and causes", _REMEMBERED)
        self._written: Memo[tuple[Any, ...], bytes] = Memo(
            "numbers and causes, encoded", _REMEMBERED
        )
        self._keys: Memo[str, list[str]] = Memo("keys of a number or cause", _REMEMBERED)
        # Bound methods are kept for speed: every number goes through these.
        self._known_reading = self._read.get
        self._known_octets = self._written.get
        self._known_keys = self._keys.get

    def sized(self, lowest: int, highest: int) -> Self:
        """Return the same type for values of other sizes, in octets."""
        other = copy(self)
        other.sizes = lowest, highest
        other._forget()
        return other

    def for_variant(self, variant: str) -> Type:
        if variant not in NETWORK_SPECIFIC or self.sizes == _ANY_SIZE:
            return self
        return _OF_ANY_SIZE[self]

    def read(self, value: bytes, name: str) -> Reading:
        """Return the entries of contents octets, and a deviation as text or None."""
        raise NotImplementedError

    def write(self, args: Mapping[str, Any], name: str) -> bytes:
        """Return the contents octets of the given parts."""
        raise NotImplementedError

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        key = name, octets[start:stop]
        reading = self._known_reading(key)
        if reading is None:
            reading = self.read(key[1], name)
            lowest, highest = self.sizes
            if reading[1] is None and not lowest <= stop - start <= highest:
                reading = reading[0], f"{stop - start} octets, not {lowest}..{highest}"
            if stop - start <= _LONGEST:
                self._read.put(key, reading)
        entries, problem = reading
        out |= entries
        if problem is not None:
            notes.append(Note(name, start, problem))

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        keys = self._known_keys(name)
        if keys is None:
            keys = self._keys[name] = self.keys(name)
        given = (name, *map(args.get, keys, _ABSENT))
        try:
            octets = self._known_octets(given)
        except TypeError:  # an unhashable value is not a value of a part: write() raises the error
            return self._write_anew(args, name)
        if octets is None:
            octets = self._write_anew(args, name)
            if len(octets) <= _LONGEST:
                self._written.put(given, octets)
        return octets

    def _write_anew(self, args: Mapping[str, Any], name: str) -> bytes:
        given = given_octets(args, name)
        return self.write(args, name) if given is None else given


# By declared type, about a hundred: all variants of any size share one object.
_OF_ANY_SIZE: Memo[Parted, Parted] = Memo(
    "numbers and causes of any size", 1024, lambda one: one.sized(*_ANY_SIZE)
)


class Number(Parted):
    """Header octets made of parts, then BCD digits.

    `odd_octet`: index of the header octet whose top bit means an odd number of digits; None: an
    odd number of digits ends in filler 15 (telephony BCD). `fixed`: bits always set, by octet.
    """

    def __init__(
        self,
        *header: tuple[Part, ...],
        odd_octet: int | None = None,
        fixed: tuple[int, ...] = (),
        noun: str = "number",
        sizes: Sizes = _ANY_SIZE,
    ) -> None:
        super().__init__(sizes)
        self.header = header
        self.odd_octet = odd_octet
        self.fixed = fixed or (0,) * len(header)
        self.noun = noun
        self.parts = [part for octet in header for part in octet]
        self.suffixes = ("", "_hex", "_digits", *(part.suffix for part in self.parts))
        self._places = [
            (part, at, (1 << part.width) - 1) for at, parts in enumerate(header) for part in parts
        ]
        usual = bytearray(self.fixed)
        for part, at, _ in self._places:
            usual[at] |= part.default << part.shift
        self._usual = bytes(usual)

    def read(self, value: bytes, name: str) -> Reading:
        entries: Tree = {name: value.decode("latin-1"), name + "_hex": value.hex()}
        size = len(self.header)
        if len(value) < size:
            return entries, f"{self.noun} of {len(value)} octets"
        for part, at, mask in self._places:
            entries[name + part.suffix] = value[at] >> part.shift & mask
        digits = value[size:].translate(_SWAP).hex()
        if self.odd_octet is None:
            is_odd = digits.endswith("f")
        else:
            is_odd = bool(value[self.odd_octet] & 0x80) and digits != ""
        entries[name + "_digits"] = digits[:-1] if is_odd else digits
        return entries, None

    def write(self, args: Mapping[str, Any], name: str) -> bytes:
        digits = digits_of(args.get(name + "_digits", ""), name + "_digits")
        octets = bytearray(self._usual)
        for part, at, mask in self._places:
            value = args.get(name + part.suffix)
            if value is not None and value != part.default:
                number = part_value(args, name, part)
                octets[at] = octets[at] & ~(mask << part.shift) | number << part.shift
        if self.odd_octet is not None and len(digits) & 1:
            octets[self.odd_octet] |= 0x80
        return bytes(octets) + encode_bcd(digits, "f" if self.odd_octet is None else "0")

    def describe(self) -> dict[str, Any]:
        return {
            "type": self.noun,
            "parts": {
                part.suffix: {"maximum": (1 << part.width) - 1, "default": part.default}
                for part in self.parts
            },
        }


def part_value(args: Mapping[str, Any], name: str, part: Part) -> int:
    """Return the value given for a part, checked against its width, otherwise its default."""
    value = args.get(name + part.suffix)
    if value is None:
        return part.default
    number = number_of(value, name + part.suffix)
    if not 0 <= number < 1 << part.width:
        raise LocalProtocolError(
            f"{number} is outside 0..{(1 << part.width) - 1}", path=name + part.suffix
        )
    return number


_NOA = Part("_noa", 0, 7, 2)
_NPI = Part("_npi", 4, 3, 1)
_PRI = Part("_pri", 2, 2, 0)
_SI = Part("_si", 0, 2, 0)

CALLED_PARTY_NUMBER = Number(
    (_NOA,),
    (Part("_inn", 7, 1, 0), _NPI),
    odd_octet=0,
    noun="called party number",
    sizes=(2, 18),
)
CALLING_PARTY_NUMBER = Number(
    (_NOA,),
    (Part("_ni", 7, 1, 0), _NPI, _PRI, _SI),
    odd_octet=0,
    noun="calling party number",
    sizes=(2, 10),
)
LOCATION_NUMBER = Number(
    (_NOA,),
    (Part("_inn", 7, 1, 0), _NPI, _PRI, _SI),
    odd_octet=0,
    noun="location number",
    sizes=(2, 10),
)
REDIRECTING_NUMBER = Number(
    (_NOA,), (_NPI, _PRI), odd_octet=0, noun="redirecting number", sizes=(2, 10)
)
GENERIC_NUMBER = Number(
    (Part("_nqi", 0, 8, 0),),
    (_NOA,),
    (Part("_ni", 7, 1, 0), _NPI, _PRI, _SI),
    odd_octet=1,
    noun="generic number",
    sizes=(3, 11),
)
GENERIC_NUMBER_IN_DIGITS = GENERIC_NUMBER.sized(2, 16)  # CAP's Digits that hold such a number
ADDRESS_STRING = Number(
    (Part("_noa", 4, 3, 1), Part("_npi", 0, 4, 1)),
    fixed=(0x80,),
    noun="address string",
    sizes=(1, 20),
)
ISDN_ADDRESS = ADDRESS_STRING.sized(1, 9)
CALLED_BCD_NUMBER = ADDRESS_STRING.sized(1, 41)
SMS_ADDRESS = ADDRESS_STRING.sized(1, 11)
TBCD = Number(noun="telephony BCD")
IMSI = TBCD.sized(3, 8)
IMEI = TBCD.sized(8, 8)
TIME_AND_TIMEZONE = TBCD.sized(8, 8)

_SCHEME = Part("_scheme", 5, 3, 0)
_BCD_EVEN, _BCD_ODD, _IA5 = 0, 1, 2


class GenericDigits(Parted):
    """Generic digits: encoding scheme and type of digits, then BCD or IA5 digits."""

    suffixes = ("", "_hex", "_digits", "_scheme", "_type")
    type_part = Part("_type", 0, 5, 0)

    def read(self, value: bytes, name: str) -> Reading:
        entries: Tree = {name: value.decode("latin-1"), name + "_hex": value.hex()}
        if not value:
            return entries, "generic digits without octets"
        scheme = value[0] >> 5
        entries[name + "_scheme"] = scheme
        entries[name + "_type"] = value[0] & 0x1F
        if scheme in (_BCD_EVEN, _BCD_ODD):
            is_odd = scheme == _BCD_ODD and len(value) > 1
            entries[name + "_digits"] = decode_bcd(value[1:], is_odd=is_odd)
        elif scheme == _IA5:
            text = value[1:].decode("latin-1")
            entries[name + "_digits"] = text.translate({ord("*"): "b", ord("#"): "c"})
        else:
            return entries, f"encoding scheme {scheme} is not known"
        return entries, None

    def write(self, args: Mapping[str, Any], name: str) -> bytes:
        digits = digits_of(args.get(name + "_digits", ""), name + "_digits")
        scheme = len(digits) & 1
        if args.get(name + "_scheme") is not None:
            scheme = part_value(args, name, _SCHEME)
        lead = scheme << 5 | part_value(args, name, self.type_part)
        if scheme == _IA5:
            text = digits.lower().translate({ord("b"): "*", ord("c"): "#"})
            return bytes((lead,)) + text.encode("ascii")
        return bytes((lead,)) + encode_bcd(digits)

    def describe(self) -> dict[str, Any]:
        return {
            "type": "generic digits",
            "parts": {"_scheme": {"maximum": 7}, "_type": {"maximum": 31, "default": 0}},
            "schemes": {"0": "BCD even", "1": "BCD odd", "2": "IA5"},
        }


class Cause(Parted):
    """Cause indicators: coding standard, location, cause value, diagnostics."""

    suffixes = ("", "_hex", "_cause", "_standard", "_location", "_diagnostics_hex")
    cause_part = Part("_cause", 0, 7, 31)
    standard_part = Part("_standard", 5, 2, 0)
    location_part = Part("_location", 0, 4, 0)

    def read(self, value: bytes, name: str) -> Reading:
        entries: Tree = {name: value.decode("latin-1"), name + "_hex": value.hex()}
        # Octet 1a (recommendation) precedes the cause if octet 1 has no extension bit.
        at = 1 if value[:1] and value[0] & 0x80 else 2
        if len(value) <= at:
            return entries, f"cause of {len(value)} octets"
        entries[name + "_standard"] = value[0] >> 5 & 3
        entries[name + "_location"] = value[0] & 0x0F
        entries[name + "_cause"] = value[at] & 0x7F
        if len(value) > at + 1:
            entries[name + "_diagnostics_hex"] = value[at + 1 :].hex()
        return entries, None

    def write(self, args: Mapping[str, Any], name: str) -> bytes:
        lead = 0x80 | part_value(args, name, self.standard_part) << 5
        lead |= part_value(args, name, self.location_part)
        diagnostics = given_octets(args, name + "_diagnostics") or b""
        return bytes((lead, 0x80 | part_value(args, name, self.cause_part))) + diagnostics

    def describe(self) -> dict[str, Any]:
        parts = (self.cause_part, self.standard_part, self.location_part)
        return {
            "type": "cause",
            "parts": {
                part.suffix: {"maximum": (1 << part.width) - 1, "default": part.default}
                for part in parts
            },
        }


GENERIC_DIGITS = GenericDigits((2, 16))
CAUSE = Cause((2, 32))
