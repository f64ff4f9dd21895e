"""Pointers and the parts to which they lead, and refused pointers."""

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, Network
from tsvc.protocols.sccp.messages import decode_long, decode_short, encode_parts

CALLED, CALLING = bytes.fromhex("4208"), bytes.fromhex("4206")


def test_short():
    octets = encode_parts(CALLED, CALLING, b"ab", None, False, "UDT")
    assert octets == bytes.fromhex("03 05 07  02 4208  02 4206  02 6162")
    parts = decode_short(b"\x09\x00" + octets, 2, "UDT", Network.ITU)
    assert parts == (Address(1, 8), Address(1, 6), b"ab")


def test_long():
    octets = encode_parts(CALLED, CALLING, b"ab", b"", True, "LUDT")
    assert octets == bytes.fromhex("0700 0800 0900 0000  02 4208  02 4206  0200 6162")
    parts = decode_long(b"\x13\x00\x0f" + octets, 3, "LUDT", Network.ITU)
    assert parts == (Address(1, 8), Address(1, 6), b"ab")


def test_parts_may_be_in_any_order_and_shared():
    octets = bytes.fromhex("09 00 05 04 01  01 61  02 4208")
    parts = decode_short(octets, 2, "UDT", Network.ITU)
    assert parts == (Address(1, 8), Address(1, 8), b"a")


def test_the_optional_part_must_be_in_reach():
    for size in (246, 247):
        octets = encode_parts(CALLED, CALLING, bytes(size), b"\x12\x01\x00\x00", False, "XUDT")
        assert octets[3] == size + 8
    with pytest.raises(LocalProtocolError, match="248 octets"):
        encode_parts(CALLED, CALLING, bytes(248), b"\x12\x01\x00\x00", False, "XUDT")


@pytest.mark.parametrize("pointers", ["00 05 07", "03 00 07", "03 05 00"])
def test_mandatory_parts_need_a_pointer(pointers):
    octets = bytes.fromhex(f"0900 {pointers} 02 4208 02 4206 02 6162")
    with pytest.raises(RemoteProtocolError, match="pointer 0"):
        decode_short(octets, 2, "UDT", Network.ITU)


@pytest.mark.parametrize("pointers", ["ff 05 07", "03 ff 07", "03 05 ff"])
def test_pointers_that_lead_outside(pointers):
    octets = bytes.fromhex(f"0900 {pointers} 02 4208 02 4206 02 6162")
    with pytest.raises(RemoteProtocolError, match="outside"):
        decode_short(octets, 2, "UDT", Network.ITU)
