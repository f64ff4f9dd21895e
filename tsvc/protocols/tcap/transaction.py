"""The transaction state machine of TCAP as a table: states, and what may be done in each by whom.

A missing cell can't be done: locally LocalProtocolError, from the peer dropped and counted.
Members are single objects, so their identity is a hash; Enum's own is a call in Python, and the
tables are looked up several times a message.

Source: Q.774 §3.3 (06/97)
"""

from enum import Enum


class State(Enum):
    """Transaction states; CLOSED is Idle after an end, when the id is no longer ours."""

    IDLE = "idle"
    INIT_SENT = "initiation sent"
    INIT_RECEIVED = "initiation received"
    ACTIVE = "active"
    CLOSED = "closed"

    __hash__ = object.__hash__


class Side(Enum):
    """Who does it."""

    LOCAL = "we"
    REMOTE = "they"

    __hash__ = object.__hash__


class Primitive(Enum):
    """What is done to a transaction."""

    BEGIN = "begin"
    CONTINUE = "continue"
    END = "end"
    PREARRANGED_END = "prearranged end"
    ABORT = "abort"

    __hash__ = object.__hash__


_LOCAL_ENDS = {
    (Side.LOCAL, Primitive.PREARRANGED_END): State.CLOSED,
    (Side.LOCAL, Primitive.ABORT): State.CLOSED,
}
_REMOTE_ENDS = {
    (Side.REMOTE, Primitive.END): State.CLOSED,
    (Side.REMOTE, Primitive.ABORT): State.CLOSED,
}
TRANSITIONS_BY_STATE: dict[State, dict[tuple[Side, Primitive], State]] = {
    State.IDLE: {
        (Side.LOCAL, Primitive.BEGIN): State.INIT_SENT,
        (Side.REMOTE, Primitive.BEGIN): State.INIT_RECEIVED,
    },
    State.INIT_SENT: {
        (Side.REMOTE, Primitive.CONTINUE): State.ACTIVE,
        **_REMOTE_ENDS,
        **_LOCAL_ENDS,
    },
    State.INIT_RECEIVED: {
        (Side.LOCAL, Primitive.CONTINUE): State.ACTIVE,
        (Side.LOCAL, Primitive.END): State.CLOSED,
        **_LOCAL_ENDS,
    },
    State.ACTIVE: {
        (Side.LOCAL, Primitive.CONTINUE): State.ACTIVE,
        (Side.REMOTE, Primitive.CONTINUE): State.ACTIVE,
        (Side.LOCAL, Primitive.END): State.CLOSED,
        **_REMOTE_ENDS,
        **_LOCAL_ENDS,
    },
    State.CLOSED: {},
}
