"""Octets that no peer should send as an argument of an operation, and checks of their decoding.

Decoding never raises. Octets that are decoded without a note are encoded to the same octets.
"""

from typing import Any

from hypothesis import strategies as st

from tsvc.errors import RemoteProtocolError
from tsvc.protocols import ber
from tsvc.protocols.ros import Operation

# An operation, one of its variants, and an argument that is valid in this variant.
Known = tuple[Operation, str, bytes]


def shortest(octets: bytes) -> bytes:
    """Return the octets with every length in its shortest form, at all depths that are BER.

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
    """Decode octets as an argument; if there is no note, assert that encoding restores them."""
    notes: list[Any] = []
    tree = operation.decode_argument(octets, variant, notes)
    for note in notes:
        assert 0 <= note.offset <= len(octets), note
        assert note.text, note
        assert "\n" not in str(note), note
    if notes:
        return
    again = operation.encode_argument(tree, variant)
    assert again is not None, tree
    if shortest(octets) == octets:
        assert again == octets, tree
    else:
        # Lengths have several valid forms; we encode the shortest.
        assert shortest(again) == shortest(octets), tree


def flipped(valid: bytes) -> st.SearchStrategy[bytes]:
    """Draw the octets with one to three bits changed."""

    def changed(places: list[int]) -> bytes:
        octets = bytearray(valid)
        for place in places:
            octets[place // 8] ^= 1 << place % 8
        return bytes(octets)

    place = st.integers(0, len(valid) * 8 - 1)
    return st.lists(place, min_size=1, max_size=3).map(changed)
