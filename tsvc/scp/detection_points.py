"""The detection points that the SCP arms in a call, and the meaning of their reports.

The tables are those of the flow specification: one row per event, for the originating and for
the terminating half of the call.
"""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from tsvc.flow.call import Busy, Event, NoAnswer, RouteSelectFailure
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.inap import bcsm
from tsvc.protocols.inap.bcsm import MonitorMode
from tsvc.values import dataclass

CALLING_LEG, CALLED_LEG = 1, 2
NORMAL_CLEARING = 16

# eventTypeBCSM of an InitialDP that comes from the terminating half; CAP v4 has trigger detection
# points at busy and no answer too.
TERMINATING_TRIGGERS = frozenset({12})
TERMINATING_TRIGGERS_CAMEL4 = frozenset({12, 13, 14})


class Meaning(Enum):
    """The meaning of a report for the flow."""

    ANSWER = "answer"
    BUSY = "busy"
    NO_ANSWER = "no answer"
    ROUTE_SELECT_FAILURE = "route select failure"
    ABANDON = "abandon"
    DISCONNECT = "disconnect"


class Arm(NamedTuple):
    """One element of RequestReportBCSMEvent; `timer_s` is its applicationTimer."""

    event: int
    mode: MonitorMode
    leg: int
    timer_s: int | None = None


@dataclass(frozen=True, slots=True)
class CallModel:
    """The events of one half of the call; only one half has route select failure."""

    answer: bcsm.Event
    busy: bcsm.Event
    no_answer: bcsm.Event
    route_select_failure: bcsm.Event | None
    abandon: bcsm.Event
    disconnect: bcsm.Event

    def watch_caller(self) -> tuple[Arm, ...]:
        """Return the events to arm before the caller is prompted."""
        return (Arm(self.abandon, MonitorMode.NOTIFY_AND_CONTINUE, CALLING_LEG),)

    def watch_destination(self, ring_s: int) -> tuple[Arm, ...]:
        """Return the events to arm before a Connect whose failures the flow needs."""
        interrupted = MonitorMode.INTERRUPTED
        arms = [
            Arm(self.answer, MonitorMode.NOTIFY_AND_CONTINUE, CALLED_LEG),
            Arm(self.busy, interrupted, CALLED_LEG),
            Arm(self.no_answer, interrupted, CALLED_LEG, ring_s),
        ]
        if self.route_select_failure is not None:
            arms.append(Arm(self.route_select_failure, interrupted, CALLED_LEG))
        return (*arms, *self.watch_caller())

    def watch_disconnect(self) -> tuple[Arm, ...]:
        """Return the events to arm to learn the end of the conversation."""
        return (
            Arm(self.disconnect, MonitorMode.INTERRUPTED, CALLING_LEG),
            Arm(self.disconnect, MonitorMode.INTERRUPTED, CALLED_LEG),
        )

    def watch_destination_phase_1(self) -> tuple[Arm, ...]:
        """Return the events that CAP v1 can arm before a Connect: only answer and disconnect."""
        answer = Arm(self.answer, MonitorMode.NOTIFY_AND_CONTINUE, CALLED_LEG)
        return (answer, *self.watch_disconnect())


ORIGINATING = CallModel(
    answer=bcsm.Event.O_ANSWER,
    busy=bcsm.Event.O_CALLED_PARTY_BUSY,
    no_answer=bcsm.Event.O_NO_ANSWER,
    route_select_failure=bcsm.Event.ROUTE_SELECT_FAILURE,
    abandon=bcsm.Event.O_ABANDON,
    disconnect=bcsm.Event.O_DISCONNECT,
)
TERMINATING = CallModel(
    answer=bcsm.Event.T_ANSWER,
    busy=bcsm.Event.T_BUSY,
    no_answer=bcsm.Event.T_NO_ANSWER,
    route_select_failure=None,
    abandon=bcsm.Event.T_ABANDON,
    disconnect=bcsm.Event.T_DISCONNECT,
)

MEANINGS: Mapping[int, Meaning] = {
    bcsm.Event.O_ANSWER: Meaning.ANSWER,
    bcsm.Event.T_ANSWER: Meaning.ANSWER,
    bcsm.Event.O_CALLED_PARTY_BUSY: Meaning.BUSY,
    bcsm.Event.T_BUSY: Meaning.BUSY,
    bcsm.Event.O_NO_ANSWER: Meaning.NO_ANSWER,
    bcsm.Event.T_NO_ANSWER: Meaning.NO_ANSWER,
    bcsm.Event.ROUTE_SELECT_FAILURE: Meaning.ROUTE_SELECT_FAILURE,
    bcsm.Event.O_ABANDON: Meaning.ABANDON,
    bcsm.Event.T_ABANDON: Meaning.ABANDON,
    bcsm.Event.O_DISCONNECT: Meaning.DISCONNECT,
    bcsm.Event.T_DISCONNECT: Meaning.DISCONNECT,
}

# Path of a cause in eventSpecificInformationBCSM, by event.
_CAUSES = {
    4: ("routeSelectFailureSpecificInfo", "failureCause_cause"),
    5: ("oCalledPartyBusySpecificInfo", "busyCause_cause"),
    9: ("oDisconnectSpecificInfo", "releaseCause_cause"),
    13: ("tBusySpecificInfo", "busyCause_cause"),
    17: ("tDisconnectSpecificInfo", "releaseCause_cause"),
}
_BUSY_CAUSE = 17
_NO_ANSWER_CAUSES = (18, 19)  # no user responding; no answer, user alerted


def model_of(event_type: object, variant: str) -> CallModel:
    """Return the half of the call that an InitialDP with this eventTypeBCSM comes from."""
    terminating = TERMINATING_TRIGGERS_CAMEL4 if variant == "camel4" else TERMINATING_TRIGGERS
    return TERMINATING if event_type in terminating else ORIGINATING


def leg_of(report: Tree) -> int | None:
    """Return the leg of a report; None if neither the report nor its event has one."""
    leg = report.get("legID")
    if not isinstance(leg, dict):
        return None
    text = leg.get("receivingSideID_hex") or leg.get("sendingSideID_hex")
    return int(text, 16) if text else None


def cause_of(report: Tree) -> int | None:
    """Return the cause value that a report carries, None if there is none."""
    place = _CAUSES.get(report.get("eventTypeBCSM", 0))
    information = report.get("eventSpecificInformationBCSM")
    if place is None or not isinstance(information, dict):
        return None
    inner: Any = information.get(place[0])
    cause = inner.get(place[1]) if isinstance(inner, dict) else None
    return cause if isinstance(cause, int) else None


def failure_event(meaning: Meaning, cause: int | None) -> Event:
    """Return the event for the flow about a destination that was not reached.

    CAP v1 reports only a disconnect before the answer; its cause shows which failure it is.
    """
    if meaning is Meaning.BUSY or (meaning is Meaning.DISCONNECT and cause == _BUSY_CAUSE):
        return Busy(cause)
    if meaning is Meaning.NO_ANSWER or (
        meaning is Meaning.DISCONNECT and cause in _NO_ANSWER_CAUSES
    ):
        return NoAnswer()
    return RouteSelectFailure(cause)
