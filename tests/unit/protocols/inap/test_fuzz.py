"""Any octets: decoding never raises, and what decodes without a note comes back as it was."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.inap._base import OPERATIONS, Operation

VALID = [
    (operation, variant, octets)
    for operation in OPERATIONS
    for variant in sorted(operation.variants)
    if (octets := operation.encode_argument(operation.example, variant)) is not None
]


def shortest(octets: bytes) -> bytes:
    """Return the octets with every length in its shortest form, as far down as they are BER.

    Contents of primitives are tried too: octet strings of CAP hold BER.
    """
    try:
        found = ber.walk(octets, 0, len(octets))
    except RemoteProtocolError:
        return octets
    return b"".join(
        ber.tlv(ber.tag_octets(tag), shortest(octets[at:end])) for tag, at, end in found
    )


def check(operation: Operation, variant: str, octets: bytes) -> None:
    notes: list[Any] = []
    tree = operation.decode_argument(octets, variant, notes)
    for note in notes:
        assert 0 <= note.offset <= len(octets)
        assert note.text
    if notes:
        return
    again = operation.encode_argument(tree, variant)
    assert again is not None
    if shortest(octets) == octets:
        assert again == octets
    else:
        # Lengths may be written in more than one way; we write the shortest.
        assert shortest(again) == shortest(octets)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(VALID), st.binary(min_size=1, max_size=60))
def test_random_octets(known: tuple[Operation, str, bytes], octets: bytes) -> None:
    operation, variant, _ = known
    check(operation, variant, octets)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(VALID), st.binary(max_size=60))
def test_random_contents(known: tuple[Operation, str, bytes], contents: bytes) -> None:
    operation, variant, valid = known
    check(operation, variant, ber.tlv(valid[:1], contents))


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_flipped_bits(known: tuple[Operation, str, bytes], data: st.DataObject) -> None:
    operation, variant, valid = known
    octets = bytearray(valid)
    last = len(octets) * 8 - 1
    for place in data.draw(st.lists(st.integers(0, last), min_size=1, max_size=3)):
        octets[place // 8] ^= 1 << place % 8
    check(operation, variant, bytes(octets))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(VALID), st.data())
def test_cut_or_lengthened(known: tuple[Operation, str, bytes], data: st.DataObject) -> None:
    operation, variant, valid = known
    place = data.draw(st.integers(0, len(valid)))
    check(operation, variant, (valid[:place] + data.draw(st.binary(max_size=8)))[:-1] + b"\x00")


@settings(max_examples=300, deadline=None)
@given(st.binary(min_size=1, max_size=60))
def test_random_results(octets: bytes) -> None:
    for operation in OPERATIONS:
        for variant in operation.variants:
            if operation.result_in(variant) is not None:
                notes: list[Any] = []
                tree = operation.decode_result(octets, variant, notes)
                if not notes and shortest(octets) == octets:
                    assert operation.encode_result(tree, variant) == octets
