"""Every argument and result of INAP, CAP and MAP, with each damage that must be noticed."""

import pytest
from support.each import each

from tsvc.protocols import ber
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.asn1.structures import Sequence
from tsvc.protocols.inap.operation import OPERATIONS as INAP
from tsvc.protocols.map.operation import OPERATIONS as MAP
from tsvc.protocols.map.operation import InOrder

FORMS = [
    pytest.param(operation, variant, id=f"{operation.name}-{variant}")
    for operations in (INAP, MAP)
    for operation in operations
    for variant in sorted(operation.variants)
]


def found(operation, variant, octets):
    notes = []
    operation.decode_argument(octets, variant, notes)
    return malformations(notes)


def example(operation, variant):
    try:
        return operation.encode_argument(operation.example, variant)
    except Exception:  # noqa: BLE001 - an example that this variant does not take
        return None


@each(("operation", "variant"), FORMS)
def test_what_is_not_an_argument_is_malformed(operation, variant):
    type_ = operation.argument_in(variant)
    if type_ is None:
        assert found(operation, variant, b"") == []
        assert found(operation, variant, b"\x30\x00")
        return
    assert bool(found(operation, variant, b"")) is not operation.is_argument_optional
    right = example(operation, variant)
    if right is None:
        return
    assert found(operation, variant, right) == []
    # Not the whole argument: cut short, one octet more, another tag, an opaque TLV of a high tag.
    assert found(operation, variant, right[:-1]) or len(right) == 2
    if type_.tag is not None:
        assert found(operation, variant, right + b"\0")
        assert found(operation, variant, b"\x02\x01\x05")
        assert found(operation, variant, b"\x31" + right[1:])
    else:
        assert found(operation, variant, right + right)
        assert found(operation, variant, b"\x9f\x87\x68\x01\x00")


@each(("operation", "variant"), FORMS)
def test_members_that_are_missing_or_there_twice_are_malformed(operation, variant):
    type_ = operation.argument_in(variant)
    right = example(operation, variant)
    if not isinstance(type_, Sequence) or right is None:
        return
    tag, start, stop, _ = ber.read(right, 0, len(right))
    members = [
        (one, right[at - (2 if end - at < 128 else 3) : end])
        for one, at, end in ber.walk(right, start, stop)
        if one < 0x100
    ]
    required = {member.tag for member in type_.members if member.is_required}
    for position, (one, _) in enumerate(members):
        rest = [octets for at, (_, octets) in enumerate(members) if at != position]
        if one in required:
            assert found(operation, variant, ber.tlv(bytes((tag,)), b"".join(rest)))
        if isinstance(type_, InOrder):
            continue  # members may share a tag: the second may be the next member
        all_of_them = [octets for _, octets in members]
        twice = [*all_of_them[:position], members[position][1], *all_of_them[position:]]
        assert found(operation, variant, ber.tlv(bytes((tag,)), b"".join(twice)))


@each(("operation", "variant"), FORMS)
def test_tags_that_nothing_may_have_are_malformed(operation, variant):
    type_ = operation.argument_in(variant)
    right = example(operation, variant)
    if not isinstance(type_, Sequence) or right is None:
        return
    tag, start, stop, _ = ber.read(right, 0, len(right))
    # End-of-contents octets though the length is definite, [4] in long form, [50] in a longer one.
    for octets in (b"\0\0", b"\x9f\x04\x01\0", b"\x9f\x80\x32\x01\0"):
        contents = right[start:stop] + octets
        assert found(operation, variant, ber.tlv(bytes((tag,)), contents))
    # An extension of a later version is not malformed.
    later = right[start:stop] + b"\x9f\x82\x68\x01\0"
    assert found(operation, variant, ber.tlv(bytes((tag,)), later)) == []
