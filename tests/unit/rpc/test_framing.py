from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import RequestError
from tsvc.rpc.framing import FrameDecoder, FrameState, encode_frame, pieces_of_frame

BODY = b'{"a":1}'


def test_header_is_network_order():
    assert encode_frame(b"x" * 258) == b"\x00\x00\x01\x02" + b"x" * 258


def test_whole_frame():
    decoder = FrameDecoder()
    assert decoder.feed(encode_frame(BODY)) is FrameState.COMPLETE
    assert decoder.body == BODY


def test_state_after_each_octet():
    decoder = FrameDecoder()
    states = [decoder.feed(bytes([octet])) for octet in encode_frame(BODY)]
    expected = [FrameState.HEADER] * 3 + [FrameState.BODY] * len(BODY) + [FrameState.COMPLETE]
    assert states == expected


@given(
    body=st.binary(min_size=1, max_size=40),
    surplus=st.binary(max_size=10),
    cuts=st.lists(st.integers(0, 54)),
)
def test_any_portions_give_the_same(body, surplus, cuts):
    octets = encode_frame(body) + surplus
    decoder = FrameDecoder()
    borders = [0, *sorted(min(cut, len(octets)) for cut in cuts), len(octets)]
    for start, end in pairwise(borders):
        decoder.feed(octets[start:end])
    assert decoder.state is FrameState.COMPLETE
    assert decoder.body == body
    assert decoder.surplus_octets == len(surplus)


@pytest.mark.parametrize(
    ("length", "kind"),
    [(0, "frame.empty"), (101, "frame.too_long"), (2**32 - 1, "frame.too_long")],
)
def test_refused_length_keeps_no_octet(length, kind):
    decoder = FrameDecoder(100)
    with pytest.raises(RequestError, match="length" if length == 0 else str(length)) as refused:
        decoder.feed(length.to_bytes(4, "big") + b"body")
    assert refused.value.kind == kind
    assert decoder.state is FrameState.REFUSED
    assert decoder.body == b""
    assert decoder.feed(b"more") is FrameState.REFUSED
    assert decoder.surplus_octets == 8
    assert decoder.body == b""


def test_the_limit_itself_is_allowed():
    assert FrameDecoder(100).feed(encode_frame(b"x" * 100)) is FrameState.COMPLETE


@given(st.binary(max_size=200), st.integers(1, 100))
def test_any_octets_end_in_a_state_or_one_refusal(octets, limit):
    decoder = FrameDecoder(limit)
    refusals = 0
    for octet in octets:
        try:
            decoder.feed(bytes([octet]))
        except RequestError:
            refusals += 1
        assert len(decoder.body) <= limit
    assert refusals == (decoder.state is FrameState.REFUSED)


def test_progress():
    decoder = FrameDecoder()
    decoder.feed(b"\0\0\0")
    assert decoder.progress() == "3 of 4 octets of the length"
    decoder.feed(b"\x09ab")
    assert decoder.progress() == "2 of 9 octets of the request"


def test_a_frame_can_not_be_empty():
    with pytest.raises(ValueError, match="0 octets"):
        encode_frame(b"")


@pytest.mark.parametrize("octets", [1, 65_535, 65_536, 65_537, 300_000])
def test_pieces_make_up_the_frame(octets: int) -> None:
    body = bytes(range(256)) * (octets // 256 + 1)
    body = body[:octets]
    pieces = [*pieces_of_frame(body)]
    assert b"".join(pieces) == octets.to_bytes(4, "big") + body
    assert len(pieces) == (1 if octets <= 65_536 else 2)
    assert all(len(piece) for piece in pieces)
