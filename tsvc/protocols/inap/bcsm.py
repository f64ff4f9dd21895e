"""Detection points of the originating and terminating basic call state models.

Source: TS 29.078 (EventTypeBCSM); the leg an event belongs to when none is given is the usual
one of each detection point.
"""

from enum import IntEnum


class Event(IntEnum):
    """eventTypeBCSM."""

    ORIG_ATTEMPT_AUTHORIZED = 1
    COLLECTED_INFO = 2
    ANALYZED_INFORMATION = 3
    ROUTE_SELECT_FAILURE = 4
    O_CALLED_PARTY_BUSY = 5
    O_NO_ANSWER = 6
    O_ANSWER = 7
    O_MID_CALL = 8
    O_DISCONNECT = 9
    O_ABANDON = 10
    TERM_ATTEMPT_AUTHORIZED = 12
    T_BUSY = 13
    T_NO_ANSWER = 14
    T_ANSWER = 15
    T_MID_CALL = 16
    T_DISCONNECT = 17
    T_ABANDON = 18


class MonitorMode(IntEnum):
    """The way the SSP reports an event: it waits for the SCP, or continues, or does not report."""

    INTERRUPTED = 0
    NOTIFY_AND_CONTINUE = 1
    TRANSPARENT = 2


EVENT_NAMES = {
    1: "origAttemptAuthorized",
    2: "collectedInfo",
    3: "analyzedInformation",
    4: "routeSelectFailure",
    5: "oCalledPartyBusy",
    6: "oNoAnswer",
    7: "oAnswer",
    8: "oMidCall",
    9: "oDisconnect",
    10: "oAbandon",
    12: "termAttemptAuthorized",
    13: "tBusy",
    14: "tNoAnswer",
    15: "tAnswer",
    16: "tMidCall",
    17: "tDisconnect",
    18: "tAbandon",
    19: "oTermSeized",
    27: "callAccepted",
    50: "oChangeOfPosition",
    51: "tChangeOfPosition",
    52: "oServiceChange",
    53: "tServiceChange",
}
MONITOR_MODES = {0: "interrupted", 1: "notifyAndContinue", 2: "transparent"}

# The leg of an event without a legID; disconnect has no default.
DEFAULT_LEG = {4: 2, 5: 2, 6: 2, 7: 2, 8: 1, 10: 1, 13: 2, 14: 2, 15: 2, 16: 2, 18: 1}

# Shorthand names of events that include the leg: name -> (event, leg).
LEG_EVENT_NAMES = {
    "oDisconnectLeg1": (9, 1),
    "oDisconnectLeg2": (9, 2),
    "tDisconnectLeg1": (17, 1),
    "tDisconnectLeg2": (17, 2),
}
