"""Types around other types: SEQUENCE OF, OCTET STRING that contains BER, a type by variant."""

from collections.abc import Iterable, Mapping
from typing import Any

from tsvc import turns
from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1.base import (
    Note,
    Notes,
    Tree,
    Type,
    given_octets,
    hex_octets,
    prefix_notes,
)
from tsvc.protocols.asn1.structures import Structure, decode_part, encode_value


class SequenceOf(Type):
    """SEQUENCE OF or SET OF: a list.

    Structures are lists of dicts. Elements of a leaf type are listed raw under X and in hex under
    X_hex. Its parts (X_digits …) are those of the first element; when sent, they make one element.
    An element that is not of the declared type is {_tlv_hex}: its whole TLV, or all of the
    contents if they can't be split into TLVs.
    """

    tag = 0x30
    is_constructed = True

    def __init__(self, element: Type, lowest: int = 0, highest: int = 127) -> None:
        self.element = element
        self.lowest = lowest
        self.highest = highest
        self.suffixes = element.suffixes
        self._is_structure = isinstance(element, Structure)

    def for_variant(self, variant: str) -> Type:
        return SequenceOf(self.element.for_variant(variant), self.lowest, self.highest)

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        try:
            found = ber.walk(octets, start, stop)
        except RemoteProtocolError as error:
            notes.append(Note(name, start if error.offset is None else error.offset, error.text))
            out[name] = [{"_tlv_hex": octets[start:stop].hex()}]
            return
        items: list[Any] = []
        hex_items: list[str] = []
        for position, (tag, at, end) in enumerate(found):
            since = len(notes)
            inner: Tree = {}
            if self.element.tag not in (None, tag):
                notes.append(Note("", at, f"tag {tag:x} where {self.element.tag:x} is due"))
                kept = ber.tlv(ber.tag_octets(tag), octets[at:end])
                items.append({"_tlv_hex": kept.hex()})
            elif isinstance(self.element, Structure):
                if self.element.tag is None:
                    self.element.decode_one(octets, tag, at, end, inner, notes)
                else:
                    self.element.decode_members(octets, at, end, inner, notes)
                items.append(inner)
            else:
                self.element.decode(octets, at, end, inner, name, notes)
                items.append(inner.get(name))
                hex_items.append(octets[at:end].hex())
                if position == 0:
                    out.update(inner)
            for note in notes[since:]:
                note.path = f"{name}[{position}].{note.path}".rstrip(".")
        out[name] = items
        if hex_items:
            out[name + "_hex"] = hex_items
        if not self.lowest <= len(items) <= self.highest:
            notes.append(
                Note(name, start, f"{len(items)} elements, not {self.lowest}..{self.highest}")
            )

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        items = args.get(name)
        hex_items = args.get(name + "_hex")
        elements: Iterable[Any]
        if isinstance(items, list):
            elements = items
        elif isinstance(hex_items, list):
            elements = ({name + "_hex": item} for item in hex_items)
        elif self._is_structure:
            if hex_items is not None:
                return hex_octets(hex_items, name + "_hex")
            raise LocalProtocolError("must be an array", path=name)
        else:
            elements = [args]
        each = enumerate(turns.over(elements))
        return b"".join([self._element(item, name, at) for at, item in each])

    def _element(self, item: Any, name: str, position: int) -> bytes:
        try:
            if isinstance(item, Mapping) and item.get("_tlv_hex") is not None:
                return hex_octets(item["_tlv_hex"], "_tlv_hex")
            contents = self._contents(item, name)
        except LocalProtocolError as error:
            path = f"{name}[{position}].{error.path}" if error.path else f"{name}[{position}]"
            raise LocalProtocolError(error.text, path=path) from None
        tag = self.element.tag
        return contents if tag is None else ber.tlv(ber.tag_octets(tag), contents)

    def _contents(self, item: Any, name: str) -> bytes:
        if isinstance(self.element, Structure):
            if not isinstance(item, Mapping):
                raise LocalProtocolError("must be an object")
            return self.element.encode_members(item)
        given = item if isinstance(item, Mapping) else {name: item}
        if given is item and not any(key in item for key in self.element.keys(name)):
            # An element may name its parts without repeating the list's name: {"digits": "1"}.
            given = {f"{name}_{key}": value for key, value in item.items()}
        return self.element.encode(given, name)

    def describe(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": self.element.describe(),
            "min_items": self.lowest,
            "max_items": self.highest,
        }


class Containing(Type):
    """OCTET STRING whose octets are the BER of another type: a nested dict; X_hex has the octets.

    The octets of a SEQUENCE are its whole TLV; a CHOICE has no tag of its own.
    """

    tag = 0x04
    suffixes = ("", "_hex")

    def __init__(self, inner: Structure) -> None:
        self.inner = inner

    def for_variant(self, variant: str) -> Type:
        inner = self.inner.for_variant(variant)
        assert isinstance(inner, Structure)
        return Containing(inner)

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        since = len(notes)
        inner = decode_part(self.inner, octets, start, stop, notes)
        out[name] = inner
        out[name + "_hex"] = octets[start:stop].hex()
        if len(notes) > since:
            prefix_notes(notes, since, name)

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        if args.get(name) is None or isinstance(args[name], str):
            given = given_octets(args, name)
            if given is None:
                raise LocalProtocolError("must be given as an object or as _hex", path=name)
            return given
        given = args[name]
        if not isinstance(given, Mapping):
            raise LocalProtocolError("must be an object", path=name)
        try:
            return encode_value(self.inner, given)
        except LocalProtocolError as error:
            path = f"{name}.{error.path}" if error.path else name
            raise LocalProtocolError(error.text, path=path) from None

    def describe(self) -> dict[str, Any]:
        return self.inner.describe()


class ByVariant(Type):
    """A type that differs by protocol variant; resolved by for_variant before any use."""

    def __init__(self, choices: Mapping[frozenset[str], Type]) -> None:
        self.choices = dict(choices)

    def for_variant(self, variant: str) -> Type:
        for variants, type_ in self.choices.items():
            if variant in variants:
                return type_.for_variant(variant)
        raise KeyError(variant)

    def describe(self) -> dict[str, Any]:
        return {
            "type": "by variant",
            "choices": [
                {"variants": sorted(variants), **type_.describe()}
                for variants, type_ in self.choices.items()
            ],
        }

    def keys(self, name: str) -> list[str]:
        found = dict.fromkeys(key for type_ in self.choices.values() for key in type_.keys(name))
        return list(found)
