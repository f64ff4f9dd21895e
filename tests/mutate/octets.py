"""Mutants of an SCP's messages: their octets are damaged on the way to the tester.

The definition compares all that is received, so that missing parts are noticed. A mutant is the
number of the message, the place of an element in it, and the change of this element.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

Path = tuple[int, ...]
_TRANSACTION_IDS = (0x48, 0x49)
_COMPONENTS = 0x6C
_ANY_INVOKE = 0xA1


@dataclass
class Element:
    """A BER element with one or more tag octets and a definite length."""

    tag: bytes
    content: bytes
    children: "list[Element] | None"

    def octets(self) -> bytes:
        content = self.content
        if self.children is not None:
            content = b"".join(one.octets() for one in self.children)
        return self.tag + _length(len(content)) + content


def _length(size: int) -> bytes:
    if size < 0x80:
        return bytes([size])
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def parse(octets: bytes) -> list[Element]:
    """Return the elements in octets. Errors: ValueError if the octets are not BER elements."""
    found = []
    at = 0
    while at < len(octets):
        start = at
        at += 1
        if octets[start] & 0x1F == 0x1F:
            while octets[at] & 0x80:
                at += 1
            at += 1
        tag = octets[start:at]
        size = octets[at]
        at += 1
        if size & 0x80:
            count = size & 0x7F
            size = int.from_bytes(octets[at : at + count], "big")
            at += count
        content = octets[at : at + size]
        if len(content) != size:
            raise ValueError("an element ends beyond its octets")
        at += size
        found.append(Element(tag, content, parse(content) if tag[0] & 0x20 else None))
    return found


def destination(octets: bytes) -> bytes:
    """Return the destination transaction id of a message; empty if it has none."""
    return _transaction(octets, b"\x49")


def origin(octets: bytes) -> bytes:
    """Return the originating transaction id of a message; empty if it has none."""
    return _transaction(octets, b"\x48")


def _transaction(octets: bytes, tag: bytes) -> bytes:
    (root,) = parse(octets)
    ids = [one.content for one in root.children or () if one.tag == tag]
    return ids[0] if ids else b""


@dataclass(frozen=True)
class Deviation:
    """A change of the message with this number at this place."""

    message: int
    path: Path
    operator: str

    @property
    def name(self) -> str:
        where = ".".join(map(str, self.path))
        return f"message{self.message}/{where}/{self.operator}"

    def apply(self, octets: bytes) -> bytes:
        """Return the changed octets of the message."""
        top = parse(octets)
        siblings, at = top, 0
        for step in self.path:
            inner = siblings[at].children
            assert inner is not None
            siblings, at = inner, step
        _OPERATORS[self.operator](siblings, at)
        return b"".join(one.octets() for one in top)


def _raw(octets: bytes) -> Element:
    """Return an element that writes these octets unchanged."""
    made = Element(b"", b"", None)
    made.octets = lambda: octets  # type: ignore[method-assign]
    return made


def _drop(siblings: list[Element], at: int) -> None:
    del siblings[at]


def _double(siblings: list[Element], at: int) -> None:
    siblings.insert(at, siblings[at])


def _tag(siblings: list[Element], at: int) -> None:
    one = siblings[at]
    siblings[at] = Element(bytes([one.tag[0] ^ 0x15]) + one.tag[1:], one.content, one.children)


def _class(siblings: list[Element], at: int) -> None:
    one = siblings[at]
    siblings[at] = Element(bytes([one.tag[0] ^ 0x40]) + one.tag[1:], one.content, one.children)


def _past(siblings: list[Element], at: int) -> None:
    octets = bytearray(siblings[at].octets())
    place = len(siblings[at].tag)
    if octets[place] >= 0x7F:
        octets[place + (octets[place] & 0x7F)] ^= 0x40
    else:
        octets[place] += 1
    siblings[at] = _raw(bytes(octets))


def _extra(siblings: list[Element], at: int) -> None:
    one = siblings[at]
    inner = (
        b"".join(map(Element.octets, one.children)) if one.children is not None else one.content
    )
    siblings[at] = _raw(one.tag + _length(len(inner) + 1) + inner + b"\x85")


def _empty(siblings: list[Element], at: int) -> None:
    siblings[at] = Element(siblings[at].tag, b"", None)


def _bit(siblings: list[Element], at: int) -> None:
    one = siblings[at]
    # A BOOLEAN is true with any bit: all bits are inverted.
    turned = 0xFF if one.content == b"\xff" else 1
    changed = one.content[:-1] + bytes([one.content[-1] ^ turned])
    siblings[at] = Element(one.tag, changed, None)


def _linked(siblings: list[Element], at: int) -> None:
    inner = siblings[at].children
    assert inner is not None
    inner.insert(1, Element(b"\x80", b"\x63", None))


def _first_id(siblings: list[Element], at: int) -> None:
    first, own = siblings[0].children, siblings[at].children
    assert first is not None
    assert own is not None
    own[0] = first[0]


def _swap(siblings: list[Element], at: int) -> None:
    siblings[at], siblings[at + 1] = siblings[at + 1], siblings[at]


_OPERATORS: dict[str, Callable[[list[Element], int], None]] = {
    "drop": _drop,
    "double": _double,
    "tag": _tag,
    "class": _class,
    "past the end": _past,
    "extra octet": _extra,
    "empty": _empty,
    "bit": _bit,
    "linked": _linked,
    "first id": _first_id,
    "swap": _swap,
}


def deviations(number: int, octets: bytes) -> Iterator[Deviation]:
    """Yield the possible changes of a message of an SCP, with its number in the dialogue."""
    (root,) = parse(octets)
    for operator in ("tag", "past the end", "extra octet", "empty"):
        yield Deviation(number, (), operator)
    yield from _inside(number, root, (), b"")


def _inside(number: int, element: Element, path: Path, above: bytes) -> Iterator[Deviation]:
    children = element.children or []
    for at, one in enumerate(children):
        here = (*path, at)
        tags = above + element.tag + one.tag
        for operator in _operators(one, tags, len(children) - 1 - at, at):
            yield Deviation(number, here, operator)
        yield from _inside(number, one, here, above + element.tag)


def _operators(one: Element, tags: bytes, after: int, at: int) -> Iterator[str]:
    parent = tags[-2] if len(tags) > 1 else 0
    if parent in (0x60, 0x61) and one.tag[0] == 0x80 and _COMPONENTS not in tags:
        # The protocol version: it has a default, and later versions may have more bits.
        yield from ("double", "tag", "class", "past the end", "empty")
        return
    yield "drop"
    yield "double"
    yield "tag"
    yield "class"
    yield "past the end"
    yield "extra octet"
    if one.content:
        yield "empty"
    is_identity = one.tag[0] in _TRANSACTION_IDS or (
        # The SCP may choose any invoke id for an operation that is not answered.
        parent == _ANY_INVOKE and _COMPONENTS in tags and at == 0
    )
    if one.children is None and one.content and not is_identity:
        yield "bit"
    if one.tag[0] == _ANY_INVOKE and parent == _COMPONENTS:
        yield "linked"
        if at:
            yield "first id"
        if after:
            yield "swap"
