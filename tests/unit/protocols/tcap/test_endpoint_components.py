"""Two endpoints back to back: invoke ids, linked operations, answers to nothing."""

import pytest

from tsvc.errors import LocalProtocolError
from tsvc.protocols.tcap.components import Invoke, ProblemType, Reject, ReturnError, ReturnResult
from tsvc.protocols.tcap.messages import decode


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
    assert len(ours.invocations) == (0 if invoke is None else 1)  # this invocation continues


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
