"""PDUs as trees, and parameters from the values of a definition."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.smpp.samples import BIND, MESSAGE, PDUS, TLVS, id_of

from tsvc.errors import LocalProtocolError
from tsvc.protocols.smpp.commands import LAYOUTS, RESPONSE, TLVS_BY_NAME, Command, Tlv
from tsvc.protocols.smpp.pdus import Pdu, Refused, decode
from tsvc.protocols.smpp.tree import members_of, parameters_of, status_of, tree_of

SUBMIT = Command.SUBMIT_SM


def test_a_message():
    tree = tree_of(Pdu(SUBMIT, 5, 0, MESSAGE, TLVS))
    assert tree["command"] == "submit_sm"
    assert (tree["command_status"], tree["command_status_name"]) == (0, "ESME_ROK")
    parameters = tree["parameters"]
    expected = {
        "source_addr": "6421000001",
        "data_coding": 3,
        "sm_length": 5,
        "short_message": "hello",
        "short_message_text": "hello",
        "short_message_hex": "68656c6c6f",
        "user_message_reference": 7,
        "receipted_message_id": "17",
        "callback_num_hex": "0101013634",
        "message_state": 2,
    }
    assert {name: parameters[name] for name in expected} == expected


def test_a_payload_reads_as_the_message():
    pdu = Pdu(SUBMIT, 1, 0, {"data_coding": 8, "short_message": b""}, (Tlv(0x0424, b"\x04\x16"),))
    parameters = tree_of(pdu)["parameters"]
    assert parameters["short_message_text"] == "Ж"
    assert (parameters["sm_length"], parameters["message_payload_hex"]) == (0, "0416")


def test_binary_has_octets_only():
    pdu = Pdu(SUBMIT, 1, 0, {"data_coding": 4, "short_message": b"\x01\x02"})
    parameters = tree_of(pdu)["parameters"]
    assert parameters["short_message_hex"] == "0102"
    assert "short_message_text" not in parameters


def test_tlvs_that_nobody_declared_that_come_twice_or_are_of_another_size():
    tlvs = (Tlv(0x1401, b"\xab"), Tlv(0x0427, b"\1"), Tlv(0x0427, b"\2"), Tlv(0x0204, b"\1"))
    parameters = tree_of(Pdu(SUBMIT, 1, 0, {"short_message": b""}, tlvs))["parameters"]
    assert parameters["tlv_1401_hex"] == "ab"
    assert parameters["message_state"] == [1, 2]
    assert parameters["user_message_reference_hex"] == "01"


def test_passwords_are_not_shown():
    tree = tree_of(Pdu(Command.BIND_RECEIVER, 1, 0, BIND))
    assert tree["parameters"]["password"] == "***"
    assert "secret" not in json.dumps(tree)


# A password is hidden, and an SMSC never sends replace_sm.
SAID = [pdu for pdu in PDUS if "password" not in pdu.parameters and pdu.name != "replace_sm"]


@pytest.mark.parametrize("pdu", SAID, ids=id_of)
def test_the_tree_says_all_that_a_definition_needs_to_say_it_again(pdu):
    given = dict(tree_of(pdu)["parameters"])
    for name in ("sm_length", "short_message", "short_message_hex", "message_payload_hex"):
        given.pop(name, None)
    parameters, tlvs = parameters_of(pdu.command_id, given)
    assert {**dict.fromkeys(parameters), **pdu.parameters} == {
        **dict.fromkeys(pdu.parameters),
        **parameters,
    }
    assert sorted(tlvs, key=str) == sorted(pdu.tlvs, key=str)


def test_given_in_other_forms():
    parameters, tlvs = parameters_of(
        SUBMIT,
        {
            "source_addr": 64211,
            "esm_class": "0x40",
            "data_coding": "8",
            "validity_period": None,
            "short_message": "Ж",
            "sar_total_segments": "2",
            "tlv_1401_hex": "ab cd",
            "message_state": [1, 2],
            "source_port_hex": "01",
        },
    )
    assert parameters == {
        "source_addr": "64211",
        "esm_class": 0x40,
        "data_coding": 8,
        "short_message": b"\x04\x16",
    }
    assert tlvs == (
        Tlv(0x020E, b"\2"),
        Tlv(0x1401, b"\xab\xcd"),
        Tlv(0x0427, b"\1"),
        Tlv(0x0427, b"\2"),
        Tlv(0x020A, b"\1"),
    )


@pytest.mark.parametrize(("size", "is_payload"), [(254, False), (255, True), (65535, True)])
def test_a_long_message_goes_as_payload(size, is_payload):
    parameters, tlvs = parameters_of(SUBMIT, {"short_message_text": "a" * size})
    message = b"a" * size
    assert parameters == ({} if is_payload else {"short_message": message})
    assert tlvs == ((Tlv(0x0424, message),) if is_payload else ())


def test_data_sm_has_no_other_place():
    assert parameters_of(Command.DATA_SM, {"short_message": "hi"}) == ({}, (Tlv(0x0424, b"hi"),))


def test_a_user_data_header_says_so():
    given = {"udh_hex": "0500030102 01", "short_message_hex": "616263"}
    parameters, _ = parameters_of(SUBMIT, given)
    assert parameters == {
        "short_message": bytes.fromhex("050003010201616263"),
        "esm_class": 0x40,
    }
    tree = tree_of(Pdu(SUBMIT, 1, 0, parameters))["parameters"]
    assert (tree["udh_hex"], tree["short_message_text"]) == ("050003010201", "abc")
    parameters, _ = parameters_of(SUBMIT, {**given, "esm_class": 0})
    assert parameters["esm_class"] == 0


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({"destination": "7"}, "destination"),
        ({"sm_length": 3}, "sm_length"),
        ({"source_addr": "1" * 21}, "source_addr"),
        ({"source_addr": ["1"]}, "source_addr"),
        ({"source_addr": True}, "source_addr"),
        ({"data_coding": "eight"}, "data_coding"),
        ({"data_coding": 256}, "data_coding"),
        ({"data_coding": 1.5}, "data_coding"),
        ({"data_coding": float("inf")}, "data_coding"),
        ({"data_coding": float("nan")}, "data_coding"),
        ({"short_message_text": "Ж"}, "short_message_text"),
        ({"short_message": "é", "data_coding": 4}, "short_message"),
        ({"short_message_hex": "abc"}, "short_message_hex"),
        ({"short_message_hex": 12}, "short_message_hex"),
        ({"short_message": "a" * 65536}, "short_message"),
        ({"short_message": "a" * 255, "message_payload_hex": "61"}, "message_payload_hex"),
        ({"source_port": 65536}, "source_port"),
        ({"tlv_140_hex": "00"}, "tlv_140_hex"),
        ({"tlv_14zz_hex": "00"}, "tlv_14zz_hex"),
        ({"tlv_1401_hex": "0"}, "tlv_1401_hex"),
        ({"receipted_message_id": "x" * 65}, "receipted_message_id"),
    ],
)
def test_what_is_wrong_is_named(given, path):
    with pytest.raises(LocalProtocolError) as refused:
        parameters_of(SUBMIT, given)
    assert refused.value.path == path


@pytest.mark.parametrize(
    ("value", "status"), [(0, 0), ("11", 11), ("0x0B", 11), ("ESME_RINVDSTADR", 11), (1e3, 1000)]
)
def test_statuses(value, status):
    assert status_of(value) == status


@pytest.mark.parametrize("value", ["ESME_NO", -1, 1 << 32, None, [], ""])
def test_no_statuses(value):
    with pytest.raises(LocalProtocolError):
        status_of(value)


@pytest.mark.parametrize(
    ("value", "text"), [(5.0, "5"), (0.1 + 0.2, "0.3"), (1e9 + 1, "1000000001")]
)
def test_numbers_are_written_as_expressions_write_them(value, text):
    parameters, _ = parameters_of(SUBMIT, {"source_addr": value})
    assert parameters["source_addr"] == text


def test_members_are_all_there_is():
    assert {"destination_addr", "short_message_text", "source_port"} <= set(members_of(SUBMIT))
    response = set(members_of(RESPONSE | SUBMIT))
    assert "message_id" in response
    assert "short_message" not in response
    assert len(TLVS_BY_NAME) == 44


@given(st.sampled_from(sorted(LAYOUTS)), st.binary(max_size=200))
@settings(max_examples=examples(300), deadline=None)
def test_any_pdu_has_a_tree(command_id, body):
    octets = (16 + len(body)).to_bytes(4) + command_id.to_bytes(4) + bytes(8) + body
    try:
        pdu = decode(octets)
    except Refused:
        return
    json.dumps(tree_of(pdu))
