"""Our SCCP messages as another implementation reads them: tshark, exported PDUs of kind sccp."""

import os
import shutil
import struct
import subprocess
from xml.etree import ElementTree

import pytest

from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sccp.messages import (
    ExtendedUnitdata,
    ExtendedUnitdataService,
    Unitdata,
    UnitdataService,
    encode,
    type_of,
)
from tsvc.protocols.sccp.optional import OptionalPart, Segmentation

TSHARK = shutil.which("tshark")
MUST_RUN = os.environ.get("TSVC_REQUIRE_PEERS") == "1"

ODD, EVEN = "31641600986", "3164160098"
# Subsystem 200 has no dissector behind it. Format -> address, for ITU
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


def dissect(tmp_path, units, *options):
    """Write a capture of link type 252 (tag 12 "sccp", end, unit) and return its packets."""
    out = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 0xFFFF, 252)]
    for unit in units:
        packet = struct.pack(">HH4sHH", 12, 4, b"sccp", 0, 0) + unit
        out.append(struct.pack("<IIII", 0, 0, len(packet), len(packet)) + packet)
    capture = tmp_path / "sccp.pcap"
    capture.write_bytes(b"".join(out))
    done = subprocess.run(
        [TSHARK, "-r", str(capture), *options, "-T", "pdml"],
        capture_output=True,
        check=True,
        timeout=120,
        env={**os.environ, "WIRESHARK_CONFIG_DIR": str(tmp_path)},
    )
    packets = ElementTree.fromstring(done.stdout).findall("packet")
    assert len(packets) == len(units)
    for packet in packets:
        names = [item.get("name") for item in [*packet.iter("field"), *packet.iter("proto")]]
        assert not [name for name in names if name.startswith("_ws.")]
    return packets


def values(packet, field):
    return [item.get("show") for item in packet.iter("field") if item.get("name") == field]


pytestmark = pytest.mark.skipif(not TSHARK and not MUST_RUN, reason="tshark is not installed")


def test_tshark_reads_every_message_without_complaint(tmp_path):
    assert TSHARK, "TSVC_REQUIRE_PEERS is 1 and tshark is not installed"
    packets = dissect(tmp_path, [encode(message, max_octets=999) for message in MESSAGES])
    for message, packet in zip(MESSAGES, packets, strict=True):
        called = message.called_party_address
        assert values(packet, "sccp.message_type") == [f"0x{type_of(message):02x}"]
        assert values(packet, "sccp.called.ssn") == ["200"]
        assert values(packet, "sccp.called.ri") == [f"0x{called.ri:02x}"]
        assert values(packet, "sccp.calling.ssn") == ["201"]
        assert values(packet, "sccp.calling.pc") == ["6172"]
        gt = called.gt
        assert values(packet, "sccp.called.digits") == ([gt.digits] if gt else [])
        assert values(packet, "sccp.called.gti") == [f"0x{gt.indicator if gt else 0:02x}"]
    assert values(packets[6], "sccp.segmentation.slr") == ["0x000005"]


def test_tshark_reads_ansi_addresses(tmp_path):
    assert TSHARK, "TSVC_REQUIRE_PEERS is 1 and tshark is not installed"
    called = Address(0, 200, 0x010203, GlobalTitle(1, ODD, tt=9, np=1))
    octets = encode(Unitdata(called, Address(1, 201, 0x040506), DATA), Network.ANSI)
    (packet,) = dissect(tmp_path, [octets], "-o", "mtp3.standard:ANSI")
    assert values(packet, "sccp.called.ssn") == ["200"]
    assert values(packet, "sccp.called.digits") == [ODD]
    assert values(packet, "sccp.calling.ssn") == ["201"]
    shown = [item.get("showname") or "" for item in packet.iter("field")]
    assert any("1-2-3" in text for text in shown)
    assert any("4-5-6" in text for text in shown)
