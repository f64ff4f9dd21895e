"""Invocation timers of a dialogue that is recorded. Pure."""

from tsvc.kinds.sigtran.fast_path.replay import DialogueReplay
from tsvc.protocols.tcap.components import Invoke
from tsvc.protocols.tcap.messages import Unreadable, decode


def check_timers(replay: DialogueReplay) -> None:
    """Raise ValueError if a timer of an invocation may run out before its answer is awaited.

    The meaning of an answer depends on whether the invocation is still open. An instance falls
    back when a message does not come in time. So a timer must be longer than all waits up to then.
    """
    answers: dict[int, int] = {}  # number, from 1, of the message with the answer, by invoke id
    for number, receipt in enumerate(replay.past.receipts, 1):
        try:
            components = decode(receipt.octets).components
        except Unreadable as error:
            raise ValueError("a message that can't be read") from error
        for one in components:
            about = one.linked_id if isinstance(one, Invoke) else one.invoke_id
            if about is not None:
                answers[about] = number
    for timer in replay.timers:
        number = answers.pop(timer.invoke_id, 0)
        waited = sum(replay.waits[timer.after : number])
        if len(replay.whole.kinds) > 1:
            waited = replay.whole.longest_s
        if number > timer.after and waited >= timer.seconds:
            raise ValueError("an invocation may be over before its answer comes")
        if number <= timer.after and timer.operation_class in (1, 3):
            raise ValueError("an invocation without an answer is over when its timer says")
    if answers:
        raise ValueError("an answer to no invocation")
