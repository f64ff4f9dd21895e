"""The optional part: hand-annotated octets, order, deviations."""

import pytest

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.protocols.sccp.messages import (
    OptionalPart,
    Segmentation,
    decode_optional,
    encode_optional,
)

CASES = {
    "nothing": (OptionalPart(), ""),
    # 0x10, 4 octets: F, class, 2 spare, remaining; local reference, low octet first; end
    "first of three": (
        OptionalPart(
            Segmentation(is_first=True, in_sequence=True, remaining=2, local_reference=0x010203)
        ),
        "10 04 c2 030201 00",
    ),
    "last": (
        OptionalPart(
            Segmentation(
                is_first=False, in_sequence=False, remaining=0, local_reference=1, spare=3
            )
        ),
        "10 04 30 010000 00",
    ),
    "importance": (OptionalPart(importance=7), "12 01 07 00"),
    "all": (
        OptionalPart(Segmentation(False, True, 15, 0xFFFFFF), 0, ((0x99, b"ab"), (0x12, b"\x01"))),
        "10 04 4f ffffff 12 01 00 99 02 6162 12 01 01 00",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_both_directions(name):
    part, octets_hex = CASES[name]
    octets = bytes.fromhex(octets_hex)
    assert encode_optional(part) == octets
    if octets:
        assert decode_optional(b"..." + octets, 3, "XUDT") == part


@pytest.mark.parametrize(
    ("octets_hex", "offset"),
    [
        ("", 0),
        ("12 01 07", 3),
        ("12", 0),
        ("12 02 07", 0),
        ("12 02 0700 00", 0),
        ("12 01 07 10 03 000000 00", 3),
    ],
)
def test_deviations(octets_hex, offset):
    with pytest.raises(RemoteProtocolError) as caught:
        decode_optional(bytes.fromhex(octets_hex), 0, "XUDT")
    assert caught.value.offset == offset


@pytest.mark.parametrize(
    "part",
    [
        OptionalPart(importance=256),
        OptionalPart(Segmentation(True, True, 16, 0)),
        OptionalPart(Segmentation(True, True, 0, 1 << 24)),
        OptionalPart(Segmentation(True, True, 0, 0, spare=4)),
        OptionalPart(others=((0x99, bytes(256)),)),
    ],
)
def test_what_can_not_be_sent(part):
    with pytest.raises(LocalProtocolError):
        encode_optional(part)
