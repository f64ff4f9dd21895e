"""SMPP messages as the ladder shows them."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from unit.protocols.smpp.samples import MESSAGE, PDUS, id_of

from tsvc.kinds.smpp.messages import decode_pdu as decode
from tsvc.protocols.smpp.commands import GENERIC_NACK, RESPONSE, Command
from tsvc.protocols.smpp.pdus import Pdu, encode
from tsvc.results.exchanges import decode_messages
from tsvc.results.ladder import ladder_text
from tsvc.results.records import ExchangeRecord


@pytest.mark.parametrize(
    ("pdu", "title", "facts", "is_failure"),
    [
        (
            Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE),
            "submit_sm",
            ("6421000001 to 777", '"hello"'),
            False,
        ),
        (
            Pdu(Command.DELIVER_SM, 5, 0, {"destination_addr": "7", "short_message": b"a" * 99}),
            "deliver_sm",
            ("to 7", f'"{"a" * 40}…"'),
            False,
        ),
        (
            Pdu(Command.DELIVER_SM, 5, 0, {"data_coding": 4, "short_message": b"\1\2"}),
            "deliver_sm",
            ("2 octets",),
            False,
        ),
        (
            Pdu(RESPONSE | Command.SUBMIT_SM, 5, 0, {"message_id": "a"}),
            "submit_sm_resp",
            ("ESME_ROK", "message_id a"),
            False,
        ),
        (
            Pdu(RESPONSE | Command.SUBMIT_SM, 5, 0x58),
            "submit_sm_resp",
            ("ESME_RTHROTTLED",),
            True,
        ),
        (Pdu(GENERIC_NACK, 5, 0x400), "generic_nack", ("0x00000400",), True),
    ],
)
def test_what_is_told(pdu, title, facts, is_failure):
    told = decode(encode(pdu), True)
    assert (told.title, told.facts, told.is_failure) == (title, facts, is_failure)


def test_what_can_not_be_read():
    told = decode(b"\1\2", False)
    assert told.is_failure
    assert told.content == {"hex": "0102"}


@pytest.mark.parametrize("pdu", PDUS, ids=id_of)
def test_all_of_it_is_json(pdu):
    text = json.dumps(decode_messages([ExchangeRecord(0.5, "smpp", "SMSC", True, encode(pdu))]))
    assert pdu.name in text
    assert "secret" not in text.replace(encode(pdu).hex(), "")


@given(st.binary(max_size=100))
@settings(max_examples=examples(200), deadline=None)
def test_never_raises(octets):
    json.dumps(decode(octets, False).content)


def test_a_ladder_names_the_smsc_which_is_us_and_each_esme():
    pdu = encode(Pdu(Command.SUBMIT_SM, 5, 0, MESSAGE))
    records = [
        ExchangeRecord(0.1, "smpp", "bank", False, pdu),
        ExchangeRecord(0.2, "smpp", "pizza", False, pdu),
    ]
    heading, *lines = ladder_text(decode_messages(records)).splitlines()
    assert heading.split() == ["seconds", "SMSC", "ESME", "bank", "ESME", "pizza"]
    arrows = [line for line in lines if "submit_sm" in line]
    assert all("|<" in line for line in arrows), "from the ESME to us"
