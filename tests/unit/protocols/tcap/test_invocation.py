"""Every cell of the invocation table: class x answer, in the table and in dialogues."""

import itertools

import pytest

from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap.components import (
    LocalCancel,
    Malformed,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.states import EFFECTS, AnswerKind, Effect

ID, CODE, TIMER_S = 7, 48, 5.0
COMPONENTS = {
    AnswerKind.RESULT_LAST: ReturnResult(ID, CODE, b"\x05\x00"),
    AnswerKind.RESULT_NOT_LAST: ReturnResult(ID, CODE, b"\x05\x00", is_last=False),
    AnswerKind.ERROR: ReturnError(ID, 3),
    AnswerKind.REJECT: Reject(ID, ProblemType.INVOKE, 1),
}
# By class: answer -> is it delivered, does the invocation go on, problem of our reject.
UNEXPECTED = (False, False, 1)
UNKNOWN = (False, False, 0)
EXPECTED = {
    (1, AnswerKind.RESULT_LAST): (True, False, None),
    (1, AnswerKind.RESULT_NOT_LAST): (True, True, None),
    (1, AnswerKind.ERROR): (True, False, None),
    (1, AnswerKind.REJECT): (True, False, None),
    (1, AnswerKind.TIMEOUT): (True, False, None),
    (2, AnswerKind.RESULT_LAST): UNEXPECTED,
    (2, AnswerKind.RESULT_NOT_LAST): UNEXPECTED,
    (2, AnswerKind.ERROR): (True, False, None),
    (2, AnswerKind.REJECT): (True, False, None),
    (2, AnswerKind.TIMEOUT): (False, False, None),
    (3, AnswerKind.RESULT_LAST): (True, False, None),
    (3, AnswerKind.RESULT_NOT_LAST): (True, True, None),
    (3, AnswerKind.ERROR): UNEXPECTED,
    (3, AnswerKind.REJECT): (True, False, None),
    (3, AnswerKind.TIMEOUT): (True, False, None),
    # Class 4 keeps no invocation: every answer is to an unknown id.
    (4, AnswerKind.RESULT_LAST): UNKNOWN,
    (4, AnswerKind.RESULT_NOT_LAST): UNKNOWN,
    (4, AnswerKind.ERROR): UNKNOWN,
    (4, AnswerKind.REJECT): (True, False, None),
    (4, AnswerKind.TIMEOUT): (False, False, None),
}


def test_the_table_has_every_cell_of_classes_that_keep_an_invocation():
    assert set(EFFECTS) == set(itertools.product((1, 2, 3), AnswerKind))
    for cell, outcome in EFFECTS.items():
        delivered, goes_on, problem = EXPECTED[cell]
        assert (outcome is Effect.STAYS) == goes_on
        assert (outcome is Effect.UNEXPECTED) == (problem is not None)
        is_silent = outcome is Effect.SUCCEEDED
        assert is_silent == (not delivered and problem is None)


@pytest.fixture
def invoked(pair):
    """Return an active dialogue whose half a has invoked an operation of a class."""

    def of(operation_class):
        ours, theirs, _ = pair.begin(invoke=None)
        theirs.continue_()
        pair.flow()
        ours.invoke(CODE, operation_class, None, now=0.0, timer_s=TIMER_S, invoke_id=ID)
        ours.continue_()
        pair.flow()
        return pair, ours, theirs

    return of


def problem_of(answer):
    is_error = answer is AnswerKind.ERROR
    return ProblemType.RETURN_ERROR if is_error else ProblemType.RETURN_RESULT


@pytest.mark.parametrize("operation_class", [1, 2, 3, 4])
@pytest.mark.parametrize("answer", COMPONENTS)
def test_answers(invoked, operation_class, answer):
    pair, ours, theirs = invoked(operation_class)
    delivered, goes_on, problem = EXPECTED[operation_class, answer]
    theirs.answer(COMPONENTS[answer])
    theirs.continue_()
    (indication,) = pair.flow()
    (component,) = indication.components
    assert (ID in ours.invocations) == goes_on
    if delivered:
        assert type(component) is type(COMPONENTS[answer])
        assert component.invoke_id == ID
        assert ours.pending_count == 0
    else:
        assert component == Reject(ID, problem_of(answer), problem, is_local=True)
        ours.continue_()
        pair.flow()
        assert pair.last.components == [Reject(ID, problem_of(answer), problem)]


@pytest.mark.parametrize("operation_class", [1, 2, 3, 4])
def test_timeout(invoked, operation_class):
    pair, ours, _ = invoked(operation_class)
    delivered, _, _ = EXPECTED[operation_class, AnswerKind.TIMEOUT]
    assert pair.a.next_timer() == (None if operation_class == 4 else TIMER_S)
    assert pair.a.handle_timer(TIMER_S - 0.001) == []
    found = pair.a.handle_timer(TIMER_S)
    assert [(one.kind, one.components) for one in found] == (
        [(IndicationKind.CANCEL, [LocalCancel(ID, CODE)])] if delivered else []
    )
    assert ID not in ours.invocations
    assert pair.a.next_timer() is None
    assert pair.a.handle_timer(TIMER_S + 1) == []


@pytest.mark.parametrize("operation_class", [1, 2, 3, 4])
def test_outstanding_is_what_is_owed_a_result(invoked, operation_class):
    _, ours, _ = invoked(operation_class)
    assert ours.has_outstanding == (operation_class in (1, 3))


def test_answers_know_their_operation(invoked):
    pair, ours, theirs = invoked(1)
    theirs.answer(ReturnError(ID, 3))
    theirs.continue_()
    assert pair.flow()[0].components == [ReturnError(ID, 3, None, operation_code=CODE)]
    ours.invoke(22, 1, None, now=0.0, invoke_id=1)
    ours.invoke(23, 2, None, now=0.0, invoke_id=2)
    ours.continue_()
    theirs.answer(ReturnResult(1))
    theirs.answer(Reject(2, ProblemType.INVOKE, 1))
    theirs.continue_()
    result, reject = pair.flow()[-1].components
    assert result == ReturnResult(1, 22)
    assert reject.operation_code == 23


def test_result_of_another_operation_is_shown_as_it_came(invoked):
    pair, _, theirs = invoked(1)
    theirs.answer(ReturnResult(ID, CODE + 1, b"\x05\x00"))
    theirs.continue_()
    assert pair.flow()[0].components == [ReturnResult(ID, CODE + 1, b"\x05\x00")]


@pytest.mark.parametrize("type_", ProblemType)
def test_reject_of_an_answer_is_not_about_our_invocation(invoked, type_):
    pair, ours, theirs = invoked(1)
    theirs.answer(Reject(ID, type_, 0))
    theirs.continue_()
    (reject,) = pair.flow()[0].components
    is_about_ours = type_ in (ProblemType.GENERAL, ProblemType.INVOKE)
    assert (ID in ours.invocations) != is_about_ours
    assert reject.operation_code == (CODE if is_about_ours else None)


def test_reject_without_an_id_ends_nothing(invoked):
    pair, ours, theirs = invoked(1)
    theirs.answer(Reject(None, ProblemType.GENERAL, 2))
    theirs.continue_()
    assert pair.flow()[0].components == [Reject(None, ProblemType.GENERAL, 2)]
    assert ID in ours.invocations


def deliver_raw(pair, dialogue, *components):
    """Send octets as components of the other half, without the encoder."""
    dialogue._pending.extend(bytes.fromhex(one) for one in components)
    dialogue.continue_()
    (indication,) = pair.flow()
    return indication.components


def test_malformed_answer_ends_the_invocation_and_is_rejected(invoked):
    pair, ours, theirs = invoked(1)
    found = deliver_raw(pair, theirs, "a2 05 02 01 07 04 00")
    assert found == [Reject(ID, ProblemType.GENERAL, codec.MISTYPED, is_local=True)]
    assert ID not in ours.invocations
    ours.continue_()
    pair.flow()
    assert pair.last.components == [Reject(ID, ProblemType.GENERAL, codec.MISTYPED)]


def test_malformed_invoke_has_an_id_of_theirs(invoked):
    pair, ours, theirs = invoked(1)
    found = deliver_raw(pair, theirs, "a1 03 02 01 07")
    assert found == [Reject(ID, ProblemType.GENERAL, codec.MISTYPED, is_local=True)]
    assert ID in ours.invocations
    assert ours.pending_count == 1


def test_malformed_reject_is_told_but_never_rejected(invoked):
    pair, ours, theirs = invoked(1)
    found = deliver_raw(pair, theirs, "a4 03 02 01 07")
    assert found == [Reject(ID, ProblemType.GENERAL, codec.MISTYPED, is_local=True)]
    assert ours.pending_count == 0


def test_good_components_beside_a_malformed_one_are_delivered(invoked):
    pair, ours, theirs = invoked(1)
    found = deliver_raw(
        pair, theirs, "a2 03 02 01 07", "a5 03 02 01 01", "a1 06 02 01 02 02 01 18"
    )
    assert found == [
        ReturnResult(ID, CODE),
        Reject(1, ProblemType.GENERAL, codec.UNRECOGNIZED_COMPONENT, is_local=True),
        codec.Invoke(2, 0x18),
    ]
    assert ours.pending_count == 1
    assert not any(isinstance(one, Malformed) for one in found)
