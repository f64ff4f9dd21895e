"""Positions of the members of a value in its octets, for display.

It iterates over the TLVs by the same tables as decoding, but without values. It is separate from
decoding, so that calls have no cost from it.
"""

from collections.abc import Iterator

from tsvc.protocols import ber
from tsvc.protocols.asn1.base import Type
from tsvc.protocols.asn1.collections import Containing, SequenceOf
from tsvc.protocols.asn1.structures import Choice, Member, Structure, tags_of

Span = tuple[str, int, int]  # path in the decoded tree, first octet and number of the contents


def part_spans(
    type_: Structure, octets: bytes, start: int, stop: int, path: str
) -> Iterator[Span]:
    """Yield the spans of members in the TLV of a structure at start..stop, outer ones first.

    A member's path is its name; in the decoded tree its keys may have suffixes (`_digits`).
    Errors: RemoteProtocolError where octets can't be read, after the spans before them.
    """
    if type_.tag is not None:
        tag, start, stop, _ = ber.read(octets, start, stop)
        if tag != type_.tag:
            return
    yield from _members(type_, octets, start, stop, path)


def _members(type_: Structure, octets: bytes, start: int, stop: int, path: str) -> Iterator[Span]:
    by_tag: dict[int, Member] = {}
    for member in type_.members:
        for tag in tags_of(member):
            by_tag.setdefault(tag, member)
    unknown = 0
    seen = set()
    for tag, at, end in ber.walk(octets, start, stop):
        found = by_tag.get(tag)
        if found is None or found.name in seen:
            yield f"{path}._unknown[{unknown}]", at, end - at
            unknown += 1
            continue
        seen.add(found.name)
        below = f"{path}.{found.name}"
        yield below, at, end - at
        if found.number is None and isinstance(found.type, Choice):
            yield from _alternative(found.type, octets, (tag, at, end), below)
        else:
            yield from _inside(found.type, octets, at, end, below)


def _alternative(type_: Choice, octets: bytes, tlv: ber.Tlv, path: str) -> Iterator[Span]:
    """Yield the spans of the alternative of an untagged CHOICE, which has its own tag."""
    tag, at, end = tlv
    for member in type_.members:
        if tag in tags_of(member):
            below = f"{path}.{member.name}"
            yield below, at, end - at
            yield from _inside(member.type, octets, at, end, below)
            return


def _inside(type_: Type, octets: bytes, at: int, end: int, path: str) -> Iterator[Span]:
    """Yield the spans of the parts of contents."""
    if isinstance(type_, Structure):
        yield from _members(type_, octets, at, end, path)
    elif isinstance(type_, Containing):
        yield from part_spans(type_.inner, octets, at, end, path)
    elif isinstance(type_, SequenceOf):
        element = type_.element
        for position, tlv in enumerate(ber.walk(octets, at, end)):
            below = f"{path}[{position}]"
            yield below, tlv[1], tlv[2] - tlv[1]
            if isinstance(element, Choice):
                yield from _alternative(element, octets, tlv, below)
            else:
                yield from _inside(element, octets, tlv[1], tlv[2], below)
