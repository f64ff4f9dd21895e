"""Two endpoints back to back: dialogues, dialogue portions, aborts, ids, limits."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols import ber
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue import Kind, State
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.endpoint import Counters, Endpoint
from tsvc.protocols.tcap.messages import Message, MessageType, PAbortCause, decode, encode

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")
INFORMATION = bytes.fromhex("2809 06022a03 a003 0401ff")


# -- a dialogue from begin to end -----------------------------------------------------------


def test_begin_continue_end(pair):
    ours, theirs, begin = pair.begin(CONTEXT, (0, 1, b"\x30\x00"))
    assert begin.kind is Kind.BEGIN
    assert begin.components == [Invoke(0, 0, b"\x30\x00")]
    assert begin.pdu == Aarq(CONTEXT)
    assert (theirs.local_address, theirs.remote_address) == ("B", "A")
    assert theirs.remote_tid == ours.otid == bytes.fromhex("00000100")

    theirs.answer(ReturnResult(0, 0, b"\x05\x00"))
    theirs.invoke(20, 2, b"\x30\x00", now=0.0)
    theirs.continue_()
    (indication,) = pair.flow()
    assert indication.dialogue is ours
    assert indication.kind is Kind.CONTINUE
    assert indication.components == [ReturnResult(0, 0, b"\x05\x00"), Invoke(0, 20, b"\x30\x00")]
    assert indication.pdu == Aare(CONTEXT)
    assert ours.remote_tid == theirs.otid == bytes.fromhex("00000200")

    ours.answer(ReturnError(0, 14))
    ours.end()
    (indication,) = pair.flow()
    assert indication.kind is Kind.END
    assert indication.components == [ReturnError(0, 14, None, 20)]
    assert indication.pdu is None
    assert ours.state is theirs.state is State.CLOSED
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
    assert indication.dialogue.state is State.INIT_RECEIVED
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
    ours.tap = lambda is_ours, octets, called, calling: seen.append(
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
    pair.a.receive(octets, "A", "B", 0.0)
    assert seen == [(False, octets, "A", "B")]


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
    assert indication.kind is Kind.U_ABORT
    assert indication.pdu == Aare(other, result=1, diagnostic_source=1, diagnostic=2)
    assert pair.last.p_abort_cause is None
    assert ours.state is theirs.state is State.CLOSED


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
    assert indication.kind is Kind.U_ABORT
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
    assert indication.kind is Kind.P_ABORT
    assert indication.p_abort_cause == PAbortCause.UNRECOGNIZED_TRANSACTION_ID
    assert not pair.b.dialogues


def test_provider_abort_of_our_own_choosing(pair):
    _, theirs, _ = pair.begin(CONTEXT)
    theirs.p_abort(PAbortCause.RESOURCE_LIMITATION)
    (indication,) = pair.flow()
    assert (indication.kind, indication.p_abort_cause) == (Kind.P_ABORT, 4)
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
    assert dialogue.state is State.CLOSED
    assert not pair.a.dialogues
    assert pair.a.next_timer() is None


# -- components -----------------------------------------------------------------------------


def test_invoke_ids_count_up_wrap_and_come_back(pair):
    dialogue = pair.a.new_dialogue(0.0)
    given = [dialogue.invoke(1, 1, None, now=0.0) for _ in range(256)]
    assert given == [*range(128), *range(-128, 0)]
    with pytest.raises(LocalProtocolError, match="all invoke ids"):
        dialogue.invoke(1, 1, None, now=0.0)
    dialogue.begin("B", "A")
    (begin,) = pair.flow()
    assert [component.invoke_id for component in begin.components] == given
    begin.dialogue.answer(ReturnResult(-3))
    begin.dialogue.answer(ReturnResult(90))
    begin.dialogue.continue_()
    pair.flow()
    assert [dialogue.invoke(1, 1, None, now=0.0) for _ in range(2)] == [90, -3]


def test_duplicate_invoke_id_is_refused_until_it_is_free(pair):
    ours, theirs, _ = pair.begin(invoke=None)
    ours.invoke(1, 1, None, now=0.0, invoke_id=5)
    with pytest.raises(LocalProtocolError, match="5 is in use"):
        ours.invoke(2, 1, None, now=0.0, invoke_id=5)
    assert ours.pending_count == 1
    theirs.continue_()
    pair.flow()
    ours.continue_()
    pair.flow()
    theirs.answer(ReturnResult(5))
    theirs.continue_()
    pair.flow()
    assert ours.invoke(2, 1, None, now=0.0, invoke_id=5) == 5


@pytest.mark.parametrize(
    "wrong", [{"invoke_id": 128}, {"linked_id": -129}, {"code": "not an identifier"}]
)
def test_invoke_that_can_not_be_encoded_leaves_nothing_behind(pair, wrong):
    dialogue = pair.a.new_dialogue(0.0)
    code = wrong.pop("code", 1)
    with pytest.raises(LocalProtocolError):
        dialogue.invoke(code, 1, None, now=0.0, **wrong)
    assert not dialogue.invocations
    assert dialogue.pending_count == 0
    assert pair.a.next_timer() is None


def test_linked_ids_arrive(pair):
    ours, theirs, _ = pair.begin(invoke=(47, 2, b"\x30\x00"))
    theirs.invoke(49, 4, b"\x05\x00", now=0.0, linked_id=0)
    theirs.continue_()
    (indication,) = pair.flow()
    assert indication.components == [Invoke(0, 49, b"\x05\x00", linked_id=0)]
    assert 0 in ours.invocations  # a linked operation is no answer


@pytest.mark.parametrize("invoke", [None, (47, 2, b"\x30\x00")], ids=["nothing", "another"])
def test_an_invoke_linked_to_nothing_is_rejected_and_told(pair, invoke):
    ours, theirs, _ = pair.begin(invoke=invoke)
    theirs.invoke(49, 4, b"\x05\x00", now=0.0, linked_id=99)
    theirs.continue_()
    (indication,) = pair.flow()
    unrecognized_linked_id = (0, ProblemType.INVOKE, 5)
    assert indication.components == [Reject(*unrecognized_linked_id, is_local=True)]
    ours.continue_()
    (told,) = pair.flow()
    assert told.components == [Reject(*unrecognized_linked_id)]
    assert len(ours.invocations) == (0 if invoke is None else 1)  # that one goes on


def test_answer_to_nothing_is_rejected_and_told(pair):
    ours, theirs, _ = pair.begin(invoke=None)
    theirs.answer(ReturnResult(9))
    theirs.answer(ReturnError(10, 1))
    theirs.continue_()
    (indication,) = pair.flow()
    expected = [
        Reject(9, ProblemType.RETURN_RESULT, 0, is_local=True),
        Reject(10, ProblemType.RETURN_ERROR, 0, is_local=True),
    ]
    assert indication.components == expected
    assert ours.pending_count == 2
    ours.end()
    (indication,) = pair.flow()
    assert [one.text for one in indication.components] == [
        "return result problem unrecognizedInvokeID",
        "return error problem unrecognizedInvokeID",
    ]
    assert not any(one.is_local for one in indication.components)


def test_component_portion_that_can_not_be_cut(pair):
    ours, _, _ = pair.begin(invoke=(0, 1, None))
    octets = bytes.fromhex("65 12 48 01 07 49 04") + ours.otid + bytes.fromhex("6c 07 a2030201 00")
    octets += bytes.fromhex("a1 7f")
    (indication,) = pair.a.receive(octets, "A", "B", 0.0)
    assert indication.components == [
        ReturnResult(0, 0),
        Reject(None, ProblemType.GENERAL, 2, is_local=True),
    ]
    ours.continue_()
    assert decode(pair.a.data_to_send()[0].octets).components == [
        Reject(None, ProblemType.GENERAL, 2)
    ]


# -- limits and ids -------------------------------------------------------------------------


def test_limit_of_dialogues(pair_of):
    pair = pair_of(max_dialogues=2)
    pair.begin()
    pair.begin()
    with pytest.raises(LocalProtocolError, match="limit of 2"):
        pair.a.new_dialogue(0.0)
    assert pair.b.receive(encode(MessageType.BEGIN, otid=b"\x07"), "B", "A", 0.0) == []
    (outgoing,) = pair.b.data_to_send()
    assert decode(outgoing.octets) == Message(MessageType.ABORT, dtid=b"\x07", p_abort_cause=4)
    assert pair.b.counters == Counters(accepted=2, refused=1)
    first = next(iter(pair.b.dialogues.values()))
    first.end()
    assert pair.flow()[0].kind is Kind.END
    pair.begin()


def test_endpoint_that_accepts_no_begin():
    endpoint = Endpoint(accepts_begin=False)
    assert endpoint.receive(encode(MessageType.BEGIN, otid=b"\x07"), "us", "them", 0.0) == []
    (outgoing,) = endpoint.data_to_send()
    assert decode(outgoing.octets).p_abort_cause == PAbortCause.RESOURCE_LIMITATION
    assert endpoint.counters == Counters(refused=1)


def test_ids_wrap_and_pass_over_those_in_use():
    endpoint = Endpoint(first_tid=(1 << 32) - 1, quarantine_s=0.0)
    tids = [endpoint.new_dialogue(0.0).otid.hex() for _ in range(2)]
    assert tids == ["ffffffff", "00000000"]
    endpoint._next_tid = (1 << 32) - 1
    assert endpoint.new_dialogue(0.0).otid.hex() == "00000001"


def test_released_ids_rest():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)

    def next_free(now):
        endpoint._next_tid = 5
        dialogue = endpoint.new_dialogue(now)
        endpoint.release(dialogue)
        return int.from_bytes(dialogue.otid, "big")

    # Each is released right after; its rest is counted from the next time that is told.
    assert [next_free(now) for now in (0.0, 10.0, 39.9, 40.0)] == [5, 6, 7, 5]


def test_rest_of_an_id_does_not_begin_before_its_release():
    endpoint = Endpoint(first_tid=5, quarantine_s=30.0)
    dialogue = endpoint.new_dialogue(0.0)
    dialogue.begin("B", "A")
    # It lasts for 100 s, in which nothing tells the endpoint the time.
    dialogue.abort()
    for now in (100.0, 129.0):
        endpoint._next_tid = 5
        assert endpoint.new_dialogue(now).otid != dialogue.otid


def test_message_for_a_resting_id_belongs_to_nobody(pair):
    ours, theirs, _ = pair.begin()
    ours.abort()
    theirs.continue_()
    (indication,) = pair.flow()
    assert indication.dialogue is theirs
    assert pair.a.counters.aborted_unknown == 1
