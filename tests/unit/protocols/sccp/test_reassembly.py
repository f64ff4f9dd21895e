"""Segmentation and reassembly: pieces, order, time, limits."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.sccp.messages import (
    MTP_MAX_OCTETS,
    ExtendedUnitdata,
    ExtendedUnitdataService,
    OptionalPart,
    ReturnCause,
    Segmentation,
    decode,
    encode,
    returned,
)
from tsvc.protocols.sccp.reassembly import (
    ReassembledInd,
    Reassembler,
    ReassemblyFailedInd,
    segment,
)

CALLED = Address(0, 146, gt=GlobalTitle(4, "31641600986", 0, 1, 4))
CALLING = Address(1, 146, 77)


def xudt(size, **changed):
    data = bytes(at % 251 for at in range(size))
    return replace(ExtendedUnitdata(CALLED, CALLING, data), **changed)


@pytest.mark.parametrize("size", [0, 1, 235, 236, 237, 500, 2000, 3500])
@pytest.mark.parametrize("protocol_class", [0, 1])
@pytest.mark.parametrize("importance", [None, 3])
def test_what_is_cut_comes_together(size, protocol_class, importance):
    message = xudt(
        size, protocol_class=protocol_class, options=OptionalPart(importance=importance)
    )
    parts = segment(message, 5)
    reassembler = Reassembler()
    found = []
    for part in parts:
        octets = encode(part)
        assert len(octets) <= MTP_MAX_OCTETS
        found += reassembler.receive(decode(octets), 0.0, opc=1)
    assert found == [ReassembledInd(message)]
    assert reassembler.next_timer() is None


@given(size=st.integers(0, 4000), max_octets=st.integers(30, 400), importance=st.booleans())
def test_no_segment_is_longer_than_allowed(size, max_octets, importance):
    message = xudt(size, options=OptionalPart(importance=1 if importance else None))
    try:
        parts = segment(message, 5, max_octets=max_octets)
    except LocalProtocolError:
        return
    assert b"".join(part.data for part in parts) == message.data
    for part in parts:
        assert len(encode(part, max_octets=max_octets)) <= max_octets


def test_the_fields_of_segments():
    parts = segment(xudt(600, handling=8), 0x010203)
    assert [part.options.segmentation for part in parts] == [
        Segmentation(True, False, 2, 0x010203),
        Segmentation(False, False, 1, 0x010203),
        Segmentation(False, False, 0, 0x010203),
    ]
    assert [part.protocol_class for part in parts] == [1, 1, 1]
    assert [part.handling for part in parts] == [8, 0, 0]
    sizes = [len(part.data) for part in parts]
    assert sizes[0] == sizes[1] > sizes[2]


def test_ludt_is_cut_at_its_own_limit():
    parts = segment(xudt(9000, is_long=True), 5)
    assert [len(part.data) for part in parts] == [3952, 3952, 1096]
    assert all(part.is_long for part in parts)


@pytest.mark.parametrize(("size", "max_octets"), [(5000, 268), (300, 20)])
def test_more_than_16_segments(size, max_octets):
    with pytest.raises(LocalProtocolError, match=f"{size} octets"):
        segment(xudt(size), 5, max_octets=max_octets)


def test_messages_of_different_sources_do_not_mix():
    parts = segment(xudt(600), 5)
    other = segment(replace(xudt(600), data=b"x" * 600), 5)
    reassembler = Reassembler()
    found = []
    for part, foreign in zip(parts, other, strict=True):
        found += reassembler.receive(part, 0.0, opc=1)
        found += reassembler.receive(foreign, 0.0, opc=2)
    assert [indication.message.data for indication in found] == [xudt(600).data, b"x" * 600]


def test_a_first_segment_alone_is_whole():
    message = xudt(3, options=OptionalPart(Segmentation(True, True, 0, 5)))
    (found,) = Reassembler().receive(message, 0.0)
    assert found == ReassembledInd(xudt(3, protocol_class=1))


def test_a_lost_segment_fails_the_message():
    first, _, last = segment(xudt(600, handling=8), 5)
    reassembler = Reassembler()
    assert reassembler.receive(first, 0.0) == []
    (failed,) = reassembler.receive(last, 0.0)
    assert (failed.first, failed.cause) == (first, ReturnCause.SEGMENTATION_FAILURE)
    assert failed.must_return
    assert reassembler.next_timer() is None
    (orphan,) = reassembler.receive(last, 0.0)
    assert isinstance(orphan, ReassemblyFailedInd)
    assert not orphan.must_return


def test_a_second_first_segment_ends_the_message_and_starts_anew():
    parts = segment(xudt(600), 5)
    reassembler = Reassembler()
    reassembler.receive(parts[0], 0.0)
    (failed,) = reassembler.receive(parts[0], 1.0)
    assert failed.reason == "another first segment came"
    reassembler.receive(parts[1], 1.0)
    assert reassembler.receive(parts[2], 1.0) == [ReassembledInd(xudt(600))]


def test_time():
    reassembler = Reassembler(timeout_s=10.0)
    first, second = (segment(xudt(600), reference)[0] for reference in (1, 2))
    reassembler.receive(first, 0.0)
    reassembler.receive(second, 4.0)
    assert reassembler.next_timer() == 10.0
    assert reassembler.handle_timer(9.9) == []
    (failed,) = reassembler.handle_timer(10.0)
    assert failed.first == first
    assert failed.reason == "a segment did not arrive within 10 s"
    assert reassembler.next_timer() == 14.0


def test_limit_of_open_messages():
    reassembler = Reassembler(max_open=1)
    first, second = (segment(xudt(600), reference)[0] for reference in (1, 2))
    assert reassembler.receive(first, 0.0) == []
    (failed,) = reassembler.receive(second, 0.0)
    assert (failed.first, failed.cause) == (
        second,
        ReturnCause.DESTINATION_CANNOT_REASSEMBLE,
    )


def test_the_return_swaps_the_addresses():
    message = segment(xudt(600), 5)[0]
    back = returned(message, ReturnCause.SEGMENTATION_FAILURE)
    assert back == ExtendedUnitdataService(
        CALLING, CALLED, message.data, 14, options=message.options
    )
    assert decode(encode(back)) == back


@given(
    steps=st.lists(
        st.tuples(st.booleans(), st.integers(0, 15), st.integers(0, 2), st.binary(max_size=3)),
        max_size=40,
    )
)
def test_any_order_of_segments_is_bounded(steps):
    reassembler = Reassembler(timeout_s=5.0, max_open=2)
    for now, (is_first, remaining, reference, data) in enumerate(steps):
        options = OptionalPart(Segmentation(is_first, True, remaining, reference))
        reassembler.receive(xudt(0, data=data, options=options), float(now))
        reassembler.handle_timer(float(now))
        timer = reassembler.next_timer()
        assert timer is None or timer > now
    reassembler.handle_timer(1000.0)
    assert reassembler.next_timer() is None
