"""Leaf types: INTEGER, ENUMERATED, BOOLEAN, NULL, OBJECT IDENTIFIER, OCTET STRING, IA5String.

If raw octets are given, they take precedence over the value. Decoding fills in `X_hex` where the
value alone would not be encoded to the same octets.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1.base import Note, Notes, Tree, Type, given_octets, hex_octets, number_of
from tsvc.words import did_you_mean, quoted

LONGEST_INTEGER = 8  # octets; every declared range fits


def _read_integer(
    octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes, noun: str
) -> int | None:
    """Put an integer into `out` and return it; None if empty, or longer than any declared type.

    The octets are kept if the value alone would not be encoded to the same octets.
    """
    size = stop - start
    if size == 1:
        value = octets[start]
        if value & 0x80:
            value -= 0x100
        out[name] = value
        return value
    if size == 0:
        notes.append(Note(name, start, f"{noun} without octets"))
        out[name + "_hex"] = ""
        return None
    if size > LONGEST_INTEGER:
        notes.append(Note(name, start, f"integer of {size} octets"))
        out[name + "_hex"] = octets[start:stop].hex()  # not as a number, which might be huge
        return None
    value = int.from_bytes(octets[start:stop], "big", signed=True)
    out[name] = value
    # BER requires the shortest form.
    if octets[start] in (0x00, 0xFF) and octets[start] >> 7 == octets[start + 1] >> 7:
        out[name + "_hex"] = octets[start:stop].hex()
        notes.append(Note(name, start, "integer with needless octets in front"))
    return value


class Integer(Type):
    """INTEGER (lowest..highest)."""

    tag = 0x02
    is_raw_any = True
    suffixes = ("", "_hex")

    def __init__(self, lowest: int, highest: int, *, unit: str | None = None) -> None:
        self.lowest = lowest
        self.highest = highest
        self.unit = unit

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = _read_integer(octets, start, stop, out, name, notes, "integer")
        if value is not None and not self.lowest <= value <= self.highest:
            notes.append(Note(name, start, f"{value} is outside {self.lowest}..{self.highest}"))

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        raw = args.get(name + "_hex")
        if raw is not None:
            return hex_octets(raw, name + "_hex")
        value = args.get(name)
        number = number_of(value, name)
        if not self.lowest <= number <= self.highest:
            raise LocalProtocolError(
                f"{number} is outside {self.lowest}..{self.highest}", path=name
            )
        return ber.encode_integer(number)

    def describe(self) -> dict[str, Any]:
        text: dict[str, Any] = {"type": "integer", "minimum": self.lowest, "maximum": self.highest}
        if self.unit:
            text["unit"] = self.unit
        return text


class Enumerated(Type):
    """ENUMERATED: the integer under X, its name under X_name; either may be given for X.

    `spellings`: names that mean more than a number; the operation's `expand` replaces them.
    """

    tag = 0x0A
    is_raw_any = True
    suffixes = ("", "_name", "_hex")

    def __init__(self, names: Mapping[int, str], spellings: Iterable[str] = ()) -> None:
        self.names = dict(names)
        self.spellings = list(spellings)
        self.numbers = {label: number for number, label in self.names.items()}

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = _read_integer(octets, start, stop, out, name, notes, "enumerated")
        if value is None:
            return
        label = self.names.get(value)
        if label is None:
            notes.append(Note(name, start, f"{value} is no known value", is_tolerable=True))
        else:
            out[name + "_name"] = label

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        raw = args.get(name + "_hex")
        if raw is not None:
            return hex_octets(raw, name + "_hex")
        value = args.get(name)
        if value is None:
            value = args.get(name + "_name")
        if isinstance(value, str) and value in self.numbers:
            return ber.encode_integer(self.numbers[value])
        try:
            # A number without a name is sent as it is: testers need wrong values too.
            return ber.encode_integer(number_of(value, name))
        except LocalProtocolError:
            known = ", ".join(self.numbers) + did_you_mean(value, self.numbers)
            raise LocalProtocolError(f"{quoted(value)} is none of {known}", path=name) from None

    def describe(self) -> dict[str, Any]:
        names = {str(number): text for number, text in self.names.items()}
        also = {"spellings": self.spellings} if self.spellings else {}
        return {"type": "enumerated", "names": names, **also}


class Boolean(Type):
    """BOOLEAN, as 1 or 0."""

    tag = 0x01
    is_raw_any = True
    suffixes = ("", "_hex")

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        if stop - start != 1:
            notes.append(Note(name, start, f"boolean of {stop - start} octets"))
            out[name + "_hex"] = octets[start:stop].hex()
            return
        out[name] = 1 if octets[start] else 0
        if octets[start] not in (0x00, 0xFF):
            out[name + "_hex"] = octets[start:stop].hex()  # any non-zero octet is true

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        raw = args.get(name + "_hex")
        if raw is not None:
            return hex_octets(raw, name + "_hex")
        value = args.get(name)
        if value in (True, "1", "true"):
            return b"\xff"
        if value in (False, "0", "false", ""):
            return b"\x00"
        raise LocalProtocolError(f"{quoted(value)} is neither 1 nor 0", path=name)


class Null(Type):
    """NULL, as 1; it is not sent if its value is false."""

    tag = 0x05
    is_raw_any = True
    suffixes = ("", "_hex")

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        out[name] = 1
        if start != stop:
            notes.append(Note(name, start, f"null of {stop - start} octets"))
            out[name + "_hex"] = octets[start:stop].hex()

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        text = args.get(name + "_hex")
        return b"" if text is None else hex_octets(text, name + "_hex")


class ObjectIdentifier(Type):
    """OBJECT IDENTIFIER, as a dotted name."""

    tag = 0x06
    is_raw_any = True
    suffixes = ("", "_hex")

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        out[name + "_hex"] = octets[start:stop].hex()
        try:
            out[name] = ber.decode_oid(octets[start:stop])
        except RemoteProtocolError as error:
            notes.append(Note(name, start, error.text))

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        raw = args.get(name + "_hex")
        if raw is not None:
            return hex_octets(raw, name + "_hex")
        dotted = args.get(name)
        if not isinstance(dotted, str | int | float):
            text = f"{quoted(dotted)} is not an object identifier"
            raise LocalProtocolError(text, path=name)
        try:
            return ber.encode_oid(str(dotted))
        except ValueError as error:
            raise LocalProtocolError(str(error), path=name) from None


class Octets(Type):
    """OCTET STRING (SIZE lowest..highest) whose contents stay opaque."""

    tag = 0x04
    suffixes: tuple[str, ...] = ("", "_hex")

    def __init__(self, lowest: int = 0, highest: int = 65535) -> None:
        self.lowest = lowest
        self.highest = highest

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = octets[start:stop]
        out[name] = value.decode("latin-1")
        out[name + "_hex"] = value.hex()
        if not self.lowest <= stop - start <= self.highest:
            notes.append(
                Note(name, start, f"{stop - start} octets, not {self.lowest}..{self.highest}")
            )

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        value = given_octets(args, name)
        if value is None:
            raise LocalProtocolError("must be given as octets or as _hex", path=name)
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "octets", "min_octets": self.lowest, "max_octets": self.highest}


class OpenType(Octets):
    """A type that only the peer knows, with an explicit tag: the TLV inside stays opaque."""

    is_constructed = True


class Text(Type):
    """IA5String, as text."""

    tag = 0x16
    suffixes = ("", "_hex")

    def __init__(self, lowest: int, highest: int) -> None:
        self.lowest = lowest
        self.highest = highest

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        value = octets[start:stop]
        out[name] = value.decode("latin-1")
        out[name + "_hex"] = value.hex()
        if not value.isascii():
            notes.append(Note(name, start, "has octets outside IA5"))
        if not self.lowest <= len(value) <= self.highest:
            notes.append(
                Note(name, start, f"{len(value)} characters, not {self.lowest}..{self.highest}")
            )

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        value = given_octets(args, name)
        if value is None:
            raise LocalProtocolError("must be a string", path=name)
        return value

    def describe(self) -> dict[str, Any]:
        return {"type": "text", "min_length": self.lowest, "max_length": self.highest}
