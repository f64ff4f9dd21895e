"""Dialogue portions that break a rule; valid ones are in the vectors of messages."""

import pytest

from tsvc.errors import RemoteProtocolError
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt, decode, encode

AS_ID = "06 07 00118605010101"
CONTEXT = "a1 06 06 04 04000102"


def external(contents):
    octets = bytes.fromhex(contents)
    return b"\x28" + bytes((len(octets),)) + octets


def aligned(pdu):
    """Return an EXTERNAL with an octet-aligned PDU, which has one length less."""
    octets = bytes.fromhex(pdu)
    return external(AS_ID + "81" + bytes((len(octets),)).hex() + pdu)


@pytest.mark.parametrize(
    "octets",
    [
        b"",
        b"\x30\x00",
        external(""),
        external(AS_ID),
        external(AS_ID + "a0 00"),
        external("06 03 2a0304" + "a0 0a 60 08" + CONTEXT),
        aligned("60 00"),
        aligned("60 02 a1 00"),
        aligned("60 04 a1 02 06 00"),
        aligned("60 05 a1 03 04 01 01"),
        aligned("60 07" + CONTEXT),
        aligned("61 08" + CONTEXT),
        aligned("61 0d" + CONTEXT + "a2 03 02 01 00"),
        aligned("61 10" + CONTEXT + "a2 03 02 01 00 a3 01 a1"),
        aligned("61 14" + CONTEXT + "a2 03 02 01 00 a3 05 a3 03 02 01 00"),
        aligned("61 14" + CONTEXT + "a2 03 04 01 00 a3 05 a1 03 02 01 00"),
        aligned("61 15" + CONTEXT + "a2 04 02 02 0000 a3 05 a1 03 02 01 00"),
        aligned("61 13" + CONTEXT + "a2 03 02 01 00 a3 04 a1 02 02 00"),
        aligned("64 00"),
        aligned("64 02 80 00"),
        aligned("65 03 80 01 00"),
        # Invalid in all types: octets at the end, members that are unknown, repeated or too late.
        aligned("60 08" + CONTEXT) + b"\x00",
        aligned("60 08" + CONTEXT + "00"),
        aligned("60 10" + CONTEXT + CONTEXT),
        aligned("60 0b" + CONTEXT + "87 01 00"),
        aligned("60 0c" + CONTEXT + "80 02 0780"),
        aligned("60 0b 80 01 07" + CONTEXT),
        aligned("60 09 a1 07 06 04 04000102 00"),
        aligned("61 17" + CONTEXT + "a2 03 02 01 00 a3 08 a1 06 02 01 00 02 01 00"),
        aligned("61 18" + CONTEXT + "a2 06 02 01 00 02 01 00 a3 05 a1 03 02 01 00"),
        aligned("61 19" + CONTEXT + "a2 03 02 01 00 a2 03 02 01 00 a3 05 a1 03 02 01 00"),
        # No syntax, the syntax twice, two encodings.
        external("a0 0a 60 08" + CONTEXT),
        external(AS_ID + AS_ID + "a0 0a 60 08" + CONTEXT),
        external(AS_ID + "a0 0a 60 08" + CONTEXT + "81 0a 60 08" + CONTEXT),
    ],
    ids=lambda octets: octets.hex() or "empty",
)
def test_refused(octets):
    with pytest.raises(RemoteProtocolError):
        decode(octets)


@pytest.mark.parametrize(
    ("version", "is_version_1"),
    [("80 02 0780", True), ("80 02 06c0", True), ("80 02 0640", False), ("80 01 00", False)],
)
def test_version_offered(version, is_version_1):
    octets = bytes.fromhex(version)
    length = 8 + len(octets)
    aarq = decode(aligned(f"60 {length:02x}" + version + CONTEXT))
    assert isinstance(aarq, Aarq)
    assert aarq.is_version_1 is is_version_1
    assert aarq.version == octets[2:]
    assert octets in encode(aarq)


def test_an_answer_in_a_version_that_nobody_offers_is_none():
    accepted = encode(Aare(b"\x2a"))[2:]
    assert decode(accepted) == Aare(b"\x2a")
    other = accepted.replace(bytes.fromhex("80020780"), bytes.fromhex("80020640"))
    assert other != accepted
    with pytest.raises(RemoteProtocolError, match="version"):
        decode(other)


def test_absent_version_reads_as_its_default():
    assert decode(aligned("60 08" + CONTEXT)) == Aarq(bytes.fromhex("04000102"))


def test_encoded_pdu_decodes_to_itself():
    for pdu in (Aarq(b"\x2a", b"\x28\x00"), Abrt(1, b"\x28\x00"), Abrt(0)):
        assert decode(encode(pdu)[2:]) == pdu
