"""Every structural mutant of a PDU is noted or refused, or has a reason to be tolerated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.protocols.smpp.samples import MESSAGE, PDUS, TLVS

from tsvc.protocols.smpp.commands import (
    LAYOUTS,
    RESPONSE,
    TLV_TYPES,
    Command,
    Message,
    Number,
    Octets,
    Text,
    Tlv,
    is_response,
)
from tsvc.protocols.smpp.pdus import HEADER_OCTETS, Pdu, Refused, encode, read

ANSWERS = [
    pdu
    for pdu in PDUS
    if pdu.command_id in (RESPONSE | Command.DELIVER_SM, RESPONSE | Command.DATA_SM)
]
REQUESTS = [Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE, TLVS), Pdu(Command.DELIVER_SM, 7, 0, MESSAGE)]
SAMPLES = [*ANSWERS, *REQUESTS]
IDS = [f"{pdu.name} {pdu.command_status}" for pdu in SAMPLES]


def notes(octets):
    """Return the notes about octets, or the reason why they are refused completely."""
    try:
        return read(octets).notes
    except Refused as refused:
        return (str(refused),)


def framed(octets):
    """Return octets with a command_length that is their number."""
    return len(octets).to_bytes(4) + octets[4:]


@pytest.mark.parametrize("pdu", PDUS, ids=lambda pdu: f"{pdu.name} {pdu.command_status}")
def test_what_is_right_has_no_notes(pdu):
    assert notes(encode(pdu)) == ()


def mutants(pdu):
    """Yield (description of the change, octets, why it is tolerable or None)."""
    whole = encode(pdu)
    for length in (0, 15, len(whole) - 1, len(whole) + 1, 0xFFFFFFFF):
        yield f"command_length {length}", length.to_bytes(4) + whole[4:], None
    for cut in range(HEADER_OCTETS, len(whole)):
        at_tlv = tlv_starts(pdu, whole)
        reason = None
        if cut in at_tlv:
            reason = "optional parameters may be missing"
        elif cut == HEADER_OCTETS and pdu.command_status:
            reason = "a refusal has no body"
        yield f"cut after {cut} octets", framed(whole[:cut]), reason
    for number in (0, 0x80000000, 0xFFFFFFFF):
        yield f"number {number:x}", whole[:12] + number.to_bytes(4) + whole[16:], None
    if not is_response(pdu.command_id):
        yield "a status in a request", whole[:8] + (8).to_bytes(4) + whole[12:], None
    yield from texts(pdu, whole)
    for tag, type_ in TLV_TYPES.items():
        for size in {0, 1, 2, 3, 4, 5, 24, 70, 300}:
            value = b"a" * size
            fits = not type_.problem(value)
            yield (
                f"{type_.name} of {size} octets",
                encode(with_tlv(pdu, Tlv(tag, value))),
                "it is right" if fits else None,
            )
        right = Tlv(tag, right_value(type_.kind))
        yield (
            f"{type_.name} twice",
            encode(with_tlv(pdu, right, right)),
            "one for each number" if type_.may_repeat else None,
        )
    for size in (0, 5):
        yield (
            f"an unknown TLV of {size} octets",
            encode(with_tlv(pdu, Tlv(0x1400, b"x" * size))),
            "tags of vendors and of later versions",
        )


def right_value(kind):
    if isinstance(kind, Number):
        return bytes(kind.octets)
    if isinstance(kind, Text):
        return b"a\0"
    assert isinstance(kind, Octets)
    return bytes(kind.least)


def with_tlv(pdu, *tlvs):
    parameters = pdu.parameters or {"message_id": ""}
    return Pdu(pdu.command_id, pdu.sequence_number, pdu.command_status, parameters, tlvs)


def tlv_starts(pdu, whole):
    """Return the offsets at which a TLV may begin: the octets before are a whole PDU."""
    bare = encode(Pdu(pdu.command_id, 1, pdu.command_status, pdu.parameters))
    found = [len(bare)]
    for tlv in pdu.tlvs:
        found.append(found[-1] + 4 + len(tlv.value))
    return found


def texts(pdu, whole):
    """Yield PDUs in which a text lacks its NUL, or sm_length is wrong."""
    at = HEADER_OCTETS
    for parameter in LAYOUTS[pdu.command_id] if pdu.parameters else ():
        kind = parameter.kind
        if isinstance(kind, Number):
            at += kind.octets
        elif isinstance(kind, Message):
            for length in (255, len(whole)):
                mutant = whole[:at] + bytes((min(length, 255),)) + whole[at + 1 :]
                yield f"sm_length {length}", mutant, None
        else:
            end = whole.index(0, at)
            long = whole[:at] + b"a" * kind.max_octets + whole[end:]
            yield f"{parameter.name} too long", framed(long), None
            for other in (b"a", b"26112112000000+", b"261321120000000+") if kind.form else ():
                mutant = framed(whole[:at] + other + whole[end:])
                yield f"{parameter.name} {other!r}", mutant, None
            at = end + 1


@pytest.mark.parametrize("pdu", SAMPLES, ids=IDS)
def test_every_mutant_is_told_or_is_tolerable(pdu):
    count = 0
    for what, octets, tolerable in mutants(pdu):
        found = notes(octets)
        if tolerable:
            assert not found, (what, found)
        else:
            assert found, what
        count += 1
    assert count > 200


@given(st.binary(max_size=80), st.sampled_from([pdu.command_id for pdu in SAMPLES]))
def test_a_body_that_is_anything_never_raises(body, command):
    octets = command.to_bytes(4) + bytes(4) + (1).to_bytes(4) + body
    read((len(octets) + 4).to_bytes(4) + octets)


def test_the_body_may_be_left_out_of_a_refusal_only():
    assert notes(encode(Pdu(RESPONSE | Command.DELIVER_SM, 1, 0x64))) == ()
    bare = framed(encode(Pdu(RESPONSE | Command.DELIVER_SM, 1, 0x64))[:8] + bytes(4) + b"\0\0\0\1")
    assert notes(bare) == ("message_id is missing",)


@pytest.mark.parametrize(
    ("text", "is_time"),
    [
        ("", True),
        ("261121120000000+", True),
        ("261121235959948-", True),
        ("991399999999000R", True),
        ("261121120000049+", False),  # 49 quarters of an hour
        ("261121240000000+", False),
        ("261100120000000+", False),
        ("261121120000000Z", False),
        ("000002000000100R", False),  # tenths of a second in a relative time
        ("26112112000000", False),
        ("26112112000000 +", False),
    ],
)
def test_times_have_their_form(text, is_time):
    octets = encode(Pdu(Command.DELIVER_SM, 7, 0, {**MESSAGE, "validity_period": text}))
    wanted = () if is_time else (f"validity_period: {text!r} is no time",)
    assert notes(octets) == wanted
