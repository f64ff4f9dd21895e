"""Dialogue control: when each dialogue portion may come, and how others are handled.

Each cell of the table of Q.774 figure A.5: the state of the application context, the message, its
dialogue portion. The expected results are written here again, independently of the code.
"""

import itertools

import pytest

from tsvc.protocols import ber
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap import messages
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnResult
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import LocalCause, MessageType, PAbortCause
from tsvc.protocols.tcap.states import DialogueState

CONTEXT = ber.encode_oid("0.4.0.0.1.0.50.1")
PEER = b"\0\0\0\x07"
PORTIONS = {
    "nothing": b"",
    "accepted": portion.encode(portion.Aare(CONTEXT)),
    "another context": portion.encode(portion.Aare(ber.encode_oid("0.4.0.0.1.0.50.0"))),
    "refused by user": portion.encode(portion.Aare(CONTEXT, 1, 1, 2)),
    "refused by user, no reason": portion.encode(portion.Aare(CONTEXT, 1, 1, 1)),
    "refused by provider": portion.encode(portion.Aare(CONTEXT, 1, 2, 2)),
    "refused by provider, no reason": portion.encode(portion.Aare(CONTEXT, 1, 2, 1)),
    "result 2": portion.encode(portion.Aare(CONTEXT, 2, 2, 0)),
    "request": portion.encode(portion.Aarq(CONTEXT)),
    "abort by user": portion.encode(portion.Abrt(0)),
    "abort by provider": portion.encode(portion.Abrt(1)),
    "audt": portion.encode(portion.Aarq(CONTEXT, is_unidirectional=True)),
    "garbage": bytes.fromhex("6b03020105"),
}
GOOD = {
    "no context": {"nothing"},
    "requested": {"accepted", "another context"},
    "settled": {"nothing"},
}
U_ABORTS = {
    "no context": {"nothing"},
    "requested": {"refused by user", "refused by user, no reason", "abort by user"},
    "settled": {"abort by user"},
}
NO_COMMON = {"requested": {"refused by provider"}}


def opened(state):
    """Return an endpoint and its dialogue, which has begun; if "settled", also been accepted."""
    endpoint = Endpoint(first_tid=1, quarantine_s=0)
    dialogue = endpoint.new_dialogue(0.0)
    dialogue.invoke(0, 2, None, now=0.0)
    context = None if state == "no context" else CONTEXT
    dialogue.begin("them", "us", application_context=context)
    if state == "settled":
        take(endpoint, dialogue, MessageType.CONTINUE, PORTIONS["accepted"])
    endpoint.data_to_send()
    return endpoint, dialogue


def take(endpoint, dialogue, type_, pdu, *components, otid=PEER, **options):
    octets = messages.encode(
        type_,
        otid=otid if type_ is MessageType.CONTINUE else None,
        dtid=dialogue.otid,
        dialogue=pdu,
        components=[codec.encode(one) for one in components],
        **options,
    )
    return endpoint.receive(octets, "us", "them", 1.0)


CELLS = [
    *itertools.product(GOOD, (MessageType.CONTINUE, MessageType.END), PORTIONS),
]


@pytest.mark.parametrize(("state", "type_", "said"), CELLS)
def test_a_message_with_components(state, type_, said):
    endpoint, dialogue = opened(state)
    (indication,) = take(endpoint, dialogue, type_, PORTIONS[said], Invoke(1, 20, b"\x30\x00"))
    sent = [messages.decode(one.octets) for one in endpoint.data_to_send()]
    if said in GOOD[state]:
        is_end = type_ is MessageType.END
        assert indication.kind is (IndicationKind.END if is_end else IndicationKind.CONTINUE)
        assert [component.code for component in indication.components] == [20]
        assert sent == []
        assert dialogue.state is (DialogueState.CLOSED if is_end else DialogueState.ACTIVE)
        return
    assert indication.kind is IndicationKind.P_ABORT
    assert indication.p_abort_cause is LocalCause.ABNORMAL_DIALOGUE
    assert indication.components == []
    assert " is due" in indication.text
    assert dialogue.state is DialogueState.CLOSED
    assert not endpoint.dialogues
    if type_ is MessageType.END:
        assert sent == []
    else:
        (abort,) = sent
        assert (abort.type, abort.dtid, abort.p_abort_cause) == (MessageType.ABORT, PEER, None)
        assert abort.dialogue == portion.Abrt(portion.ABORT_SOURCE_PROVIDER)


@pytest.mark.parametrize(("state", "said"), [*itertools.product(GOOD, PORTIONS)])
def test_an_abort(state, said):
    endpoint, dialogue = opened(state)
    (indication,) = take(endpoint, dialogue, MessageType.ABORT, PORTIONS[said])
    assert endpoint.data_to_send() == []
    assert dialogue.state is DialogueState.CLOSED
    if said in U_ABORTS[state]:
        assert (indication.kind, indication.p_abort_cause) == (IndicationKind.U_ABORT, None)
        return
    assert indication.kind is IndicationKind.P_ABORT
    expected = LocalCause.ABNORMAL_DIALOGUE
    if said in NO_COMMON.get(state, ()):
        expected = LocalCause.NO_COMMON_DIALOGUE_PORTION
    assert indication.p_abort_cause is expected


@pytest.mark.parametrize(
    ("state", "said", "words"),
    [
        (
            "requested",
            "refused by user",
            "AARE reject-permanent, diagnostic of the dialogue service user: 2"
            " (application-context-name-not-supported), context 0.4.0.0.1.0.50.1",
        ),
        (
            "requested",
            "refused by provider",
            "AARE reject-permanent, diagnostic of the dialogue service provider: 2"
            " (no-common-dialogue-portion), context 0.4.0.0.1.0.50.1",
        ),
        ("settled", "abort by provider", "ABRT, source dialogue service provider"),
        ("settled", "nothing", "no dialogue portion"),
        ("no context", "nothing", ""),
    ],
)
def test_the_reason_names_result_diagnostic_and_source(state, said, words):
    endpoint, dialogue = opened(state)
    (indication,) = take(endpoint, dialogue, MessageType.ABORT, PORTIONS[said])
    assert indication.text == words


@pytest.mark.parametrize("cause", [*PAbortCause, 77])
def test_a_provider_abort_keeps_its_cause(cause):
    endpoint, dialogue = opened("requested")
    (indication,) = take(endpoint, dialogue, MessageType.ABORT, b"", p_abort_cause=cause)
    assert (indication.kind, indication.p_abort_cause) == (IndicationKind.P_ABORT, cause)


def test_the_peer_may_not_change_its_transaction_id():
    endpoint, dialogue = opened("settled")
    (indication,) = take(endpoint, dialogue, MessageType.CONTINUE, b"", otid=b"\0\0\0\x08")
    assert indication.kind is IndicationKind.P_ABORT
    assert indication.p_abort_cause == PAbortCause.INCORRECT_TRANSACTION_PORTION
    assert "was 00000007, now 00000008" in indication.text
    (abort,) = [messages.decode(one.octets) for one in endpoint.data_to_send()]
    assert (abort.dtid, abort.p_abort_cause) == (PEER, 3)


# -- the component sublayer --------------------------------------------------------------------


def rejects(endpoint):
    """Return (id, problem type, problem) of the rejects in the sent messages."""
    found = []
    for one in endpoint.data_to_send():
        message = messages.decode(one.octets)
        assert message.type is MessageType.CONTINUE
        found += [(c.invoke_id, c.problem_type, c.problem) for c in message.components]
    return found


def test_two_invokes_of_one_id_in_a_message():
    endpoint, dialogue = opened("settled")
    twins = [Invoke(5, 20), Invoke(5, 23), Invoke(6, 31)]
    (indication,) = take(endpoint, dialogue, MessageType.CONTINUE, b"", *twins)
    first, second, third = indication.components
    assert (first, third) == (twins[0], twins[2])
    assert (second.invoke_id, second.problem, second.is_local) == (5, 0, True)
    dialogue.send_rejects()
    assert rejects(endpoint) == [(5, ProblemType.INVOKE, 0)]


def test_an_id_that_still_waits_for_its_answer():
    endpoint, dialogue = opened("settled")
    take(endpoint, dialogue, MessageType.CONTINUE, b"", Invoke(5, 48))
    dialogue.owe(5)
    (indication,) = take(endpoint, dialogue, MessageType.CONTINUE, b"", Invoke(5, 48))
    assert isinstance(indication.components[0], Reject)
    dialogue.answer(ReturnResult(5))
    dialogue.continue_()
    endpoint.data_to_send()
    (indication,) = take(endpoint, dialogue, MessageType.CONTINUE, b"", Invoke(5, 48))
    assert isinstance(indication.components[0], Invoke)


def test_rejects_go_alone_and_leave_what_is_queued():
    endpoint, dialogue = opened("settled")
    dialogue.invoke(44, 2, None, now=1.0)
    take(endpoint, dialogue, MessageType.CONTINUE, b"", ReturnResult(99, 20, b"\x30\x00"))
    dialogue.send_rejects()
    assert rejects(endpoint) == [(99, ProblemType.RETURN_RESULT, 0)]
    assert dialogue.pending_count == 1
    dialogue.send_rejects()
    assert endpoint.data_to_send() == []


def test_rejects_that_nobody_sent_are_first_in_the_next_message():
    endpoint, dialogue = opened("settled")
    dialogue.invoke(44, 2, None, now=1.0)
    take(endpoint, dialogue, MessageType.CONTINUE, b"", ReturnResult(99, 20, b"\x30\x00"))
    dialogue.continue_()
    (message,) = [messages.decode(one.octets) for one in endpoint.data_to_send()]
    assert [type(one) for one in message.components] == [Reject, Invoke]


@pytest.mark.parametrize("decode", [messages.decode, messages.decode_any])
def test_an_empty_component_portion_is_badly_structured(decode):
    empty = bytes.fromhex("650e4804000000074904000000016c00")
    (component,) = decode(empty).components
    assert (component.invoke_id, component.problem_type, component.problem) == (None, 0, 2)


def test_a_duplicate_goes_out_on_purpose():
    _, dialogue = opened("settled")
    dialogue.invoke(44, 2, None, now=1.0, invoke_id=7)
    with pytest.raises(Exception, match="invoke id 7 is in use"):
        dialogue.invoke(44, 2, None, now=1.0, invoke_id=7)
    dialogue.invoke(24, 4, None, now=1.0, invoke_id=7, allow_duplicate=True)
    assert dialogue.pending_count == 2
    assert dialogue.invocations[7].code == 44
