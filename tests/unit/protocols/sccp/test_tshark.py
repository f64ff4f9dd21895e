"""tshark reads our SCCP messages, as exported PDUs of kind sccp."""

from support.tshark import complaints, dissect, shown

from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    ExtendedUnitdataService,
    OptionalPart,
    Segmentation,
    Unitdata,
    UnitdataService,
    encode,
    type_of,
)

ODD, EVEN = "31641600986", "3164160098"
# tshark has no dissector for subsystem 200. Format -> address, for ITU
ADDRESSES = {
    0: Address(1, 200, 6045),
    1: Address(0, 200, gt=GlobalTitle(1, ODD, noa=4)),
    2: Address(0, 200, gt=GlobalTitle(2, EVEN, tt=9)),
    3: Address(0, 200, gt=GlobalTitle(3, ODD, tt=9, np=1)),
    4: Address(0, 200, 77, GlobalTitle(4, EVEN, tt=9, np=1, noa=4)),
}
CALLING = Address(1, 201, 6172)
DATA = b"\x01\x02\x03"
OPTIONS = OptionalPart(Segmentation(True, True, 0, 5), 3)
MESSAGES = [
    *(Unitdata(address, CALLING, DATA, 1, 8) for address in ADDRESSES.values()),
    UnitdataService(ADDRESSES[4], CALLING, DATA, 4),
    ExtendedUnitdata(ADDRESSES[4], CALLING, DATA, 1, 0, 15, OPTIONS),
    ExtendedUnitdata(ADDRESSES[4], CALLING, DATA),
    ExtendedUnitdataService(ADDRESSES[4], CALLING, DATA, 12, 3, OptionalPart(importance=2)),
    ExtendedUnitdata(ADDRESSES[4], CALLING, bytes(300), is_long=True),
    ExtendedUnitdataService(ADDRESSES[4], CALLING, bytes(300), 5, is_long=True),
]


def read(tmp_path, units, *options):
    """Return the packets that tshark reads from units, without complaints."""
    packets = dissect(tmp_path, units, "sccp", *options)
    assert not [text for packet in packets for text in complaints(packet)]
    return packets


def test_tshark_reads_every_message_without_complaint(tmp_path):
    packets = read(tmp_path, [encode(message, max_octets=999) for message in MESSAGES])
    for message, packet in zip(MESSAGES, packets, strict=True):
        called = message.called_party_address
        assert shown(packet, "sccp.message_type") == [f"0x{type_of(message):02x}"]
        assert shown(packet, "sccp.called.ssn") == ["200"]
        assert shown(packet, "sccp.called.ri") == [f"0x{called.ri:02x}"]
        assert shown(packet, "sccp.calling.ssn") == ["201"]
        assert shown(packet, "sccp.calling.pc") == ["6172"]
        gt = called.gt
        assert shown(packet, "sccp.called.digits") == ([gt.digits] if gt else [])
        assert shown(packet, "sccp.called.gti") == [f"0x{gt.indicator if gt else 0:02x}"]
    assert shown(packets[6], "sccp.segmentation.slr") == ["0x000005"]


def test_tshark_reads_ansi_addresses(tmp_path):
    called = Address(0, 200, 0x010203, GlobalTitle(1, ODD, tt=9, np=1))
    octets = encode(Unitdata(called, Address(1, 201, 0x040506), DATA), Network.ANSI)
    (packet,) = read(tmp_path, [octets], "-o", "mtp3.standard:ANSI")
    assert shown(packet, "sccp.called.ssn") == ["200"]
    assert shown(packet, "sccp.called.digits") == [ODD]
    assert shown(packet, "sccp.calling.ssn") == ["201"]
    texts = [item.get("showname") or "" for item in packet.iter("field")]
    assert any("1-2-3" in text for text in texts)
    assert any("4-5-6" in text for text in texts)
