"""Frames: the ids of a message, and where they end, as the decoder reads them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.tcap.arriving import anything, damaged

from tsvc.protocols.tcap.frame import read
from tsvc.protocols.tcap.messages import MessageType, Unreadable, decode, encode

FUZZ = settings(max_examples=examples(300), deadline=None)
IDS = st.binary(min_size=1, max_size=4)
OURS, THEIRS = bytes.fromhex("0a0b0c0d"), bytes.fromhex("01020304")
HAS_OTID = (MessageType.BEGIN, MessageType.CONTINUE)
HAS_DTID = (MessageType.CONTINUE, MessageType.END, MessageType.ABORT)


def message(kind: MessageType, otid: bytes, dtid: bytes, length: int = 0) -> bytes:
    """Return a message with the ids that its kind has, and components of a length."""
    return encode(
        kind,
        otid=otid if kind in HAS_OTID else None,
        dtid=dtid if kind in HAS_DTID else None,
        components=[b"\xa1" * length] if length and kind is not MessageType.ABORT else None,
    )


@FUZZ
@given(st.sampled_from([*HAS_OTID, *HAS_DTID]), IDS, IDS, st.sampled_from([0, 100, 200, 70_000]))
def test_ids_are_those_that_the_decoder_reads(
    kind: MessageType, otid: bytes, dtid: bytes, length: int
) -> None:
    octets = message(kind, otid, dtid, length)
    frame = read(octets)
    assert frame is not None
    assert frame.kind == kind
    whole = decode(message(kind, otid, dtid))
    assert (frame.otid, frame.dtid) == (whole.otid, whole.dtid)
    for value, end in ((frame.otid, frame.otid_end), (frame.dtid, frame.dtid_end)):
        assert end == 0 if value is None else octets[end - len(value) : end] == value


@FUZZ
@given(st.sampled_from([*HAS_OTID, *HAS_DTID]), IDS, IDS)
def test_cut_octets_give_nothing_or_the_same(kind: MessageType, otid: bytes, dtid: bytes) -> None:
    octets = message(kind, otid, dtid, 150)
    frame = read(octets)
    assert frame is not None
    for size in range(len(octets)):
        is_there = size >= max(frame.otid_end, frame.dtid_end)
        assert read(octets[:size]) == (frame if is_there else None)


@FUZZ
@given(st.one_of(anything, damaged(), st.binary(max_size=30)))
def test_whatever_the_decoder_reads_has_the_same_ids(octets: bytes) -> None:
    try:
        whole = decode(octets)
    except Unreadable:
        read(octets)
        return
    frame = read(octets)
    if whole.otid is whole.dtid is None:
        assert frame is None
    else:
        assert frame is not None
        assert (frame.otid, frame.dtid) == (whole.otid, whole.dtid)


@pytest.mark.parametrize("length", [b"\x81\x06", b"\x82\x00\x06", b"\x83\x00\x00\x06"])
def test_lengths_of_any_definite_form(length: bytes) -> None:
    octets = b"\x64" + length + b"\x49\x04" + OURS
    frame = read(octets)
    assert frame is not None
    assert (frame.dtid, frame.dtid_end) == (OURS, len(octets))


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x64",
        b"\x64\x06\x48\x04" + OURS,  # another id than an END has
        b"\x62\x06\x49\x04" + OURS,
        b"\x65\x0c\x49\x04" + OURS + b"\x48\x04" + THEIRS,  # the wrong way round
        b"\x65\x06\x48\x04" + THEIRS,
        b"\x62\x02\x48\x00",
        b"\x62\x07\x48\x05" + OURS + b"\x00",
        b"\x61\x06\x48\x04" + OURS,  # UNIDIRECTIONAL
        b"\x30\x06\x48\x04" + OURS,
    ],
)
def test_ids_that_are_not_where_they_belong(octets: bytes) -> None:
    assert read(octets) is None
