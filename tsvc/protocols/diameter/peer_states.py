"""States of a connection between two peers, as a table: RFC 6733 §5.6 without the election.

Each connection is a machine of its own and the side that made it sends CER, so the states that
choose between two simultaneous connections are not needed: two of them simply stand side by side.
SUSPECT is that of RFC 3539: the watchdog has asked, and nothing has come since.
"""

from enum import Enum


class State(Enum):
    """Where a connection is in its life."""

    IDLE = "not connected"
    WAIT_CER = "waits for CER"
    WAIT_CEA = "waits for CEA"
    OPEN = "open"
    SUSPECT = "suspect"
    CLOSING = "closing"
    CLOSED = "closed"


class Event(Enum):
    """What a peer sends, and the two things that come from this side."""

    CER = "CER"
    CEA = "CEA"
    DWR = "DWR"
    DWA = "DWA"
    DPR = "DPR"
    DPA = "DPA"
    REQUEST = "a request"
    ANSWER = "an answer"
    TIMER = "the timer"
    DISCONNECT = "the order to disconnect"


class Action(Enum):
    """What an event makes us do besides changing the state."""

    NOTHING = "nothing"
    ANSWER_CER = "answer CER; open if there is a common application, else close"
    TAKE_CEA = "open if it says success, else close"
    ANSWER_DWR = "answer DWR"
    ANSWER_DPR = "answer DPR; the peer closes"
    DELIVER = "pass it on"
    REFUSE_BUSY = "answer 3004: we are leaving"
    SEND_DWR = "ask whether the peer is alive"
    SEND_DPR = "tell the peer that we leave"
    CLOSE = "close the connection"


Step = tuple[State, Action]

_OPEN_STEPS: dict[Event, Step] = {
    # A second CER may update the capabilities of an open connection (RFC 6737 does so).
    Event.CER: (State.OPEN, Action.ANSWER_CER),
    Event.CEA: (State.OPEN, Action.NOTHING),
    Event.DWR: (State.OPEN, Action.ANSWER_DWR),
    Event.DWA: (State.OPEN, Action.NOTHING),
    Event.DPR: (State.CLOSING, Action.ANSWER_DPR),
    Event.DPA: (State.OPEN, Action.NOTHING),
    Event.REQUEST: (State.OPEN, Action.DELIVER),
    Event.ANSWER: (State.OPEN, Action.DELIVER),
    Event.TIMER: (State.SUSPECT, Action.SEND_DWR),
    Event.DISCONNECT: (State.CLOSING, Action.SEND_DPR),
}

_CLOSE: Step = (State.CLOSED, Action.CLOSE)

# What is missing here closes the connection: it can't happen between two that keep the rules.
TRANSITIONS: dict[State, dict[Event, Step]] = {
    State.IDLE: {},
    State.WAIT_CER: {Event.CER: (State.OPEN, Action.ANSWER_CER)},
    State.WAIT_CEA: {Event.CEA: (State.OPEN, Action.TAKE_CEA)},
    State.OPEN: _OPEN_STEPS,
    State.SUSPECT: {**_OPEN_STEPS, Event.TIMER: _CLOSE},
    State.CLOSING: {
        Event.DWR: (State.CLOSING, Action.ANSWER_DWR),
        Event.DWA: (State.CLOSING, Action.NOTHING),
        Event.DPR: (State.CLOSING, Action.ANSWER_DPR),
        Event.DPA: _CLOSE,
        # What was asked before still counts.
        Event.ANSWER: (State.CLOSING, Action.DELIVER),
        Event.REQUEST: (State.CLOSING, Action.REFUSE_BUSY),
        Event.DISCONNECT: (State.CLOSING, Action.NOTHING),
    },
    State.CLOSED: {},
}


def step(state: State, event: Event) -> Step:
    """Return the next state and what to do."""
    return TRANSITIONS[state].get(event, _CLOSE)
