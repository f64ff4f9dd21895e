"""Two endpoints back to back: dialogues, dialogue portions, refusals and aborts."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols import ber
from tsvc.protocols.tcap.components import Invoke, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.endpoint import Counters, Endpoint
from tsvc.protocols.tcap.messages import Message, MessageType, PAbortCause, decode, encode
from tsvc.protocols.tcap.states import DialogueState

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")
INFORMATION = bytes.fromhex("2809 06022a03 a003 0401ff")


# -- a dialogue from begin to end -----------------------------------------------------------


def test_begin_continue_end(pair):
    ours, theirs, begin = pair.begin(CONTEXT, (0, 1, b"\x30\x00"))
    assert begin.kind is IndicationKind.BEGIN
    assert begin.components == [Invoke(0, 0, b"\x30\x00")]
    assert begin.pdu == Aarq(CONTEXT)
    assert (theirs.local_address, theirs.remote_address) == ("B", "A")
    assert theirs.remote_tid == ours.otid == bytes.fromhex("00000100")

    theirs.answer(ReturnResult(0, 0, b"\x05\x00"))
    theirs.invoke(20, 2, b"\x30\x00", now=0.0)
    theirs.continue_()
    (indication,) = pair.flow()
    assert indication.dialogue is ours
    assert indication.kind is IndicationKind.CONTINUE
    assert indication.components == [ReturnResult(0, 0, b"\x05\x00"), Invoke(0, 20, b"\x30\x00")]
    assert indication.pdu == Aare(CONTEXT)
    assert ours.remote_tid == theirs.otid == bytes.fromhex("00000200")

    ours.answer(ReturnError(0, 14))
    ours.end()
    (indication,) = pair.flow()
    assert indication.kind is IndicationKind.END
    assert indication.components == [ReturnError(0, 14, None, 20)]
    assert indication.pdu is None
    assert ours.state is theirs.state is DialogueState.CLOSED
    assert not pair.a.dialogues
    assert not pair.b.dialogues
    assert pair.a.counters == Counters(begun=1)
    assert pair.b.counters == Counters(accepted=1)
    types = [message.type.name for _, message in pair.wire]
    assert types == ["BEGIN", "CONTINUE", "END"]


@pytest.mark.parametrize("context", [CONTEXT, None])
@pytest.mark.parametrize("first", ["continue_", "end"])
def test_aare_is_in_the_first_backward_message_only_and_only_for_an_aarq(pair, context, first):
    _, theirs, _ = pair.begin(context)
    getattr(theirs, first)()
    pair.flow()
    assert pair.last.dialogue == (None if context is None else Aare(CONTEXT))
    if first == "continue_":
        theirs.continue_()
        theirs.end()
        pair.flow()
        assert [message.dialogue for _, message in pair.wire[2:]] == [None, None]


def test_the_side_that_begins_never_sends_an_aare(pair):
    ours, theirs, _ = pair.begin(CONTEXT)
    theirs.continue_()
    pair.flow()
    ours.continue_()
    ours.end()
    pair.flow()
    assert [message.dialogue for side, message in pair.wire if side == "a"] == [
        Aarq(CONTEXT),
        None,
        None,
    ]


def test_user_information_both_ways(pair):
    _, theirs, begin = pair.begin(CONTEXT, user_information=INFORMATION)
    assert begin.pdu == Aarq(CONTEXT, INFORMATION)
    theirs.continue_(user_information=INFORMATION)
    (indication,) = pair.flow()
    assert indication.pdu == Aare(CONTEXT, user_information=INFORMATION)


def test_user_information_is_never_lost_in_silence(pair):
    dialogue = pair.a.new_dialogue(0.0)
    with pytest.raises(LocalProtocolError, match="application context"):
        dialogue.begin("B", "A", user_information=INFORMATION)
    dialogue.begin("B", "A")
    (indication,) = pair.flow()
    for send in (indication.dialogue.continue_, indication.dialogue.end):
        with pytest.raises(LocalProtocolError, match="dialogue response"):
            send(user_information=INFORMATION)
    assert indication.dialogue.state is DialogueState.INIT_RECEIVED
    assert pair.b.data_to_send() == []


def test_the_address_that_answers_is_the_one_to_talk_to(pair):
    ours, theirs, _ = pair.begin()
    theirs.local_address = "B's node"
    theirs.continue_()
    pair.flow()
    assert ours.remote_address == "B's node"
    theirs.local_address = "elsewhere"
    theirs.continue_()
    pair.flow()
    assert ours.remote_address == "B's node"


def test_addresses_and_route_of_what_is_sent():
    endpoint = Endpoint()
    octets = encode(MessageType.BEGIN, otid=b"\x07")
    (begin,) = endpoint.receive(octets, "us", "them", 0.0, route="link 3")
    begin.dialogue.continue_()
    (outgoing,) = endpoint.data_to_send()
    assert (outgoing.called, outgoing.calling, outgoing.route) == ("them", "us", "link 3")
    assert endpoint.data_to_send() == []


def test_tap_sees_both_directions(pair):
    seen = []
    ours = pair.a.new_dialogue(0.0)
    ours.tap = lambda is_ours, octets, called, calling, route: seen.append(
        (is_ours, decode(octets).type.name, called, calling)
    )
    ours.begin("B", "A")
    (begin,) = pair.flow()
    begin.dialogue.continue_()
    pair.flow()
    assert seen == [(True, "BEGIN", "B", "A"), (False, "CONTINUE", "A", "B")]


def test_tap_sees_what_can_not_be_read(pair):
    seen = []
    ours, theirs, _ = pair.begin()
    theirs.continue_()
    pair.flow()
    ours.tap = lambda *what: seen.append(what)
    octets = encode(MessageType.ABORT, dtid=ours.otid, components=[b"\xa1\x00"])
    pair.a.receive(octets, "A", "B", 0.0, "link 3")
    assert seen == [(False, octets, "A", "B", "link 3")]


def test_ids_without_the_zeros_in_front_are_found(pair):
    ours, _, _ = pair.begin()
    octets = encode(MessageType.END, dtid=ours.otid.lstrip(b"\0"))
    (indication,) = pair.a.receive(octets, "A", "B", 0.0)
    assert indication.dialogue is ours


# -- refusals and aborts --------------------------------------------------------------------


def test_refuse_is_an_abort_with_aare_reject_permanent(pair):
    ours, theirs, _ = pair.begin(CONTEXT)
    other = ber.encode_oid("0.4.0.0.1.21.3.4")
    theirs.refuse(other, 2)
    (indication,) = pair.flow()
    assert indication.kind is IndicationKind.U_ABORT
    assert indication.pdu == Aare(other, result=1, diagnostic_source=1, diagnostic=2)
    assert pair.last.p_abort_cause is None
    assert ours.state is theirs.state is DialogueState.CLOSED


@pytest.mark.parametrize("context", [CONTEXT, None])
def test_refuse_needs_a_request_that_is_not_answered(pair, context):
    _, theirs, _ = pair.begin(context)
    if context is not None:
        theirs.continue_()
        pair.flow()
    before = theirs.state
    with pytest.raises(LocalProtocolError, match="refuse"):
        theirs.refuse(CONTEXT, 2)
    assert theirs.state is before


@pytest.mark.parametrize(
    ("context", "information", "pdu"),
    [
        (CONTEXT, b"", Abrt(0)),
        (CONTEXT, INFORMATION, Abrt(0, INFORMATION)),
        (None, b"", None),
        (None, INFORMATION, Abrt(0, INFORMATION)),
    ],
)
def test_abort_by_the_user(pair, context, information, pdu):
    _, theirs, _ = pair.begin(context)
    theirs.invoke(20, 2, None, now=0.0)
    theirs.abort(user_information=information)
    (indication,) = pair.flow()
    # Without an application context no dialogue portion may come (Q.774, figure A.5).
    is_abnormal = context is None and pdu is not None
    assert indication.kind is (IndicationKind.P_ABORT if is_abnormal else IndicationKind.U_ABORT)
    assert indication.pdu == pdu
    assert indication.components == []
    assert not pair.a.dialogues
    assert not pair.b.dialogues


def test_abort_before_the_first_answer_tells_no_one(pair):
    ours, theirs, _ = pair.begin(CONTEXT)
    ours.abort(user_information=INFORMATION)
    assert pair.flow() == []
    assert not pair.a.dialogues
    theirs.continue_()
    (indication,) = pair.flow()  # a does not know the transaction any more
    assert indication.kind is IndicationKind.P_ABORT
    assert indication.p_abort_cause == PAbortCause.UNRECOGNIZED_TRANSACTION_ID
    assert not pair.b.dialogues


def test_provider_abort_of_our_own_choosing(pair):
    _, theirs, _ = pair.begin(CONTEXT)
    theirs.p_abort(PAbortCause.RESOURCE_LIMITATION)
    (indication,) = pair.flow()
    assert (indication.kind, indication.p_abort_cause) == (IndicationKind.P_ABORT, 4)
    assert pair.last == Message(MessageType.ABORT, dtid=b"\0\0\1\0", p_abort_cause=4)


def test_prearranged_end_sends_nothing_and_drops_what_is_queued(pair):
    ours, theirs, _ = pair.begin()
    theirs.invoke(20, 2, None, now=0.0)
    theirs.end(prearranged=True)
    ours.end(prearranged=True)
    assert pair.flow() == []
    assert not pair.a.dialogues
    assert not pair.b.dialogues
    assert pair.a.next_timer() is None


def test_released_dialogue_that_never_began(pair):
    dialogue = pair.a.new_dialogue(0.0)
    dialogue.invoke(0, 1, None, now=0.0)
    pair.a.release(dialogue)
    assert dialogue.state is DialogueState.CLOSED
    assert not pair.a.dialogues
    assert pair.a.next_timer() is None
