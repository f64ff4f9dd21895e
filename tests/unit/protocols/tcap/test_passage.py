"""Passages: where the id of a message is that may be of one."""

import pytest

from tsvc.protocols.tcap.messages import MessageType, decode, encode
from tsvc.protocols.tcap.passage import named_id

OURS, THEIRS = bytes.fromhex("0a0b0c0d"), bytes.fromhex("01020304")


@pytest.mark.parametrize("length", [0, 10, 100, 120, 200, 300, 70_000])
@pytest.mark.parametrize("peer", [b"\1", THEIRS])
def test_the_id_of_messages_of_every_length(length: int, peer: bytes) -> None:
    components = [b"\xa1" * length] if length else None
    way_on = encode(MessageType.CONTINUE, otid=peer, dtid=OURS, components=components)
    end = encode(MessageType.END, dtid=OURS, components=components)
    assert named_id(way_on) == named_id(end) == OURS
    begin = encode(MessageType.BEGIN, otid=OURS, components=components)
    abort = encode(MessageType.ABORT, dtid=OURS, p_abort_cause=1)
    assert named_id(begin) is named_id(abort) is None


def test_cut_messages_name_nobody() -> None:
    whole = encode(MessageType.CONTINUE, otid=THEIRS, dtid=OURS)
    assert decode(whole).dtid == OURS
    for size in range(len(whole) - 4):
        assert named_id(whole[:size]) in (None, b"")
