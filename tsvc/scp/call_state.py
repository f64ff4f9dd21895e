"""The states of a call: what it waits for."""

from enum import Enum


class State(Enum):
    """What a call waits for."""

    START = "the flow's first action"
    PROMPT = "digits"
    ANNOUNCEMENT = "the end of an announcement"
    ASSIST = "an assist dialogue"
    PAUSE = "the end of a pause"
    DESTINATION = "what becomes of a Connect"
    WATCH = "the end of the conversation, or of the SSP's dialogue"
    OVER = "nothing"


# In these the SSP waits for instructions: its timer has to be kept from running out.
SSP_WAITS = frozenset({State.PROMPT, State.ANNOUNCEMENT, State.ASSIST, State.PAUSE})
