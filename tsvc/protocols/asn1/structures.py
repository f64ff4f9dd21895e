"""SEQUENCE and CHOICE: tables of members by tag and by key.

A structure is declared once for all variants; for_variant() makes a structure of the members that
a variant has. Decoding iterates over the TLVs of the contents: the tag selects the member, whose
type writes its keys into the dict; TLVs without a member are kept in `_unknown`. Encoding finds
the members for a set of keys, in their order (a plan, cached by the keys). Then it joins the
octets that their types encode.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sized
from dataclasses import replace
from math import inf
from typing import Any

from tsvc import turns
from tsvc.errors import LocalProtocolError, RemoteProtocolError, as_value
from tsvc.memo import Memo
from tsvc.protocols import ber
from tsvc.protocols.asn1.base import Note, Notes, Tree, Type, hex_octets, prefix_notes
from tsvc.protocols.asn1.leaves import Null
from tsvc.values import dataclass


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a SEQUENCE or an alternative of a CHOICE.

    `number` is the context tag [n]; None = the type's own universal tag. A CHOICE with a context
    tag is EXPLICIT: constructed, with the alternative's TLV as contents.
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


# Decode puts the contents between two offsets into a dict. Encode returns the contents for a dict;
# None: the member is not sent.
Decode = Callable[[bytes, int, int, Tree, str, Notes], None]
Encode = Callable[[Mapping[str, Any], str], bytes | None]
IsOpen = Callable[[Any], bool]  # returns True if a value is not known yet
# A member for decoding: its bit among its peers, name, function. A member for encoding: name,
# identifier octets unless untagged, function.
_Reader = tuple[int, str, Decode]
_Writer = tuple[str, bytes | None, Encode]
_PLANS = 256  # sets of keys for which a structure caches the plan
_VARIANTS = 16  # more than a protocol has


def _reader_of(member: Member, position: int, tag: int) -> _Reader:
    type_ = member.type
    if member.number is not None or not isinstance(type_, Choice):
        return 1 << position, member.name, type_.decode
    choice = type_

    def decode_alternative(
        octets: bytes, at: int, end: int, out: Tree, name: str, notes: Notes
    ) -> None:
        """Decode the alternative of an untagged CHOICE, which has its own tag."""
        inner: Tree = {}
        out[name] = inner
        since = len(notes)
        choice.decode_one(octets, tag, at, end, inner, notes)
        prefix_notes(notes, since, name)

    return 1 << position, member.name, decode_alternative


def _encode_null(args: Mapping[str, Any], name: str) -> bytes | None:
    """Return the contents of a NULL, None if its value is false and it is not sent."""
    if args.get(name) in (0, "0", "", False):
        return None
    return _NULL.encode(args, name)


_NULL = Null()


def _writer_of(member: Member) -> _Writer:
    tag = member.tag
    encode: Encode = _encode_null if isinstance(member.type, Null) else member.type.encode
    return member.name, None if tag is None else ber.tag_octets(tag), encode


class Structure(Type):
    """The base of SEQUENCE and CHOICE: a table of members by tag and by key."""

    is_constructed = True
    suffixes = ("", "_hex")
    noun = "member"
    is_extensible = True  # a TLV that is not in the table may come from a later version

    def __init__(self, *members: Member) -> None:
        self.members = members
        self._variants: Memo[str, Type] = Memo("variants of a structure", _VARIANTS)
        self._by_tag: dict[int, _Reader] = {}
        self._index: dict[str, int] = {}
        self._plans: Memo[tuple[str, ...], list[_Writer]] = Memo("sets of members", _PLANS)
        self._known_plan = self._plans.get
        self._writers = [_writer_of(member) for member in members]
        for position, member in enumerate(members):
            for tag in tags_of(member):
                self._by_tag.setdefault(tag, _reader_of(member, position, tag))
            for key in member.type.keys(member.name):
                self._index.setdefault(key, position)

    def for_variant(self, variant: str) -> Type:
        known = self._variants.get(variant)
        if known is not None:
            return known
        found = type(self)(*_members_in(self.members, variant))
        found._variants[variant] = found
        self._variants[variant] = found
        return found

    def known_keys(self) -> list[str]:
        """Return every key that may be in this structure's dict."""
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
        reader = self._by_tag.get(tag)
        if reader is None:
            self._keep_unknown(octets, (tag, at, end), 0, out, notes)
        else:
            reader[2](octets, at, end, out, reader[1], notes)

    def _keep_unknown(
        self,
        octets: bytes,
        tlv: ber.Tlv,
        place: int,
        out: Tree,
        notes: Notes,
        text: str | None = None,
    ) -> None:
        """Keep a TLV that is not in the table; `place` is its position among its peers."""
        tag, at, end = tlv
        is_tolerable = False
        if text is None:
            other = self._by_tag.get(ber.other_form(tag))
            if other is not None:
                form = "primitive" if ber.is_constructed(tag) else "constructed"
                text = f"{other[1]} must be {form}"
            elif ber.is_writable(tag):
                text = f"unknown {self.noun}, tag {tag:x}"
                is_tolerable = self.is_extensible
            else:
                text = f"tag {tag:02x} that nothing may have"
        notes.append(Note("", at, text, is_tolerable))
        out.setdefault("_unknown", []).append(
            {"tag": f"{tag:02x}", "hex": octets[at:end].hex(), "at": place}
        )

    def encode_members(self, args: Mapping[str, Any]) -> bytes:
        """Return the TLVs of all members that `args` gives, in the declared order."""
        raw = args.get("_hex")
        if raw is not None:
            return hex_octets(raw, "_hex")
        if None in args.values():
            args = {key: value for key, value in args.items() if value is not None}
        parts: list[bytes] = []
        for name, tag, encode in self._known_plan(tuple(args)) or self._plan(args):
            contents = encode(args, name)
            if contents is None:
                parts.append(b"")
            else:
                parts.append(contents if tag is None else ber.tlv(tag, contents))
        for item in args.get("_unknown", ()):
            place = item.get("at", len(parts))
            parts.insert(place, _unknown_octets(item))
        return b"".join(parts)

    def _plan(self, args: Mapping[str, Any]) -> list[_Writer]:
        """Return the writers of the members that these keys give, in the declared order.

        The keys of a message are the same in every call, so they are checked only once.
        """
        given: set[int] = set()
        for key in args:
            position = self._index.get(key)
            if position is not None:
                given.add(position)
            elif not key.startswith("_"):
                raise LocalProtocolError("no such member", path=key)
        plan = [self._writers[position] for position in sorted(given)]
        if args.get("_unknown"):
            # Octets that were kept as unknown may be the members that seem to be missing.
            return plan
        self._check_given(given)
        if "_unknown" not in args:
            self._plans[tuple(args)] = plan
        return plan

    def _check_given(self, given: set[int]) -> None:
        """Raise LocalProtocolError if the given members are not a valid combination."""

    def faults(
        self,
        args: Mapping[str, Any],
        is_open: IsOpen,
        *,
        is_whole: bool = True,
        doubts: list[LocalProtocolError] | None = None,
    ) -> list[LocalProtocolError]:
        """Return all errors that prevent the encoding of members, with their paths.

        Values that are not known yet (is_open() is true) are assumed to be right.
        is_whole: `args` has all members, so that missing ones are errors.
        doubts: receives values that can be encoded but are not allowed, such as too many octets.
        """
        if args.get("_hex") is not None or args.get("_unknown"):
            return []
        if type(self).encode_members is not Structure.encode_members:  # members depend on others
            if not is_whole or _holds(args, is_open):
                return []
            errors = _faults(lambda: self.encode_members(args))
            if doubts is not None and not errors:
                octets = self.encode_members(args)
                notes: Notes = []
                self.decode_members(octets, 0, len(octets), {}, notes)
                doubts += (LocalProtocolError(note.text, path=note.path) for note in notes)
            return errors
        given: dict[int, dict[str, Any]] = {}
        is_misspelt = False  # then a member that seems to be missing may only be misspelt
        for key, value in args.items():
            position = self._index.get(key)
            if position is None:
                is_misspelt = is_misspelt or not key.startswith("_")
            elif value is not None:
                given.setdefault(position, {})[key] = value
        found: list[LocalProtocolError] = []
        for position, values in sorted(given.items()):
            found += self._faults_of(self.members[position], values, is_open, doubts)
        if is_misspelt or not is_whole:
            return found
        return found + _faults(lambda: self._check_given(set(given)))

    def _faults_of(
        self,
        member: Member,
        values: Mapping[str, Any],
        is_open: IsOpen,
        doubts: list[LocalProtocolError] | None,
    ) -> list[LocalProtocolError]:
        name, value = member.name, values.get(member.name)
        element = getattr(member.type, "element", None)
        below: list[tuple[str, Structure, Any]] = []
        if isinstance(member.type, Structure) and isinstance(value, Mapping):
            below = [(name, member.type, value)]
        elif isinstance(element, Structure) and isinstance(value, list):
            items = enumerate(value)
            below = [(f"{name}[{at}]", element, one) for at, one in items if not is_open(one)]
        if not below or not all(isinstance(one, Mapping) for _, _, one in below):
            if _holds(values, is_open):
                return []
            found = _faults(lambda: member.type.encode(values, name))
            if doubts is not None and not found:
                doubts += _doubts(member, values)
            return found
        if doubts is not None and isinstance(value, list):
            doubts += (LocalProtocolError(text, path=name) for text in _wrong_count(member, value))
        found = []
        for path, structure, one in below:
            inner: list[LocalProtocolError] | None = None if doubts is None else []
            errors = structure.faults(one, is_open, doubts=inner)
            found += _below(path, errors)
            if doubts is not None and inner:
                doubts += _below(path, inner)
        return found

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
            "type": "choice" if isinstance(self, Choice) else "sequence",
            "members": {
                member.name: {
                    **member.type.describe(),
                    "required": member.is_required,
                    "keys": member.type.keys(member.name),
                    **({"variants": sorted(member.only)} if member.only else {}),
                }
                for member in self.members
            },
        }


def tags_of(member: Member) -> list[int]:
    """Return the tags that a member may have; for an untagged CHOICE those of its members."""
    tag = member.tag
    if tag is not None:
        return [tag]
    if isinstance(member.type, Choice):
        return [tag for inner in member.type.members for tag in tags_of(inner)]
    return []


def _faults(attempt: Callable[[], object]) -> list[LocalProtocolError]:
    try:
        attempt()
    except LocalProtocolError as error:
        return [as_value(error)]
    return []


def _below(path: str, errors: list[LocalProtocolError]) -> Iterator[LocalProtocolError]:
    for error in turns.over(errors):
        yield LocalProtocolError(error.text, path=f"{path}.{error.path}" if error.path else path)


def _doubts(member: Member, values: Mapping[str, Any]) -> Iterator[LocalProtocolError]:
    """Yield what a receiver would find wrong with the octets of a member that can be encoded."""
    name, type_ = member.name, member.type
    is_raw = type_.is_raw_any and values.get(f"{name}_hex") is not None
    if is_raw or isinstance(type_, Structure | Null):
        return
    octets = type_.encode(values, name)
    notes: Notes = []
    type_.decode(octets, 0, len(octets), {}, name, notes)
    for note in notes:
        path = next(iter(values)) if note.path == name and len(values) == 1 else note.path
        yield LocalProtocolError(note.text, path=path)


def _wrong_count(member: Member, items: Sized) -> Iterator[str]:
    lowest, highest = getattr(member.type, "lowest", 0), getattr(member.type, "highest", inf)
    if not lowest <= len(items) <= highest:
        yield f"{len(items)} elements, not {lowest}..{highest}"


def _holds(value: Any, is_open: IsOpen) -> bool:
    """Return True if any part of a value is not known yet."""
    turns.walked()
    if isinstance(value, Mapping):
        return any(_holds(one, is_open) for one in value.values())
    if isinstance(value, list):
        return any(_holds(one, is_open) for one in value)
    return is_open(value)


def _unknown_octets(item: Mapping[str, Any]) -> bytes:
    tag = hex_octets(item.get("tag"), "_unknown.tag")
    return ber.tlv(tag, hex_octets(item.get("hex"), "_unknown.hex"))


class Sequence(Structure):
    """SEQUENCE or SET: a dict of members."""

    tag = 0x30

    def __init__(self, *members: Member) -> None:
        super().__init__(*members)
        self._required = [
            position for position, member in enumerate(members) if member.is_required
        ]
        self._required_bits = sum(1 << position for position in self._required)

    def _decode_found(
        self, octets: bytes, start: int, found: list[ber.Tlv], out: Tree, notes: Notes
    ) -> None:
        by_tag = self._by_tag
        done = 0  # bits of the members seen; the bit of the next in order is greater than all
        for place, tlv in enumerate(found):
            reader = by_tag.get(tlv[0])
            if reader is None:
                self._keep_unknown(octets, tlv, place, out, notes)
                continue
            bit, name, decode = reader
            if bit <= done:
                if bit & done:
                    text = f"{name} occurs again"
                    self._keep_unknown(octets, tlv, place, out, notes, text)
                    continue
                notes.append(Note(name, tlv[1], "is out of order"))
            done |= bit
            decode(octets, tlv[1], tlv[2], out, name, notes)
        if done & self._required_bits != self._required_bits:
            self._note_missing(done, start, notes)

    def _note_missing(self, done: int, start: int, notes: Notes) -> None:
        for position in self._required:
            if not done >> position & 1:
                name = self.members[position].name
                notes.append(Note(name, start, "mandatory member is missing"))

    def _check_given(self, given: set[int]) -> None:
        for position in self._required:
            if position not in given:
                raise LocalProtocolError("is mandatory", path=self.members[position].name)


class Choice(Structure):
    """CHOICE: a dict with exactly one alternative."""

    tag = None
    noun = "alternative"
    is_extensible = False  # an unknown alternative leaves no value that could be used

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


def decode_part(type_: Structure, octets: bytes, start: int, stop: int, notes: Notes) -> Tree:
    """Decode the only TLV of a structure type, which should fill start..stop, into a dict.

    If it can't be read, all octets are in `_hex`; octets after the TLV are in `_trailing_hex`.
    """
    out: Tree = {}
    if type_.tag is None:
        type_.decode_members(octets, start, stop, out, notes)
        return out
    try:
        tag, at, end, after = ber.read(octets, start, stop)
    except RemoteProtocolError as error:
        notes.append(Note("", error.offset or start, error.text))
        return {"_hex": octets[start:stop].hex()}
    if tag != type_.tag:
        notes.append(Note("", start, f"tag {tag:x} where {type_.tag:x} is due"))
        return {"_hex": octets[start:stop].hex()}
    type_.decode_members(octets, at, end, out, notes)
    if "_hex" in out:
        return {"_hex": octets[start:stop].hex()}
    if after != stop:
        notes.append(Note("", after, f"{stop - after} octets after the value"))
        out["_trailing_hex"] = octets[after:stop].hex()
    return out


def decode_value(type_: Type, octets: bytes, notes: Notes) -> Tree:
    """Decode one whole TLV (an argument or result) of a structure type into a dict."""
    assert isinstance(type_, Structure)
    return decode_part(type_, octets, 0, len(octets), notes)


def encode_value(type_: Type, args: Mapping[str, Any]) -> bytes:
    """Encode a dict as one whole TLV of a structure type; `_hex` has the whole TLV."""
    assert isinstance(type_, Structure)
    if args.get("_hex") is not None:
        return hex_octets(args["_hex"], "_hex")
    contents = type_.encode_members(args)
    if type_.tag is None:
        return contents
    trailing = args.get("_trailing_hex")
    value = ber.tlv(ber.tag_octets(type_.tag), contents)
    return value if trailing is None else value + hex_octets(trailing, "_trailing_hex")
