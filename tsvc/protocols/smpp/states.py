"""States of a session as the SMSC sees it, and what each request does in them, as a table.

Source: SMPP 3.4 sections 2.2 and 2.3
"""

from enum import Enum

from tsvc.protocols.smpp.commands import Command
from tsvc.protocols.smpp.statuses import Status


class State(Enum):
    """Where a session is in its life."""

    OPEN = "open"
    BOUND_TX = "bound as transmitter"
    BOUND_RX = "bound as receiver"
    BOUND_TRX = "bound as transceiver"
    UNBINDING = "unbinding"  # we asked to unbind and wait for the response
    CLOSED = "closed"


class Reaction(Enum):
    """What a received request makes us do."""

    BIND = "authenticate, answer, and be bound if that succeeded"
    ALREADY_BOUND = "refuse: ESME_RALYBND"
    TAKE = "give it to the user, who answers"
    LINK = "answer"
    UNBIND = "answer, then close"
    DECLINE = "refuse: a tester stores no messages"
    WRONG_STATE = "refuse: ESME_RINVBNDSTS"


BINDS: dict[int, State] = {
    Command.BIND_TRANSMITTER: State.BOUND_TX,
    Command.BIND_RECEIVER: State.BOUND_RX,
    Command.BIND_TRANSCEIVER: State.BOUND_TRX,
}
BOUND = frozenset(BINDS.values())
# States in which the SMSC may send deliver_sm and data_sm.
RECEIVERS = frozenset({State.BOUND_RX, State.BOUND_TRX})
TRANSMITTERS = frozenset({State.BOUND_TX, State.BOUND_TRX})

_ON_STORED = (Command.QUERY_SM, Command.CANCEL_SM, Command.REPLACE_SM)

# (state, command of a received request) -> reaction; what is missing is WRONG_STATE.
REACTIONS: dict[tuple[State, int], Reaction] = {
    **{(State.OPEN, command): Reaction.BIND for command in BINDS},
    **{(state, command): Reaction.ALREADY_BOUND for state in BOUND for command in BINDS},
    **{(state, Command.SUBMIT_SM): Reaction.TAKE for state in TRANSMITTERS},
    **{(state, Command.DATA_SM): Reaction.TAKE for state in BOUND},
    **{(state, command): Reaction.DECLINE for state in TRANSMITTERS for command in _ON_STORED},
    # A link may be tried before it is bound, and while it is being unbound.
    **{
        (state, Command.ENQUIRE_LINK): Reaction.LINK
        for state in State
        if state is not State.CLOSED
    },
    **{(state, Command.UNBIND): Reaction.UNBIND for state in (*BOUND, State.UNBINDING)},
}

# The responses of these, sent by us and not by the user of the session.
DECLINED: dict[int, Status] = {
    Command.QUERY_SM: Status.ESME_RQUERYFAIL,
    Command.CANCEL_SM: Status.ESME_RCANCELFAIL,
    Command.REPLACE_SM: Status.ESME_RREPLACEFAIL,
}
