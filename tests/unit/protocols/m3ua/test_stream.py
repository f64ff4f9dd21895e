"""Framing: pieces, glued messages, garbage."""

import pytest

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.m3ua.messages import MessageStream

ASPUP = bytes.fromhex("01000301 00000008")
DOWN = bytes.fromhex("01000302 00000010 00040007 62796500")
ODD = bytes.fromhex("01000302 0000000f 00040007 627965")  # without padding, as some peers send it


def taken(stream):
    found = []
    while (message := stream.next_message()) is not None:
        found.append(message)
    return found


def test_glued():
    stream = MessageStream()
    stream.feed(ASPUP + ODD + DOWN)
    assert taken(stream) == [ASPUP, ODD, DOWN]
    assert stream.unread() == b""


def test_octet_by_octet():
    stream = MessageStream()
    found = []
    for octet in ASPUP + DOWN + ASPUP:
        stream.feed(bytes((octet,)))
        found += taken(stream)
    assert found == [ASPUP, DOWN, ASPUP]


@pytest.mark.parametrize("cut", range(1, len(ASPUP + DOWN)))
def test_cut_anywhere(cut):
    stream = MessageStream()
    whole = ASPUP + DOWN
    stream.feed(whole[:cut])
    found = taken(stream)
    stream.feed(whole[cut:])
    assert found + taken(stream) == [ASPUP, DOWN]


@pytest.mark.parametrize(
    ("octets_hex", "offset"),
    [
        ("47", 0),
        ("01000301 00000007", 4),
        ("01000301 00000000", 4),
        ("01000301 00000041", 4),
        ("01000301 ffffffff", 4),
    ],
)
def test_garbage_after_a_good_message(octets_hex, offset):
    garbage = bytes.fromhex(octets_hex)
    stream = MessageStream(max_octets=0x40)
    stream.feed(ASPUP + garbage)
    assert stream.next_message() == ASPUP
    for _ in range(2):  # it stays broken
        with pytest.raises(RemoteProtocolError) as caught:
            stream.next_message()
        assert caught.value.offset == offset
    assert stream.unread() == garbage


def test_the_limit_itself_is_allowed():
    stream = MessageStream(max_octets=len(DOWN))
    stream.feed(DOWN)
    assert stream.next_message() == DOWN
