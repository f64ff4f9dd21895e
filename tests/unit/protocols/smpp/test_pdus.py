"""The codec: octets as in the standard, encoding and decoding, and refused octets."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.smpp.samples import MESSAGE, PDUS, id_of

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import (
    LAYOUTS,
    RESPONSE,
    Command,
    Number,
    Status,
    Text,
    Tlv,
    command_name,
    is_response,
)
from tsvc.protocols.smpp.pdus import MAX_SEQUENCE_NUMBER, Pdu, Refused, decode, encode


@pytest.mark.parametrize("pdu", PDUS, ids=id_of)
def test_every_kind_comes_back(pdu):
    assert decode(encode(pdu)) == pdu


def test_octets_of_a_bind():
    """The example of a bind_transmitter that the standard shows field by field."""
    octets = bytes.fromhex(
        "0000002f 00000002 00000000 00000001 534d50503354455354 00 7365637265743038 00"
        "5355424d495431 00 00 01 01 00"
    )
    pdu = decode(octets)
    assert (pdu.name, pdu.sequence_number) == ("bind_transmitter", 1)
    assert pdu.parameters == {
        "system_id": "SMPP3TEST",
        "password": "secret08",
        "system_type": "SUBMIT1",
        "interface_version": 0,
        "addr_ton": 1,
        "addr_npi": 1,
        "address_range": "",
    }
    assert encode(pdu) == octets


def test_what_is_not_given_is_nothing():
    octets = encode(Pdu(Command.SUBMIT_SM, 1, 0, {"destination_addr": "7"}))
    assert octets[16:] == bytes(6) + b"7\0" + bytes(10)


def test_a_refusal_has_no_body_and_an_acceptance_has():
    assert len(encode(Pdu(RESPONSE | Command.SUBMIT_SM, 1, 0x58))) == 16
    assert encode(Pdu(RESPONSE | Command.SUBMIT_SM, 1))[16:] == b"\0"
    assert encode(Pdu(RESPONSE | Command.SUBMIT_SM, 1, 0x58, {"message_id": "a"}))[16:] == b"a\0"


def test_a_response_may_come_without_a_body():
    octets = bytes.fromhex("00000010 80000005 00000000 00000007")
    assert decode(octets) == Pdu(RESPONSE | Command.DELIVER_SM, 7)


def broken(at, octets):
    """Return a submit_sm with some octets replaced."""
    whole = bytearray(encode(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE)))
    whole[at : at + len(octets)] = octets
    return bytes(whole)


WHOLE = encode(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE))


def resized(octets):
    return len(octets).to_bytes(4) + octets[4:]


@pytest.mark.parametrize(
    ("octets", "status"),
    [
        (b"", Status.ESME_RINVCMDLEN),
        (WHOLE[:15], Status.ESME_RINVCMDLEN),
        (WHOLE[:-1], Status.ESME_RINVCMDLEN),
        (resized(WHOLE[:16]), Status.ESME_RINVSERTYP),
        (resized(WHOLE[:-1]), Status.ESME_RINVMSGLEN),
        (resized(WHOLE[:-6]), Status.ESME_RINVCMDLEN),
        (resized(WHOLE[:-5] + b"\xff" + bytes(255)), Status.ESME_RINVOPTPARSTREAM),
        (resized(WHOLE[:-6] + b"\xff" + bytes(255)), Status.ESME_RINVMSGLEN),
        (broken(16, b"CMTCMT"), Status.ESME_RINVSERTYP),
        (resized(WHOLE + b"\x02\x04\x00"), Status.ESME_RINVOPTPARSTREAM),
        (resized(WHOLE + b"\x02\x04\x00\x02\x01"), Status.ESME_RINVOPTPARSTREAM),
        (broken(4, b"\x00\x00\x00\x21"), Status.ESME_RINVCMDID),
    ],
)
def test_what_is_wrong_says_with_which_status(octets, status):
    with pytest.raises(Refused) as refused:
        decode(octets)
    assert refused.value.status is status


@pytest.mark.parametrize(
    ("parameters", "tlvs", "name"),
    [
        ({"source_addr": "1" * 21}, (), "source_addr"),
        ({"source_addr": "1\0"}, (), "source_addr"),
        ({"source_addr": "١"}, (), "source_addr"),
        ({"source_addr": 1}, (), "source_addr"),
        ({"esm_class": 256}, (), "esm_class"),
        ({"esm_class": -1}, (), "esm_class"),
        ({"esm_class": "1"}, (), "esm_class"),
        ({"short_message": bytes(255)}, (), "short_message"),
        ({"short_message": "text"}, (), "short_message"),
        ({}, (Tlv(0x0424, bytes(65536)),), "tlv_0424"),
    ],
)
def test_what_does_not_fit_is_refused(parameters, tlvs, name):
    with pytest.raises(LocalProtocolError) as refused:
        encode(Pdu(Command.SUBMIT_SM, 1, 0, parameters, tlvs))
    assert refused.value.path == name


def values_of(parameter):
    kind = parameter.kind
    if isinstance(kind, Number):
        return st.integers(0, (1 << 8 * kind.octets) - 1)
    if isinstance(kind, Text):
        characters = st.characters(min_codepoint=1, max_codepoint=255)
        return st.text(characters, max_size=kind.max_octets - 1)
    return st.binary(max_size=kind.max_octets)


@st.composite
def pdus(draw):
    command_id = draw(st.sampled_from(sorted(LAYOUTS)))
    parameters = {one.name: draw(values_of(one)) for one in LAYOUTS[command_id]}
    tlvs = draw(st.lists(st.builds(Tlv, st.integers(0, 0xFFFF), st.binary(max_size=300))))
    status = draw(st.integers(0, 0xFFFF_FFFF)) if is_response(command_id) else 0
    number = draw(st.integers(0, MAX_SEQUENCE_NUMBER))
    return Pdu(command_id, number, status, parameters, tuple(tlvs))


@given(pdus())
@settings(max_examples=examples(300), deadline=None)
def test_any_pdu_comes_back(pdu):
    assert decode(encode(pdu)) == pdu


@given(st.sampled_from(sorted(LAYOUTS)), st.binary(max_size=200))
@settings(max_examples=examples(500), deadline=None)
def test_any_body_is_read_or_refused(command_id, body):
    """Encoding restores all octets of a body that is read: nothing is lost."""
    octets = (16 + len(body)).to_bytes(4) + command_id.to_bytes(4) + bytes(7) + b"\1" + body
    try:
        pdu = decode(octets)
    except Refused:
        return
    if body or not is_response(command_id):
        assert encode(pdu) == octets


def test_names():
    assert command_name(0x80000000) == "generic_nack"
    assert command_name(0x80000103) == "data_sm_resp"
    assert command_name(0x21) == "0x00000021"
