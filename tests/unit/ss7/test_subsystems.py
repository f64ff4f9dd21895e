"""Messages for a subsystem or point code that is not here are returned, or dropped."""

import pytest
from support.waiting import until
from unit.ss7 import m3ua_nodes
from unit.ss7.m3ua_nodes import connecting, is_up, listening, to

from tsvc.protocols import ber
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdataService,
    ReturnCause,
    UnitdataService,
    decode,
)
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.frame import originating_id
from tsvc.protocols.tcap.messages import MessageType, encode
from tsvc.ss7.sccp import Sccp, Subsystems, ToReturn, Whole

make = m3ua_nodes.make
TITLE = GlobalTitle(2, "64210001", tt=0)  # a format of both networks
CALLING = Address(ri=1, ssn=8, pc=5)
OURS = (106, 146)


class Counted(Subsystems):
    """Subsystems that count the messages for other subsystems."""

    def __init__(self, numbers=OURS):
        self.others = 0
        super().__init__(lambda: numbers, self.count)

    def count(self):
        self.others += 1


def decoded(called, size=10, *, wants_return=True, network=Network.ITU):
    """Return the arrivals of a message of this size, the count for others, the count of pieces."""
    subsystems = Counted()
    sent = Sccp(network, wants_return=wants_return).encode(Outgoing(bytes(size), called, CALLING))
    receiver = Sccp(network, wants_return=True)
    arrivals = [one for piece in sent for one in receiver.decode(piece, 0.0, 5, subsystems)]
    return arrivals, subsystems.others, len(sent)


@pytest.mark.parametrize("network", list(Network))
@pytest.mark.parametrize("ri", [0, 1])
def test_every_subsystem_number(network, ri):
    for ssn in (None, *range(256)):
        called = Address(ri=ri, ssn=ssn, pc=2, gt=None if ri else TITLE)
        (arrival,), others, _ = decoded(called, network=network)
        is_ours = ssn in OURS or (not ri and not ssn)  # a title is translated to ours
        assert isinstance(arrival, Whole if is_ours else ToReturn), called
        assert others == (0 if is_ours else 1)
        if not is_ours:
            back = decode(arrival.octets, network)
            assert isinstance(back, UnitdataService)
            assert back.return_cause == ReturnCause.UNEQUIPPED_USER == 4
            assert (back.called_party_address, back.calling_party_address) == (CALLING, called)


@pytest.mark.parametrize("size", [10, 600])
def test_nothing_comes_back_to_whom_does_not_want_it(size):
    arrivals, others, pieces = decoded(to(7), size, wants_return=False)
    assert decoded(Address(ri=1, ssn=9, pc=2), size, wants_return=False) == ([], pieces, pieces)
    assert (len(arrivals), others) == (1, 0)


def test_of_a_segmented_message_the_first_segment_comes_back():
    (arrival,), others, pieces = decoded(Address(ri=1, ssn=9, pc=2), 600)
    assert others == pieces == 3
    assert isinstance(decode(arrival.octets), ExtendedUnitdataService)


@pytest.mark.parametrize("size", [0, 1, 100, 200, 300, 70_000])
@pytest.mark.parametrize("otid", [b"\1", b"\0\0\1\2"])
def test_a_first_segment_says_whose_it_is(size, otid):
    component = ber.tlv(b"\xa1", b"\2\1\1\2\1\0" + bytes(size))
    for type_, dtid in ((MessageType.BEGIN, None), (MessageType.CONTINUE, b"\7\7")):
        octets = encode(type_, otid=otid, dtid=dtid, components=[component])
        assert originating_id(octets) == originating_id(octets[:20]) == otid
    ended = encode(MessageType.END, dtid=otid, components=[component])
    assert originating_id(ended) is None
    for rest in (b"", b"\x62", b"\x62\x05", b"\x62\x81", b"\x62\x05\x48\x04\0", bytes(30)):
        assert originating_id(rest) is None


@pytest.mark.parametrize("kind", ["m3ua", "sua"])
@pytest.mark.parametrize(("ssn", "cause"), [(8, ReturnCause.UNEQUIPPED_USER), (146, None)])
def test_a_link_gives_back_what_is_for_others(make, kind, ssn, cause):
    subsystems = Counted()
    sgp = make(2, listening(kind=kind), subsystems=subsystems, is_end_point=True)
    asp = make(1, connecting("link", *sgp.network.ports(), kind=kind))
    until(lambda: is_up(asp)() and is_up(sgp)())
    asp.send(b"hello", Address(ri=1, ssn=ssn, pc=2))
    if cause is None:
        until(lambda: sgp.got)
    else:
        until(lambda: asp.returned)
        assert asp.returned == [(b"hello", cause)]
        assert (sgp.got, subsystems.others) == ([], 1)


def test_another_point_code_is_told_to_be_out_of_reach(make):
    sgp = make(2, listening(), subsystems=Counted(), is_end_point=True)
    asp = make(1, connecting("link", *sgp.network.ports()))
    until(lambda: is_up(asp)() and is_up(sgp)())
    asp.send(b"hello", to(9))
    until(lambda: asp.network.texts())
    assert "9" in asp.network.texts()[0]
    assert sgp.got == []
    assert sgp.network.counters["other_point_code"] == 1
    asp.send(b"hello", to(2))
    until(lambda: sgp.got)


def test_another_point_code_by_sua_has_no_translation(make):
    sgp = make(2, listening(kind="sua"), subsystems=Counted(), is_end_point=True)
    asp = make(1, connecting("link", *sgp.network.ports(), kind="sua"))
    until(lambda: is_up(asp)() and is_up(sgp)())
    asp.send(b"hello", to(9))
    until(lambda: asp.returned)
    assert asp.returned == [(b"hello", ReturnCause.NO_TRANSLATION_FOR_ADDRESS)]
