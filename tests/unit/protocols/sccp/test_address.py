"""Addresses by hand-annotated octets, in ITU and ANSI form, and refused addresses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import (
    Address,
    GlobalTitle,
    Network,
    decode_address,
    encode_address,
    gti_for,
)

GT, SSN = 0, 1
ITU, ANSI = Network.ITU, Network.ANSI

CASES = {
    # indicator: 0 national, 1 route on SSN, 0000 no GT, 1 SSN, 1 PC; PC low octet first
    "ssn and pc": (ITU, Address(SSN, 146, 0x1234), "43 3412 92"),
    "ssn": (ITU, Address(SSN, 8), "42 08"),
    "pc": (ITU, Address(SSN, None, 1), "41 0100"),
    "nothing": (ITU, Address(GT), "00"),
    "national bit": (ITU, Address(SSN, 1, national=True), "c2 01"),
    "spare bits of the point code": (ITU, Address(SSN, None, 1, pc_spare=2), "41 0180"),
    "excess octets": (ITU, Address(SSN, 1, excess=b"\xee"), "42 01 ee"),
    # format 1: odd/even bit and NOA
    "format 1, even": (ITU, Address(GT, gt=GlobalTitle(1, "1234", noa=4)), "04 04 2143"),
    "format 1, odd": (ITU, Address(GT, gt=GlobalTitle(1, "123", noa=4)), "04 84 2103"),
    # format 2: TT only; F ends an odd number of digits
    "format 2, even": (ITU, Address(GT, 6, gt=GlobalTitle(2, "1234", tt=9)), "0a 06 09 2143"),
    "format 2, odd": (ITU, Address(GT, 6, gt=GlobalTitle(2, "123", tt=9)), "0a 06 09 21f3"),
    # format 3: TT, NP and ES
    "format 3, even": (ITU, Address(GT, gt=GlobalTitle(3, "12", tt=0, np=1)), "0c 00 12 21"),
    "format 3, odd": (ITU, Address(GT, gt=GlobalTitle(3, "123", tt=0, np=1)), "0c 00 11 2103"),
    # format 4: TT, NP and ES, NOA
    "format 4, even": (
        ITU,
        Address(GT, 146, gt=GlobalTitle(4, "31641600", tt=0, np=1, noa=4)),
        "12 92 00 12 04 13466100",
    ),
    "format 4, odd": (
        ITU,
        Address(GT, 146, 0x1234, GlobalTitle(4, "316", tt=255, np=7, noa=3)),
        "13 3412 92 ff 71 03 1306",
    ),
    "format 4, no digits": (
        ITU,
        Address(GT, gt=GlobalTitle(4, "", tt=0, np=1, noa=4)),
        "10 00 12 04",
    ),
    "another filler": (
        ITU,
        Address(GT, gt=GlobalTitle(4, "316", tt=0, np=1, noa=4, filler=15)),
        "10 00 11 04 13f6",
    ),
    "unknown encoding scheme": (
        ITU,
        Address(GT, gt=GlobalTitle(4, "3160", tt=0, np=1, noa=4, es=0)),
        "10 00 10 04 1306",
    ),
    "code 11 and 12": (
        ITU,
        Address(GT, gt=GlobalTitle(4, "bc12", tt=0, np=1, noa=4)),
        "10 00 12 04 cb21",
    ),
    "reserved format": (ITU, Address(GT, gt=GlobalTitle(7, "1234")), "1c 2143"),
    # ANSI: bit 8 set, SSN is bit 1 and comes first, 3 octets of point code: member first
    "ansi ssn and pc": (ANSI, Address(SSN, 146, 0x010203), "c3 92 030201"),
    "ansi, coded internationally": (ANSI, Address(SSN, 146, national=False), "41 92"),
    "ansi pc": (ANSI, Address(SSN, None, 0xFFFFFF), "c2 ffffff"),
    "ansi format 1": (
        ANSI,
        Address(GT, 8, gt=GlobalTitle(1, "555", tt=10, np=1)),
        "85 08 0a 11 5505",
    ),
    "ansi format 2": (ANSI, Address(GT, 8, gt=GlobalTitle(2, "5551", tt=10)), "89 08 0a 5515"),
}


@pytest.mark.parametrize("name", CASES)
def test_both_directions(name):
    network, address, octets_hex = CASES[name]
    assert encode_address(address, network) == bytes.fromhex(octets_hex)
    assert decode_address(bytes.fromhex(octets_hex), network) == address


@pytest.mark.parametrize(
    ("octets_hex", "offset"),
    [
        ("", 0),
        ("42", 1),
        ("43 34", 1),
        ("43 3412", 3),
        ("12 92 00", 3),
        ("12 92 00 11", 4),
        ("04", 1),
        ("04 84", 2),
    ],
)
def test_cut_off(octets_hex, offset):
    with pytest.raises(RemoteProtocolError) as caught:
        decode_address(bytes.fromhex(octets_hex))
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    ("address", "network", "path"),
    [
        (Address(2), ITU, "address"),
        (Address(SSN, 256), ITU, "ssn"),
        (Address(SSN, -1), ITU, "ssn"),
        (Address(SSN, None, 1 << 14), ITU, "pc"),
        (Address(SSN, None, 1 << 24), ANSI, "pc"),
        (Address(SSN, None, 1, pc_spare=4), ITU, "pc_spare"),
        (Address(SSN, None, 1, pc_spare=1), ANSI, "pc_spare"),
        (Address(GT, gt=GlobalTitle(0, "1")), ITU, "address"),
        (Address(GT, gt=GlobalTitle(16, "1")), ITU, "address"),
        (Address(GT, gt=GlobalTitle(4, "1", tt=0, np=1)), ITU, "noa"),
        (Address(GT, gt=GlobalTitle(4, "1", tt=0, np=16, noa=1)), ITU, "np"),
        (Address(GT, gt=GlobalTitle(4, "1", tt=0, np=1, noa=1, es=16)), ITU, "es"),
        (Address(GT, gt=GlobalTitle(1, "1", noa=128)), ITU, "noa"),
        (Address(GT, gt=GlobalTitle(2, "12")), ITU, "tt"),
        (Address(GT, gt=GlobalTitle(2, "12 45", tt=0)), ITU, "digits"),
        (Address(GT, gt=GlobalTitle(2, "+3", tt=0)), ITU, "digits"),
        (Address(GT, gt=GlobalTitle(2, "1" * 600, tt=0)), ITU, "address"),
    ],
)
def test_what_can_not_be_sent(address, network, path):
    with pytest.raises(LocalProtocolError) as caught:
        encode_address(address, network)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("noa", "np", "tt", "gti"),
    [(4, None, None, 1), (None, None, 0, 2), (None, 1, 0, 3), (4, 1, 0, 4)],
)
def test_format_for_members(noa, np, tt, gti):
    assert gti_for(noa=noa, np=np, tt=tt) == gti


@pytest.mark.parametrize(
    ("noa", "np", "tt"), [(None, None, None), (4, 1, None), (None, 1, None), (4, None, 0)]
)
def test_no_format_for_members(noa, np, tt):
    with pytest.raises(LocalProtocolError):
        gti_for(noa=noa, np=np, tt=tt)


@given(octets=st.binary(max_size=40), network=st.sampled_from(Network))
def test_no_octet_is_lost_and_nothing_crashes(octets, network):
    try:
        address = decode_address(octets, network)
    except RemoteProtocolError:
        return
    assert encode_address(address, network) == octets
