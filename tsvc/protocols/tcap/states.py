"""The state machines of TCAP as tables: transactions, dialogue control, invocations of our own.

The table of transactions has the primitives of both sides that each state allows. A missing cell
is forbidden: a local call raises LocalProtocolError, a message of the peer is dropped and counted.
The tables of dialogue control have the dialogue portions that may come, by who has named an
application context and who has answered; all others are abnormal. The table of invocations has the
answers that an operation may get, by its class. The enumerations hash by identity, because Enum's
own hash is a call in Python and the tables are read several times for each message.

Source: Q.774 §3.3, §3.2.1, §3.2.2, figure A.5 (06/97)
"""

from enum import Enum

from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.components import Code, ProblemType
from tsvc.protocols.tcap.dialogue_portion import Aare, Abrt, DialoguePdu
from tsvc.protocols.tcap.messages import LocalCause
from tsvc.values import dataclass


class DialogueState(Enum):
    """Transaction states; CLOSED is Idle after an end, when the id is no longer ours."""

    IDLE = "idle"
    INIT_SENT = "initiation sent"
    INIT_RECEIVED = "initiation received"
    ACTIVE = "active"
    CLOSED = "closed"

    __hash__ = object.__hash__


class Side(Enum):
    """The side that uses a primitive."""

    LOCAL = "we"
    REMOTE = "they"

    __hash__ = object.__hash__


class Primitive(Enum):
    """An action on a transaction."""

    BEGIN = "begin"
    CONTINUE = "continue"
    END = "end"
    PREARRANGED_END = "prearranged end"
    ABORT = "abort"

    __hash__ = object.__hash__


_LOCAL_ENDS = {
    (Side.LOCAL, Primitive.PREARRANGED_END): DialogueState.CLOSED,
    (Side.LOCAL, Primitive.ABORT): DialogueState.CLOSED,
}
_REMOTE_ENDS = {
    (Side.REMOTE, Primitive.END): DialogueState.CLOSED,
    (Side.REMOTE, Primitive.ABORT): DialogueState.CLOSED,
}
TRANSITIONS: dict[DialogueState, dict[tuple[Side, Primitive], DialogueState]] = {
    DialogueState.IDLE: {
        (Side.LOCAL, Primitive.BEGIN): DialogueState.INIT_SENT,
        (Side.REMOTE, Primitive.BEGIN): DialogueState.INIT_RECEIVED,
    },
    DialogueState.INIT_SENT: {
        (Side.REMOTE, Primitive.CONTINUE): DialogueState.ACTIVE,
        **_REMOTE_ENDS,
        **_LOCAL_ENDS,
    },
    DialogueState.INIT_RECEIVED: {
        (Side.LOCAL, Primitive.CONTINUE): DialogueState.ACTIVE,
        (Side.LOCAL, Primitive.END): DialogueState.CLOSED,
        **_LOCAL_ENDS,
    },
    DialogueState.ACTIVE: {
        (Side.LOCAL, Primitive.CONTINUE): DialogueState.ACTIVE,
        (Side.REMOTE, Primitive.CONTINUE): DialogueState.ACTIVE,
        (Side.LOCAL, Primitive.END): DialogueState.CLOSED,
        **_REMOTE_ENDS,
        **_LOCAL_ENDS,
    },
    DialogueState.CLOSED: {},
}


class ContextState(Enum):
    """The state of a dialogue's application context: who named it, and who has answered."""

    NONE = "no application context"
    REQUESTED = "we sent an AARQ, their AARE is due"
    OFFERED = "they sent an AARQ, our AARE is due"
    SETTLED = "requested and answered"

    __hash__ = object.__hash__


class Control(Enum):
    """The meaning of a message for the dialogue: the contents of its dialogue portion."""

    NOTHING = "no dialogue portion"
    ACCEPTANCE = "AARE, accepted"
    REFUSAL = "AARE, rejected by the user"
    NO_COMMON_PORTION = "AARE, rejected by the provider: no common dialogue portion"
    USER_ABORT = "ABRT by the user"
    OTHER = "another PDU, or none that can be read"

    __hash__ = object.__hash__


# The dialogue portions that a CONTINUE or END may have in each state of the context, and the next
# state. A missing cell is abnormal: the components are discarded, the user gets a P-ABORT, the
# peer an ABRT.
CONTROLS: dict[ContextState, dict[Control, ContextState]] = {
    ContextState.NONE: {Control.NOTHING: ContextState.NONE},
    ContextState.REQUESTED: {Control.ACCEPTANCE: ContextState.SETTLED},
    ContextState.OFFERED: {Control.NOTHING: ContextState.OFFERED},
    ContextState.SETTLED: {Control.NOTHING: ContextState.SETTLED},
}
# The cause that the user gets for an ABORT without a P-ABORT cause; None: it gets a U-ABORT. A
# missing cell is abnormal too: the user gets a P-ABORT.
ABORTS: dict[ContextState, dict[Control, LocalCause | None]] = {
    ContextState.NONE: {Control.NOTHING: None},
    ContextState.REQUESTED: {
        Control.REFUSAL: None,
        Control.USER_ABORT: None,
        Control.NO_COMMON_PORTION: LocalCause.NO_COMMON_DIALOGUE_PORTION,
    },
    ContextState.OFFERED: {Control.USER_ABORT: None},
    ContextState.SETTLED: {Control.USER_ABORT: None},
}


def control_of(pdu: DialoguePdu | None, *, is_readable: bool) -> Control:
    """Return the meaning of a dialogue portion."""
    if not is_readable:
        return Control.OTHER
    match pdu:
        case None:
            return Control.NOTHING
        case Aare(result=portion.RESULT_ACCEPTED):
            return Control.ACCEPTANCE
        case Aare(diagnostic_source=portion.SOURCE_USER):
            return Control.REFUSAL
        case Aare(diagnostic=portion.DIAGNOSTIC_NO_COMMON_VERSION):
            return Control.NO_COMMON_PORTION
        case Abrt(source=portion.ABORT_SOURCE_USER):
            return Control.USER_ABORT
        case _:
            return Control.OTHER


class AnswerKind(Enum):
    """The kind of answer to an invocation; a timeout counts as one."""

    RESULT_LAST = "result"
    RESULT_NOT_LAST = "result, more to come"
    ERROR = "error"
    REJECT = "reject"
    TIMEOUT = "timeout"


class Effect(Enum):
    """The effect of an answer on its invocation."""

    STAYS = "deliver, invocation goes on"
    ENDS = "deliver, invocation is over"
    SUCCEEDED = "class 2: silence is success; not delivered"
    UNEXPECTED = "reject: this class has no such answer"


# (operation class, answer) -> effect. Class 4 has no row: nothing may answer it, so its id is
# free at once and whatever comes for it is an answer to an unknown invocation.
EFFECTS: dict[tuple[int, AnswerKind], Effect] = {
    (1, AnswerKind.RESULT_LAST): Effect.ENDS,
    (1, AnswerKind.RESULT_NOT_LAST): Effect.STAYS,
    (1, AnswerKind.ERROR): Effect.ENDS,
    (1, AnswerKind.REJECT): Effect.ENDS,
    (1, AnswerKind.TIMEOUT): Effect.ENDS,
    (2, AnswerKind.RESULT_LAST): Effect.UNEXPECTED,
    (2, AnswerKind.RESULT_NOT_LAST): Effect.UNEXPECTED,
    (2, AnswerKind.ERROR): Effect.ENDS,
    (2, AnswerKind.REJECT): Effect.ENDS,
    (2, AnswerKind.TIMEOUT): Effect.SUCCEEDED,
    (3, AnswerKind.RESULT_LAST): Effect.ENDS,
    (3, AnswerKind.RESULT_NOT_LAST): Effect.STAYS,
    (3, AnswerKind.ERROR): Effect.UNEXPECTED,
    (3, AnswerKind.REJECT): Effect.ENDS,
    (3, AnswerKind.TIMEOUT): Effect.ENDS,
}

# How an unexpected or unknown answer is rejected: (problem type, unknown id, unexpected).
REJECTIONS = {
    AnswerKind.RESULT_LAST: (ProblemType.RETURN_RESULT, 0, 1),
    AnswerKind.RESULT_NOT_LAST: (ProblemType.RETURN_RESULT, 0, 1),
    AnswerKind.ERROR: (ProblemType.RETURN_ERROR, 0, 1),
}


@dataclass(slots=True)
class Invocation:
    """An operation of ours that may still be answered."""

    code: Code
    operation_class: int
    deadline: float

    @property
    def is_outstanding(self) -> bool:
        """True while a result is owed: class 1 and 3."""
        return self.operation_class in (1, 3)


def following_id(invoke_id: int) -> int:
    """Return the next invoke id: 0..127, then -128..-1, as one signed octet."""
    return -128 if invoke_id == 127 else invoke_id + 1
