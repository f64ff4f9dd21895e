"""An endpoint gets messages for no dialogue, unreadable ones, and wrong dialogue portions."""

import pytest
from support.playbook import playbook, received, sent
from unit.protocols.tcap.conftest import TCAP

from tsvc.errors import LocalProtocolError
from tsvc.protocols import ber
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.dialogue_portion import encode as encode_portion
from tsvc.protocols.tcap.endpoint import Counters, Endpoint
from tsvc.protocols.tcap.messages import Message, MessageType, PAbortCause, decode, encode

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")


# -- messages for no dialogue ---------------------------------------------------------------


@pytest.mark.parametrize("type_", [MessageType.CONTINUE, MessageType.END, MessageType.ABORT])
def test_unknown_transaction(type_):
    endpoint = Endpoint()
    otid = b"\x01\x02" if type_ is MessageType.CONTINUE else None
    octets = encode(type_, otid=otid, dtid=b"\0\0\0\x77")
    assert endpoint.receive(octets, "us", "them", 0.0, "link 3") == []
    sent = endpoint.data_to_send()
    if type_ is MessageType.CONTINUE:
        (outgoing,) = sent
        assert (outgoing.called, outgoing.calling) == ("them", "us")
        assert outgoing.route == "link 3"
        assert outgoing.octets == bytes.fromhex("6707 4902 0102 4a01 01")
        assert endpoint.counters == Counters(aborted_unknown=1)
    else:
        assert sent == []
        assert endpoint.counters == Counters(dropped=1)


def test_unidirectional_both_ways(pair):
    component = bytes.fromhex("a106 020100 020105")
    pair.a.unidirectional([component], "B", "A")
    (indication,) = pair.flow()
    assert indication.kind is IndicationKind.UNIDIRECTIONAL
    assert indication.components == [Invoke(0, 5)]
    assert indication.pdu is None
    assert (indication.dialogue.local_address, indication.dialogue.remote_address) == ("B", "A")
    assert not pair.b.dialogues


def test_unidirectional_with_a_dialogue_portion(pair):
    component = bytes.fromhex("a106 020100 020105")
    information = bytes.fromhex("2804 0602 2a03")
    pair.a.unidirectional(
        [component], "B", "A", application_context=b"\x2a\x03", user_information=information
    )
    (outgoing,) = pair.a.data_to_send()
    # AUDT has an abstract syntax of its own, 0.0.17.773.1.2.1.
    assert outgoing.octets == bytes.fromhex(
        "612d 6b21 281f 060700118605010201 a014 6012 80020780 a10406022a03 be06280406022a03"
        "6c08 a106 020100 020105"
    )
    (indication,) = pair.b.receive(outgoing.octets, "B", "A", 0.0)
    assert indication.kind is IndicationKind.UNIDIRECTIONAL
    assert indication.pdu == Aarq(b"\x2a\x03", information, is_unidirectional=True)
    assert not pair.b.dialogues


@pytest.mark.parametrize(
    "portion",
    [
        b"\x6b\x02\x28\x00",
        encode_portion(Aarq(b"\x2a\x03")),
        encode_portion(Aarq(b"\x2a\x03", b"", b"\x06\x40", is_unidirectional=True)),
        encode_portion(Abrt(0)),
    ],
    ids=["unreadable", "AARQ", "version 2", "ABRT"],
)
def test_unidirectional_with_a_wrong_dialogue_portion_is_dropped(portion):
    component = bytes.fromhex("a106 020100 020105")
    endpoint = Endpoint()
    octets = encode(MessageType.UNIDIRECTIONAL, dialogue=portion, components=[component])
    assert playbook(endpoint, TCAP) >> received(octets)
    assert endpoint.counters == Counters(unreadable=1)


def test_begin_with_an_audt_is_aborted_by_the_provider():
    audt = encode_portion(Aarq(b"\x2a\x03", is_unidirectional=True))
    assert (
        playbook(Endpoint(), TCAP)
        >> received(encode(MessageType.BEGIN, otid=b"\x07", dialogue=audt))
        << sent(lambda abort: abort.dialogue == Abrt(1))
    )


@pytest.mark.parametrize(
    ("components", "information"), [([], b""), ([b"\xa1\x06\2\1\0\2\1\5"], b"\x28\x00")]
)
def test_unidirectional_that_can_not_be_sent(components, information):
    endpoint = Endpoint()
    with pytest.raises(LocalProtocolError):
        endpoint.unidirectional(components, "B", "A", user_information=information)
    assert endpoint.data_to_send() == []


@pytest.mark.parametrize(
    ("octets", "cause"),
    [
        ("63 03 48 01 07", PAbortCause.UNRECOGNIZED_MESSAGE_TYPE),
        ("62 05 48 01 07 6c 05", PAbortCause.BADLY_FORMATTED_TRANSACTION_PORTION),
        ("62 06 48 01 07 49 01 08", PAbortCause.INCORRECT_TRANSACTION_PORTION),
        ("65 03 48 01 07", PAbortCause.INCORRECT_TRANSACTION_PORTION),
    ],
)
def test_unreadable_is_answered_if_it_says_whom(octets, cause):
    endpoint = Endpoint()
    assert endpoint.receive(bytes.fromhex(octets), "us", "them", 0.0, "link 3") == []
    (outgoing,) = endpoint.data_to_send()
    assert decode(outgoing.octets) == Message(
        MessageType.ABORT, dtid=b"\x07", p_abort_cause=int(cause)
    )
    assert (outgoing.called, outgoing.calling, outgoing.route) == ("them", "us", "link 3")
    assert endpoint.counters == Counters(unreadable=1)


@pytest.mark.parametrize(
    "octets",
    ["", "62", "62 00", "62 02 48 00", "64 06 48 01 07 49 01 08", "61 03 48 01 07", "30 00"],
)
def test_unreadable_that_is_not_answered(octets):
    endpoint = Endpoint()
    assert endpoint.receive(bytes.fromhex(octets), "us", "them", 0.0) == []
    assert endpoint.data_to_send() == []
    assert endpoint.counters == Counters(unreadable=1)


def test_unreadable_continue_ends_the_dialogue_at_both_ends(pair):
    ours, theirs, _ = pair.begin()
    theirs.continue_()
    pair.flow()
    octets = bytes.fromhex("650f 4804") + theirs.otid + b"\x49\x04" + ours.otid + b"\x04\x01\x00"
    (indication,) = pair.a.receive(octets, "A", "B", 0.0)
    assert indication.kind is IndicationKind.P_ABORT
    assert indication.p_abort_cause == PAbortCause.INCORRECT_TRANSACTION_PORTION
    assert "unreadable" in indication.text
    (told,) = pair.flow()
    assert told.dialogue is theirs
    assert told.kind is IndicationKind.P_ABORT
    assert not pair.a.dialogues
    assert not pair.b.dialogues


def test_unknown_cause_of_a_provider_abort_is_shown(pair):
    ours, _, _ = pair.begin()
    octets = encode(MessageType.ABORT, dtid=ours.otid, p_abort_cause=99)
    (indication,) = pair.a.receive(octets, "A", "B", 0.0)
    assert (indication.kind, indication.p_abort_cause) == (IndicationKind.P_ABORT, 99)


# -- dialogue portions that are wrong -------------------------------------------------------


@pytest.mark.parametrize(
    "dialogue",
    [
        "6b 02 05 00",
        "6b 12 28 10 06 07 00118605010101 a0 05 64 03 80 01 00",
    ],
    ids=["no EXTERNAL", "ABRT"],
)
def test_begin_with_a_wrong_dialogue_portion_is_aborted_by_the_provider(dialogue):
    endpoint = Endpoint()
    octets = encode(MessageType.BEGIN, otid=b"\x07", dialogue=bytes.fromhex(dialogue))
    assert endpoint.receive(octets, "us", "them", 0.0) == []
    (outgoing,) = endpoint.data_to_send()
    assert decode(outgoing.octets) == Message(MessageType.ABORT, dtid=b"\x07", dialogue=Abrt(1))
    assert (outgoing.called, outgoing.calling) == ("them", "us")
    assert not endpoint.dialogues


def test_begin_without_a_version_in_common_is_refused_by_the_provider():
    endpoint = Endpoint()
    dialogue = "6b 1b 28 19 06 07 00118605010101 a0 0e 60 0c 80 02 0640 a1 06 06 04 04000102"
    octets = encode(MessageType.BEGIN, otid=b"\x07", dialogue=bytes.fromhex(dialogue))
    assert endpoint.receive(octets, "us", "them", 0.0) == []
    (outgoing,) = endpoint.data_to_send()
    refusal = Aare(bytes.fromhex("04000102"), result=1, diagnostic_source=2, diagnostic=2)
    assert decode(outgoing.octets).dialogue == refusal
    assert not endpoint.dialogues


@pytest.mark.parametrize("type_", [MessageType.CONTINUE, MessageType.END, MessageType.ABORT])
def test_later_dialogue_portion_that_is_wrong_is_said_in_words(pair, type_):
    ours, _, _ = pair.begin(CONTEXT)
    otid = b"\x07" if type_ is MessageType.CONTINUE else None
    octets = encode(type_, otid=otid, dtid=ours.otid, dialogue=bytes.fromhex("6b020500"))
    (indication,) = pair.a.receive(octets, "A", "B", 0.0)
    assert indication.pdu is None
    assert "EXTERNAL" in indication.text
