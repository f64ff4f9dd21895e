"""Invocation timers: order, restart, and that timers of ended invocations are not kept."""

import pytest

from tsvc.protocols.tcap.components import LocalCancel, ReturnResult
from tsvc.protocols.tcap.components import encode as encode_component
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.messages import MessageType, encode


def test_timers_run_out_in_their_order(pair):
    first, _, _ = pair.begin(invoke=None)
    second, _, _ = pair.begin(invoke=None)
    first.invoke(1, 1, None, now=0.0, timer_s=9.0)
    second.invoke(2, 3, None, now=0.0, timer_s=3.0)
    first.invoke(3, 1, None, now=0.0, timer_s=6.0)
    assert pair.a.next_timer() == 3.0
    found = pair.a.handle_timer(6.0)
    assert [(one.dialogue, one.kind, one.components) for one in found] == [
        (second, IndicationKind.CANCEL, [LocalCancel(0, 2)]),
        (first, IndicationKind.CANCEL, [LocalCancel(1, 3)]),
    ]
    assert pair.a.next_timer() == 9.0


def test_answered_in_time_is_never_cancelled(pair):
    _, theirs, _ = pair.begin(invoke=(0, 1, None))
    theirs.answer(ReturnResult(0))
    theirs.continue_()
    pair.flow()
    assert pair.a.next_timer() is None
    assert pair.a.handle_timer(1e9) == []


def test_timers_of_a_closed_dialogue_are_forgotten(pair):
    _, theirs, _ = pair.begin(invoke=(0, 1, None))
    theirs.end()
    pair.flow()
    assert pair.a.next_timer() is None
    assert pair.a.handle_timer(1e9) == []


def test_restart_gives_a_new_deadline(pair):
    ours, _, _ = pair.begin(invoke=(0, 1, None))  # 5 s
    ours.restart_timer(0, 8.0)
    assert pair.a.handle_timer(5.0) == []
    assert pair.a.next_timer() == 8.0
    ours.restart_timer(0, 6.0)
    assert pair.a.next_timer() == 6.0
    (indication,) = pair.a.handle_timer(6.0)
    assert indication.components == [LocalCancel(0, 0)]
    assert pair.a.handle_timer(8.0) == []


def test_restart_of_what_is_over_does_nothing(pair):
    ours, _, _ = pair.begin(invoke=(0, 2, None))
    pair.a.handle_timer(5.0)
    ours.restart_timer(0, 99.0)
    assert pair.a.next_timer() is None


def test_a_late_timer_does_not_touch_the_next_use_of_the_id(pair):
    ours, theirs, _ = pair.begin(invoke=(0, 1, None))
    theirs.answer(ReturnResult(0))
    theirs.continue_()
    pair.flow()
    ours.invoke(7, 1, None, now=4.0, timer_s=5.0, invoke_id=0)
    assert pair.a.handle_timer(5.0) == []
    assert pair.a.next_timer() == 9.0
    (indication,) = pair.a.handle_timer(9.0)
    assert indication.components == [LocalCancel(0, 7)]


def active():
    endpoint = Endpoint()
    dialogue = endpoint.new_dialogue(0.0)
    dialogue.begin("B", "A")
    octets = encode(MessageType.CONTINUE, otid=b"\x07", dtid=dialogue.otid)
    endpoint.receive(octets, "A", "B", 0.0)
    endpoint.data_to_send()
    return endpoint, dialogue


@pytest.mark.slow
def test_timers_do_not_pile_up():
    endpoint, dialogue = active()
    answers = {}
    longest = 0
    for round_ in range(100_000):
        now = round_ * 0.0001
        invoke_id = dialogue.invoke(1, 1, None, now=now, timer_s=1800.0)
        dialogue.continue_()
        if invoke_id not in answers:
            result = encode_component(ReturnResult(invoke_id))
            answers[invoke_id] = encode(
                MessageType.CONTINUE, otid=b"\x07", dtid=dialogue.otid, components=[result]
            )
        endpoint.receive(answers[invoke_id], "A", "B", now)
        longest = max(longest, len(endpoint._timers))
        if round_ % 1000 == 0:
            endpoint.data_to_send()
    assert not dialogue.invocations
    assert longest <= 1100
    assert endpoint.next_timer() is None


def test_restarted_timers_do_not_pile_up():
    endpoint, dialogue = active()
    invoke_id = dialogue.invoke(1, 1, None, now=0.0)
    for round_ in range(10_000):
        dialogue.restart_timer(invoke_id, 100.0 + round_)
        dialogue.restart_timer(invoke_id, 100.0 + round_)
    assert len(endpoint._timers) <= 1100
    assert endpoint.next_timer() == 100.0 + 9999
