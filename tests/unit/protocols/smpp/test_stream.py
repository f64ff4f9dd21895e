"""PDUs from a stream."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.protocols.smpp.samples import PDUS

from tsvc.protocols.smpp.pdus import MAX_PDU_OCTETS, PduStream, Refused, encode

OCTETS = [encode(pdu) for pdu in PDUS]
WHOLE = b"".join(OCTETS)


def taken(stream):
    found = []
    while (octets := stream.next_message()) is not None:
        found.append(octets)
    return found


@given(st.lists(st.integers(0, len(WHOLE))))
def test_pieces_of_any_size(cuts):
    edges = [0, *sorted(cuts), len(WHOLE)]
    stream, found = PduStream(), []
    for start, end in pairwise(edges):
        stream.feed(WHOLE[start:end])
        found += taken(stream)
    assert found == OCTETS


@pytest.mark.parametrize("length", [0, 15, MAX_PDU_OCTETS + 1, 0xFFFFFFFF])
def test_a_length_that_can_not_be_ends_the_stream(length):
    stream = PduStream()
    stream.feed(OCTETS[0] + length.to_bytes(4))
    assert stream.next_message() == OCTETS[0]
    for _ in range(2):
        with pytest.raises(Refused, match="command_length"):
            stream.next_message()
