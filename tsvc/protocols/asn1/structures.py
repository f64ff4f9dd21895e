"""SEQUENCE and CHOICE: tables of members by tag and by key."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.asn1.base import Note, Notes, Tree, Type, hex_octets, prefix_notes
from tsvc.protocols.asn1.leaves import Null


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a SEQUENCE or an alternative of a CHOICE.

    `number` is the context tag [n]; None = the type's own universal tag. A CHOICE behind a
    context tag is EXPLICIT: constructed, with the alternative's TLV as contents.
    """

    name: str
    number: int | None
    type: Type
    is_required: bool = False
    only: frozenset[str] | None = None

    @property
    def tag(self) -> int | None:
        """Identifier octets on the wire, None for an untagged CHOICE."""
        if self.number is None:
            return self.type.tag
        return ber.context_tag(self.number, constructed=self.type.is_constructed)


def m(
    name: str,
    number: int | None,
    type_: Type,
    *,
    required: bool = False,
    only: frozenset[str] | None = None,
) -> Member:
    """Declare a member: name, context tag number, type."""
    return Member(name, number, type_, required, only)


def _members_in(members: Iterable[Member], variant: str) -> tuple[Member, ...]:
    return tuple(
        replace(member, type=member.type.for_variant(variant), only=None)
        for member in members
        if member.only is None or variant in member.only
    )


class Structure(Type):
    """What SEQUENCE and CHOICE share: a table of members by tag and by key."""

    is_constructed = True
    suffixes = ("", "_hex")

    def __init__(self, *members: Member) -> None:
        self.members = members
        self._variants: dict[str, Type] = {}
        self._by_tag: dict[int, int] = {}
        self._index: dict[str, int] = {}
        for position, member in enumerate(members):
            for tag in _tags_of(member):
                self._by_tag.setdefault(tag, position)
            for key in member.type.keys(member.name):
                self._index.setdefault(key, position)

    def for_variant(self, variant: str) -> Type:
        made = self._variants.get(variant)
        if made is None:
            made = type(self)(*_members_in(self.members, variant))
            made._variants[variant] = made
            self._variants[variant] = made
        return made

    def known_keys(self) -> list[str]:
        """Return every key that may stand in this structure's dict."""
        return list(self._index)

    def member_of(self, key: str) -> Member | None:
        """Return the member to which a key belongs."""
        index = self._index.get(key)
        return None if index is None else self.members[index]

    def decode(
        self, octets: bytes, start: int, stop: int, out: Tree, name: str, notes: Notes
    ) -> None:
        inner: Tree = {}
        out[name] = inner
        since = len(notes)
        self.decode_members(octets, start, stop, inner, notes)
        if len(notes) > since:
            prefix_notes(notes, since, name)
            if "_unknown" in inner or not inner:
                out[name + "_hex"] = octets[start:stop].hex()

    def decode_members(
        self, octets: bytes, start: int, stop: int, out: Tree, notes: Notes
    ) -> None:
        """Decode the TLVs between start and stop into `out`."""
        try:
            found = ber.walk(octets, start, stop)
        except RemoteProtocolError as error:
            notes.append(Note("", start if error.offset is None else error.offset, error.text))
            out["_hex"] = octets[start:stop].hex()
            return
        self._decode_found(octets, start, found, out, notes)

    def _decode_found(
        self, octets: bytes, start: int, found: list[ber.Tlv], out: Tree, notes: Notes
    ) -> None:
        raise NotImplementedError

    def decode_one(
        self, octets: bytes, tag: int, at: int, end: int, out: Tree, notes: Notes
    ) -> None:
        """Decode one TLV, contents between at and end, into `out`."""
        position = self._by_tag.get(tag)
        if position is None:
            self._keep_unknown(octets, (tag, at, end), 0, out, notes)
        else:
            self._decode_member(position, octets, (tag, at, end), out, notes)

    def _decode_member(
        self, position: int, octets: bytes, tlv: ber.Tlv, out: Tree, notes: Notes
    ) -> None:
        member = self.members[position]
        tag, at, end = tlv
        if member.number is None and isinstance(member.type, Choice):
            inner: Tree = {}
            out[member.name] = inner
            since = len(notes)
            member.type.decode_one(octets, tag, at, end, inner, notes)
            prefix_notes(notes, since, member.name)
        else:
            member.type.decode(octets, at, end, out, member.name, notes)

    def _keep_unknown(
        self,
        octets: bytes,
        tlv: ber.Tlv,
        place: int,
        out: Tree,
        notes: Notes,
        text: str | None = None,
    ) -> None:
        """Keep a TLV that has no place in the table; `place` is its position among its peers."""
        tag, at, end = tlv
        if text is None:
            text = f"unknown member, tag {tag:x}"
            other = self._by_tag.get(ber.other_form(tag))
            if other is not None:
                form = "primitive" if ber.is_constructed(tag) else "constructed"
                text = f"{self.members[other].name} must be {form}"
        notes.append(Note("", at, text))
        out.setdefault("_unknown", []).append(
            {"tag": f"{tag:x}", "hex": octets[at:end].hex(), "at": place}
        )

    def encode_members(self, args: Mapping[str, Any]) -> bytes:
        """Return the TLVs of all members that `args` gives, in the declared order."""
        raw = args.get("_hex")
        if raw is not None:
            return hex_octets(raw, "_hex")
        index = self._index
        wanted: set[int] = set()
        unknown: Any = None
        for key, value in args.items():
            position = index.get(key)
            if position is not None:
                if value is not None:
                    wanted.add(position)
            elif key == "_unknown":
                unknown = value
            elif not key.startswith("_"):
                raise LocalProtocolError("no such member", path=key)
        if not unknown:
            # Octets that were kept as unknown may stand for whatever is missing.
            self._check_given(wanted)
        parts = [encode_member(self.members[position], args) for position in sorted(wanted)]
        for item in unknown or ():
            place = item.get("at", len(parts))
            parts.insert(place, _unknown_octets(item))
        return b"".join(parts)

    def _check_given(self, given: set[int]) -> None:
        """Raise LocalProtocolError if the members given can't stand together."""

    def encode(self, args: Mapping[str, Any], name: str) -> bytes:
        value = args.get(name)
        if value is None:
            return hex_octets(args.get(name + "_hex"), name + "_hex")
        if not isinstance(value, Mapping):
            raise LocalProtocolError("must be an object", path=name)
        try:
            return self.encode_members(value)
        except LocalProtocolError as error:
            path = f"{name}.{error.path}" if error.path else name
            raise LocalProtocolError(error.text, path=path) from None

    def describe(self) -> dict[str, Any]:
        return {
            "type": type(self).__name__.lower(),
            "members": {
                member.name: {
                    **member.type.describe(),
                    "required": member.is_required,
                    "keys": member.type.keys(member.name),
                }
                for member in self.members
            },
        }


def _tags_of(member: Member) -> list[int]:
    tag = member.tag
    if tag is not None:
        return [tag]
    if isinstance(member.type, Choice):
        return [tag for inner in member.type.members for tag in _tags_of(inner)]
    return []


def encode_member(member: Member, args: Mapping[str, Any]) -> bytes:
    """Return the TLV of one member."""
    type_ = member.type
    if isinstance(type_, Null) and args.get(member.name) in (0, "0", "", False):
        return b""
    contents = type_.encode(args, member.name)
    tag = member.tag
    return contents if tag is None else ber.tlv(ber.tag_octets(tag), contents)


def _unknown_octets(item: Mapping[str, Any]) -> bytes:
    tag = hex_octets(item.get("tag"), "_unknown.tag")
    return ber.tlv(tag, hex_octets(item.get("hex"), "_unknown.hex"))


class Sequence(Structure):
    """SEQUENCE or SET: a dict of members."""

    tag = 0x30

    def __init__(self, *members: Member) -> None:
        super().__init__(*members)
        self._required = tuple(
            position for position, member in enumerate(members) if member.is_required
        )

    def _decode_found(
        self, octets: bytes, start: int, found: list[ber.Tlv], out: Tree, notes: Notes
    ) -> None:
        by_tag = self._by_tag
        last = -1
        done: set[int] = set()
        for place, tlv in enumerate(found):
            position = by_tag.get(tlv[0])
            if position is None:
                self._keep_unknown(octets, tlv, place, out, notes)
                continue
            if position > last:
                last = position
            elif position in done:
                text = f"{self.members[position].name} occurs again"
                self._keep_unknown(octets, tlv, place, out, notes, text)
                continue
            else:
                notes.append(Note(self.members[position].name, tlv[1], "is out of order"))
            done.add(position)
            self._decode_member(position, octets, tlv, out, notes)
        for position in self._required:
            if position not in done:
                notes.append(
                    Note(self.members[position].name, start, "mandatory member is missing")
                )

    def _check_given(self, given: set[int]) -> None:
        for position in self._required:
            if position not in given:
                raise LocalProtocolError("is mandatory", path=self.members[position].name)


class Choice(Structure):
    """CHOICE: a dict with exactly one alternative."""

    tag = None

    def _decode_found(
        self, octets: bytes, start: int, found: list[ber.Tlv], out: Tree, notes: Notes
    ) -> None:
        if not found:
            notes.append(Note("", start, "holds no alternative"))
            return
        tag, at, end = found[0]
        self.decode_one(octets, tag, at, end, out, notes)
        for place, tlv in enumerate(found[1:], start=1):
            text = "a second alternative, or something after the value"
            self._keep_unknown(octets, tlv, place, out, notes, text)

    def _check_given(self, given: set[int]) -> None:
        if len(given) == 1:
            return
        names = [self.members[position].name for position in sorted(given)]
        if names:
            raise LocalProtocolError(f"{' and '.join(names)} exclude one another")
        known = ", ".join(member.name for member in self.members)
        raise LocalProtocolError(f"one of {known} is needed")


def decode_value(type_: Type, octets: bytes, notes: Notes) -> Tree:
    """Decode one whole TLV (an argument or result) of a structure type into a dict.

    What can't be read at all stays in `_hex`, the whole TLV; what follows in `_trailing_hex`.
    """
    assert isinstance(type_, Structure)
    out: Tree = {}
    if type_.tag is None:
        type_.decode_members(octets, 0, len(octets), out, notes)
        return out
    try:
        tag, start, stop, end = ber.read(octets, 0, len(octets))
    except RemoteProtocolError as error:
        notes.append(Note("", error.offset or 0, error.text))
        return {"_hex": octets.hex()}
    if tag != type_.tag:
        notes.append(Note("", 0, f"tag {tag:x} where {type_.tag:x} is due"))
        return {"_hex": octets.hex()}
    type_.decode_members(octets, start, stop, out, notes)
    if "_hex" in out:
        return {"_hex": octets.hex()}
    if end != len(octets):
        notes.append(Note("", end, f"{len(octets) - end} octets after the value"))
        out["_trailing_hex"] = octets[end:].hex()
    return out


def encode_value(type_: Type, args: Mapping[str, Any]) -> bytes:
    """Encode a dict as one whole TLV of a structure type; `_hex` stands for all of it."""
    assert isinstance(type_, Structure)
    if args.get("_hex") is not None:
        return hex_octets(args["_hex"], "_hex")
    contents = type_.encode_members(args)
    if type_.tag is None:
        return contents
    trailing = args.get("_trailing_hex")
    value = ber.tlv(ber.tag_octets(type_.tag), contents)
    return value if trailing is None else value + hex_octets(trailing, "_trailing_hex")
