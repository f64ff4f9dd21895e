"""Addresses of SUA, compared with octets written by hand, and with those of SCCP."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.address import Address, GlobalTitle, Network
from tsvc.protocols.sua.address import decode_address, encode_address

# routing indicator, what is present; then parameters: tag, length, value
GT_AND_SSN = "0001 0005  8001 0010 000000 04 08 00 01 04 51551000  8003 0008 000000 08"
PC_AND_SSN = "0002 0003  8002 0008 00000b5e  8003 0008 000000 92"
ODD_DIGITS = "0001 0004  8001 000f 000000 04 05 09 01 03 214305 00"
NOA_ONLY = "0001 0004  8001 000e 000000 01 04 00 00 04 2143 0000"
TT_ONLY = "0001 0004  8001 000e 000000 02 04 0a 00 00 2143 0000"
HOST = "0003 0001  8003 0008 000000 08  8005 000b 73637000 626f78 00"
IPV4 = "0004 0001  8003 0008 000000 08  8004 0008 c0000201"

KNOWN = [
    (GT_AND_SSN, Address(0, 8, None, GlobalTitle(4, "15550100", 0, 1, 4))),
    (PC_AND_SSN, Address(1, 146, 2910)),
    (ODD_DIGITS, Address(0, None, None, GlobalTitle(4, "12345", 9, 1, 3))),
    (NOA_ONLY, Address(0, None, None, GlobalTitle(1, "1234", noa=4))),
    (TT_ONLY, Address(0, None, None, GlobalTitle(2, "1234", tt=10))),
    (HOST, Address(1, 8, excess=bytes.fromhex("8005 000b 73637000 626f78 00"))),
    (IPV4, Address(1, 8, excess=bytes.fromhex("8004 0008 c0000201"))),
]


@pytest.mark.parametrize(("text", "address"), KNOWN)
def test_known_octets_both_ways(text, address):
    octets = bytes.fromhex(text)
    assert decode_address(octets) == address
    assert encode_address(address) == octets


def test_ansi_titles_have_other_members():
    octets = bytes.fromhex("0001 0004  8001 000e 000000 01 04 0a 01 00 2143 0000")
    address = Address(0, None, None, GlobalTitle(1, "1234", tt=10, np=1))
    assert decode_address(octets, Network.ANSI) == address
    assert encode_address(address, Network.ANSI) == octets


def test_what_is_there_counts_more_than_what_is_said_to_be_there():
    octets = bytes.fromhex("0002 0007  8002 0008 00000001  8003 0008 00000001")
    assert decode_address(octets) == Address(1, 1, 1)


def test_an_unknown_parameter_comes_back_in_the_answer():
    octets = bytes.fromhex("0002 0001  8003 0008 000000 08  8099 0006 abcd 0000")
    address = decode_address(octets)
    assert address.ssn == 8
    assert encode_address(address) == octets


@pytest.mark.parametrize(
    ("text", "offset", "part"),
    [
        ("00", 0, "cut off"),
        ("0000 0000", 0, "routing indicator 0"),
        ("0005 0000", 0, "routing indicator 5"),
        ("0002 0003  8002 0008 00000b5e  8003 0009 000000 92", 12, "length 9"),
        ("0002 0003  8002 0008 00000b5e  8003 0006 0092 0000", 12, "2 octets"),
        ("0002 0002  8002 0008 00004000", 4, "16384 is above 16383"),
        ("0001 0004  8001 0008 00000004", 4, "no global title"),
        ("0001 0004  8001 000e 000000 04 05 00 01 04 2143 0000", 4, "5 digits in 2 octets"),
        ("0001 0004  8001 000e 000000 04 01 00 01 04 2143 0000", 4, "1 digits in 2 octets"),
    ],
)
def test_malformed_addresses_say_where(text, offset, part):
    with pytest.raises(RemoteProtocolError, match=part) as caught:
        decode_address(bytes.fromhex(text))
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    "address",
    [
        Address(1, 8, 0x4000),
        Address(1, 256),
        Address(2, 8),
        Address(1, 8, excess=b"abc"),
        Address(0, 8, None, GlobalTitle(4, "12g4", 0, 1, 4)),
        Address(0, 8, None, GlobalTitle(4, "1234", 0, 300, 4)),
        Address(0, 8, None, GlobalTitle(4, "1" * 256, 0, 1, 4)),
    ],
)
def test_what_does_not_fit_is_refused(address):
    with pytest.raises(LocalProtocolError):
        encode_address(address)


def octets_up_to(highest):
    return st.none() | st.integers(0, highest)


digits = st.text("0123456789abcdef", min_size=1, max_size=40)
titles = st.one_of(
    st.builds(lambda d, noa: GlobalTitle(1, d, noa=noa), digits, st.integers(0, 255)),
    st.builds(lambda d, tt: GlobalTitle(2, d, tt=tt), digits, st.integers(0, 255)),
    st.builds(
        lambda d, tt, np, noa: GlobalTitle(4, d, tt, np, noa),
        digits,
        *(st.integers(0, 255) for _ in range(3)),
    ),
)
addresses = st.builds(
    Address, st.sampled_from([0, 1]), octets_up_to(255), octets_up_to(0x3FFF), st.none() | titles
)


@given(addresses)
def test_every_address_survives(address):
    assert decode_address(encode_address(address)) == address


@given(st.binary(max_size=60))
def test_any_octets_are_an_address_or_an_error(octets):
    try:
        decode_address(octets)
    except RemoteProtocolError:
        return
