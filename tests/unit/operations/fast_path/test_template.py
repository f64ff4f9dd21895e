"""Templates: filled with values of any length, they give the same octets as encoding."""

from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples

from tsvc.operations.fast_path.template import LengthField, Slot, Template
from tsvc.protocols import ber

FUZZ = settings(max_examples=examples(200), deadline=None)
# Around the values at which the encoding of a length becomes longer.
LENGTHS = st.one_of(st.integers(1, 5), st.sampled_from([126, 127, 128, 254, 255, 256, 65536]))
OCTETS = st.builds(lambda length, octet: bytes((octet,)) * length, LENGTHS, st.integers(0, 255))
PRIMITIVE = st.sampled_from([b"\x04", b"\x80", b"\x9f\x32", b"\xdf\x81\x01"])
CONSTRUCTED = st.sampled_from([b"\x30", b"\xa1", b"\xbf\x7f"])


class Leaf(NamedTuple):
    """A primitive element: constant octets, and the slot's value in the recording and elsewhere.

    is_whole: the slot is the element, not its contents.
    """

    tag: bytes
    before: bytes
    recorded: bytes
    others: bytes
    after: bytes
    is_slot: bool
    is_whole: bool


class Branch(NamedTuple):
    """A constructed element."""

    tag: bytes
    inner: list[Any]


LEAVES = st.builds(
    Leaf,
    PRIMITIVE,
    st.binary(max_size=3),
    OCTETS,
    OCTETS,
    st.binary(max_size=3),
    st.booleans(),
    st.booleans(),
)
TREES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.builds(Branch, CONSTRUCTED, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=12,
)


def leaf_value(leaf: Leaf, *, is_recorded: bool) -> bytes:
    """Return the octets in the slot of a leaf."""
    value = leaf.recorded if is_recorded or not leaf.is_slot else leaf.others
    return ber.tlv(leaf.tag, leaf.before + value + leaf.after) if leaf.is_whole else value


def encoded(tree: Any, *, is_recorded: bool) -> bytes:
    """Return the octets of a tree, in the recording or in another instance."""
    if isinstance(tree, Branch):
        inner = b"".join(encoded(one, is_recorded=is_recorded) for one in tree.inner)
        return ber.tlv(tree.tag, inner)
    value = leaf_value(tree, is_recorded=is_recorded)
    return value if tree.is_whole else ber.tlv(tree.tag, tree.before + value + tree.after)


def slots_of(tree: Any, at: int) -> list[tuple[int, int, bytes]]:
    """Return (start, stop, other value) of the slots of a recorded tree that begins at `at`."""
    octets = encoded(tree, is_recorded=True)
    if isinstance(tree, Branch):
        at += len(octets) - sum(len(encoded(one, is_recorded=True)) for one in tree.inner)
        found = []
        for one in tree.inner:
            found += slots_of(one, at)
            at += len(encoded(one, is_recorded=True))
        return found
    if not tree.is_slot:
        return []
    other = leaf_value(tree, is_recorded=False)
    if tree.is_whole:
        return [(at, at + len(octets), other)]
    stop = at + len(octets) - len(tree.after)
    return [(stop - len(tree.recorded), stop, other)]


def template_of(octets: bytes, slots: list[Slot]) -> Template:
    """Return the template of a BER message."""
    fields = {
        LengthField(at, first, first, last, ber.encode_length)
        for slot in slots
        for at, first, last in ber.lengths_around(octets, slot.start, slot.stop)
    }
    return Template(octets, slots, [*fields])


@FUZZ
@given(TREES, st.booleans())
def test_any_nesting_of_ber_is_filled_as_it_would_be_encoded(tree: Any, is_added: bool) -> None:
    tree = Branch(b"\x30", [tree])
    octets = encoded(tree, is_recorded=True)
    places = slots_of(tree, 0)
    slots = [
        Slot(start, stop, -1 - which if is_added and which % 2 else which)
        for which, (start, stop, _) in enumerate(places)
    ]
    template = template_of(octets, slots)
    recorded = [octets[start:stop] for start, stop, _ in places]
    others = [value for _, _, value in places]
    for values, is_recorded in ((recorded, True), (others, False), (recorded, True)):
        assert template.fill(values, values) == encoded(tree, is_recorded=is_recorded)


def padded(value: bytes) -> bytes:
    """Return a value, padded to a multiple of four octets."""
    return value + bytes(-len(value) % 4)


def avp(code: int, value: bytes) -> bytes:
    """Return a Diameter AVP: its length has three octets and does not count the padding."""
    return code.to_bytes(4, "big") + b"\x40" + (8 + len(value)).to_bytes(3, "big") + padded(value)


def message(values: list[bytes]) -> bytes:
    """Return a message of AVPs; its length has three octets."""
    body = b"".join(avp(code, value) for code, value in enumerate(values))
    return b"\x01" + (4 + len(body)).to_bytes(3, "big") + body


def three_octets(length: int) -> bytes:
    return length.to_bytes(3, "big")


def padding(length: int) -> bytes:
    return bytes(-length % 4)


@FUZZ
@given(st.lists(st.tuples(OCTETS, OCTETS, st.booleans()), min_size=1, max_size=6))
def test_fixed_lengths_and_padding(avps: list[tuple[bytes, bytes, bool]]) -> None:
    """A slot is the value of an AVP, followed by its padding, or the whole AVP."""
    octets = message([recorded for recorded, _, _ in avps])
    slots, values = [], []
    fields = [LengthField(1, 4, 0, len(octets), three_octets)]
    at = 4
    for code, (recorded, other, is_whole) in enumerate(avps):
        start, stop = at + 8, at + 8 + len(recorded)
        end = at + len(avp(code, recorded))
        if is_whole:
            slots.append(Slot(at, end, code))
            values.append(avp(code, other))
        else:
            slots.append(Slot(start, stop, code))
            values.append(other)
            fields.append(LengthField(start - 3, start, at, stop, three_octets))
            fields.append(LengthField(stop, end, at, stop, padding))
        at = end
    template = Template(octets, slots, fields)
    assert template.fill(values) == message([other for _, other, _ in avps])


def test_a_value_may_stand_in_several_slots() -> None:
    template = Template(b"a1b2c1", [Slot(1, 2, 0), Slot(3, 4, -1), Slot(5, 6, 0)])
    assert template.fill([b"xyz"], [b""]) == b"axyzbcxyz"
    assert template.fill([b"7"], [b"88"]) == b"a7b88c7"


def test_what_has_no_slots_stays_as_it_is() -> None:
    octets = b"\x30\x80\x00\x00"
    assert Template(octets, []).fill([b"1"]) == octets


@pytest.mark.parametrize(
    "slots",
    [
        [Slot(2, 4, 0), Slot(3, 5, 1)],
        [Slot(2, 5, 0), Slot(3, 4, 1)],
        [Slot(2, 4, 0), Slot(2, 4, 1)],
        [Slot(1, 3, 0)],  # it contains a part of the length
    ],
)
def test_slots_that_overlap_are_refused(slots: list[Slot]) -> None:
    field = LengthField(1, 2, 2, 6, ber.encode_length)
    with pytest.raises(ValueError, match="overlap"):
        Template(b"\x04\x04abcd", slots, [field])


@pytest.mark.parametrize("octets", [b"\x04\x81\x04abcd", b"\x04\x82\x00\x04abcd"])
def test_unusual_lengths_are_refused(octets: bytes) -> None:
    with pytest.raises(ValueError, match="encoded"):
        template_of(octets, [Slot(len(octets) - 3, len(octets) - 1, 0)])


def test_an_indefinite_length_is_refused() -> None:
    with pytest.raises(ValueError, match="indefinite"):
        template_of(b"\x30\x80\x04\x02ab\x00\x00", [Slot(4, 6, 0)])
