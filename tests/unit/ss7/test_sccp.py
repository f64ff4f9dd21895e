"""TCAP messages of any size through SCCP: UDT, segments, returned messages."""

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    ReturnCause,
    Unitdata,
    decode,
    encode,
    returned,
)
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.ss7.sccp import GivenBack, Sccp, ToReturn

CALLED = Address(ri=0, ssn=146, gt=GlobalTitle(2, "64210001", tt=0))  # a format of both networks
CALLING = Address(ri=1, ssn=146, pc=5)


def message_of(size):
    return Outgoing(bytes(index & 0xFF for index in range(size)), CALLED, CALLING)


@pytest.mark.parametrize("network", list(Network))
@pytest.mark.parametrize(
    ("size", "pieces", "kind"),
    [
        (1, 1, Unitdata),
        (255, 1, Unitdata),
        (256, 2, ExtendedUnitdata),
        (3000, 12, ExtendedUnitdata),
    ],
)
def test_any_size_arrives_whole(network, size, pieces, kind):
    sent = message_of(size)
    octets = Sccp(network, wants_return=True).encode(sent)
    assert len(octets) >= pieces
    assert all(isinstance(decode(piece, network), kind) for piece in octets)
    receiver = Sccp(network, wants_return=True)
    arrivals = [arrival for piece in octets for arrival in receiver.decode(piece, 0.0, 7)]
    assert [arrival[:3] for arrival in arrivals] == [(sent.octets, CALLED, CALLING)]


def test_too_long_for_segments_is_refused():
    with pytest.raises(LocalProtocolError, match="16 segments"):
        Sccp(Network.ITU, wants_return=False).encode(message_of(5000))


def test_two_messages_in_pieces_are_not_mixed():
    sender = Sccp(Network.ITU, wants_return=False)
    first, second = sender.encode(message_of(600)), sender.encode(message_of(700))
    receiver = Sccp(Network.ITU, wants_return=False)
    found = []
    for pair in zip(first, second, strict=False):
        for piece in pair:
            found += receiver.decode(piece, 0.0, 7)
    rest = first[len(second) :] + second[len(first) :]
    for piece in rest:
        found += receiver.decode(piece, 0.0, 7)
    assert sorted(len(arrival.data) for arrival in found) == [600, 700]


def test_a_segment_that_never_comes_is_given_back():
    pieces = Sccp(Network.ITU, wants_return=True).encode(message_of(600))
    receiver = Sccp(Network.ITU, wants_return=True)
    assert receiver.decode(pieces[0], 0.0, 7) == []
    other = Sccp(Network.ITU, wants_return=False).encode(message_of(300))
    arrivals = receiver.decode(other[0], 60.0, 7)
    assert [type(arrival) for arrival in arrivals] == [ToReturn]
    service = decode(arrivals[0].octets)
    assert service.called_party_address == CALLING


def test_what_the_network_gives_back():
    octets = Sccp(Network.ITU, wants_return=True).encode(message_of(10))[0]
    back = returned(decode(octets), ReturnCause.SUBSYSTEM_FAILURE)
    arrivals = Sccp(Network.ITU, wants_return=True).decode(encode(back), 0.0)
    assert arrivals == [GivenBack(message_of(10).octets, ReturnCause.SUBSYSTEM_FAILURE)]


def test_garbage_is_refused():
    with pytest.raises(RemoteProtocolError):
        Sccp(Network.ITU, wants_return=True).decode(b"\x09\x00", 0.0)
