"""The meaning of components from the SSP or a resource for a call: one Happening each.

This module only reads; the call decides what to do. Malformed components never get here
(`refusals`). A component of the right form at the wrong time is OutOfPlace.
"""

from tsvc.config.scp_tables import Srf
from tsvc.flow.call import Action, Charge, Collect, EnteredDigits, NoDigits, Played
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.inap.bcsm import EVENT_NAMES, MonitorMode
from tsvc.protocols.inap.errors import ERROR_NAMES
from tsvc.protocols.tcap.components import (
    Code,
    Component,
    Invoke,
    LocalCancel,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.scp.charging import TimeReported, report_variant, time_reported
from tsvc.scp.detection_points import MEANINGS, Meaning, cause_of, leg_of
from tsvc.scp.line import Line
from tsvc.scp.refusals import operation_of, read_argument, read_result
from tsvc.scp.telephony import (
    ACR,
    ACTIVITY_TEST,
    APPLY_CHARGING,
    CTR,
    ENTITY_RELEASED,
    ERB,
    ETC,
    FURNISH,
    PLAY,
    PROMPT,
    RESET_TIMER,
    RRBE,
    SRR,
    entered_digits,
    key_in_use,
)
from tsvc.values import dataclass

IMPROPER_CALLER_RESPONSE = "improperCallerResponse"
_OF_EVENT = "SpecificInfo"  # suffix of an event's information, after the event's name
# A failed ResetTimer has no effect yet; an answered prompt can't fail any more.
_DOES_NO_HARM = frozenset({RESET_TIMER.code, PROMPT.code, PLAY.code})


@dataclass(frozen=True, slots=True)
class Reported:
    """An armed event has occurred; `leg` and `cause` are None if the report has none."""

    meaning: Meaning
    mode: MonitorMode
    leg: int | None
    cause: int | None


@dataclass(frozen=True, slots=True)
class ResourceSaid:
    """The resource answered a prompt or announcement."""

    event: EnteredDigits | NoDigits | Played


@dataclass(frozen=True, slots=True)
class ResourceFailed:
    """The resource failed; `was_connected` False: it was never connected."""

    text: str
    was_connected: bool = True


@dataclass(frozen=True, slots=True)
class OperationFailed:
    """Another operation of the SCP failed; `starts_message`: what followed it was not started."""

    text: str
    starts_message: bool = False


@dataclass(frozen=True, slots=True)
class ChargingRefused:
    """The SSP refuses to grant call time."""

    text: str


@dataclass(frozen=True, slots=True)
class PeerTests:
    """The peer tests the activity of the dialogue."""

    invoke_id: int


@dataclass(frozen=True, slots=True)
class PeerLives:
    """The SSP answered an ActivityTest, in any way."""


@dataclass(frozen=True, slots=True)
class PeerSilent:
    """The SSP did not answer an ActivityTest."""


@dataclass(frozen=True, slots=True)
class EntityGone:
    """The SSP has lost the call: it can't be instructed any more."""


@dataclass(frozen=True, slots=True)
class OutOfPlace:
    """An operation without errors that can't come now; `text` is the counted kind."""

    text: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A component that needs no action; `text` is the counted kind."""

    text: str


Happening = (
    Reported
    | ResourceSaid
    | ResourceFailed
    | OperationFailed
    | TimeReported
    | ChargingRefused
    | PeerTests
    | PeerLives
    | PeerSilent
    | EntityGone
    | OutOfPlace
    | Noted
)


class Reader:
    """Reads the components of one call; `action` = what the flow waits for."""

    __slots__ = ("_line", "_srf")

    def __init__(self, line: Line, srf: Srf) -> None:
        self._line = line
        self._srf = srf

    def read(self, dialogue: Dialogue, component: Component, action: Action | None) -> Happening:
        """Return the meaning of a component on one of the call's dialogues."""
        match component:
            case Invoke():
                return self._read_invoke(dialogue, component, action)
            case ReturnResult(invoke_id, code):
                if code == ACTIVITY_TEST.code:
                    return PeerLives()
                if isinstance(action, Collect) and self._line.is_asked(dialogue, invoke_id):
                    return self._read_digits(dialogue, component, action)
                return OutOfPlace("unexpected result")
            case ReturnError(invoke_id, code, operation_code=operation):
                name = ERROR_NAMES.get(code) if isinstance(code, int) else None
                text = name or "unknown error"
                is_asked = self._line.is_asked(dialogue, invoke_id)
                if text == IMPROPER_CALLER_RESPONSE and is_asked and isinstance(action, Collect):
                    return ResourceSaid(NoDigits(text))
                return self._failure(dialogue, invoke_id, operation, text)
            case Reject(invoke_id, operation_code=operation, is_local=False):
                if operation == ACTIVITY_TEST.code:
                    return PeerLives()
                return self._failure(dialogue, invoke_id, operation, "rejected")
            case LocalCancel(invoke_id, code):
                if code == ACTIVITY_TEST.code:
                    return PeerSilent()
                return self._failure(dialogue, invoke_id, code, "no answer")
            case _:
                return Noted("unexpected component")

    def find(
        self,
        meaning: Meaning,
        dialogue: Dialogue,
        components: list[Component],
        action: Action | None,
    ) -> Reported | None:
        """Return the report with that meaning among several components, None if there is none."""
        if len(components) > 1:
            for component in components:
                if isinstance(component, Invoke):
                    match self._read_invoke(dialogue, component, action):
                        case Reported() as report if report.meaning is meaning:
                            return report
        return None

    def contradiction(self, dialogue: Dialogue, components: list[Component]) -> OutOfPlace | None:
        """Return what can't be in one message: reports of which one disarms the other's event."""
        if len(components) < 2 or dialogue is not self._line.dialogue:
            return None
        variant = self._line.variant_on(dialogue)
        invokes = [one for one in components if isinstance(one, Invoke)]
        reports = [one for one in invokes if operation_of(one.code, variant) is ERB]
        trees = [read_argument(ERB, one.parameter, variant).tree for one in reports]
        if len(trees) < 2 or self._line.are_armed(trees):
            return None
        return OutOfPlace("reports that can't follow each other")

    def _read_invoke(self, dialogue: Dialogue, invoke: Invoke, action: Action | None) -> Happening:
        variant = self._line.variant_on(dialogue)
        operation = operation_of(invoke.code, variant)
        if operation is ERB:
            return self._read_report(read_argument(ERB, invoke.parameter, variant).tree)
        if operation is SRR:
            tree = read_argument(SRR, invoke.parameter, variant).tree
            return self._read_resource_report(dialogue, invoke, tree, action)
        if operation is ACR:
            return self._read_time(invoke, variant, action)
        if operation is ACTIVITY_TEST:
            return PeerTests(invoke.invoke_id)
        if operation is ENTITY_RELEASED and dialogue is self._line.dialogue:
            return EntityGone()
        return OutOfPlace("operation that nobody asked for")

    def _read_report(self, report: Tree) -> Happening:
        event = report.get("eventTypeBCSM", 0)
        mode = self._line.mode_of(report)
        meaning = MEANINGS.get(event)
        if mode is None or meaning is None:
            return OutOfPlace("report of an event that is not armed")
        information = report.get("eventSpecificInformationBCSM", {})
        if any(EVENT_NAMES.get(event) != name.removesuffix(_OF_EVENT) for name in information):
            return OutOfPlace("report with the information of another event")
        return Reported(meaning, mode, leg_of(report), cause_of(report))

    def _read_time(self, invoke: Invoke, variant: str, action: Action | None) -> Happening:
        if not self._line.reports_due:
            return OutOfPlace("report of call time that nobody asked for")
        tree, is_malformed = read_argument(ACR, invoke.parameter, report_variant(variant))
        reported = time_reported({} if is_malformed else tree)
        if isinstance(action, Charge) and reported.leg not in (None, action.leg):
            return OutOfPlace("report of call time of another party")
        return reported

    def _read_digits(self, dialogue: Dialogue, result: ReturnResult, action: Collect) -> Happening:
        tree = read_result(PROMPT, result.parameter, self._line.variant_on(dialogue)).tree
        end_key = key_in_use(action.end_character, self._srf.end_digit)
        return ResourceSaid(entered_digits(tree, self._srf.start_digit, end_key))

    def _read_resource_report(
        self, dialogue: Dialogue, invoke: Invoke, tree: Tree, action: Action | None
    ) -> Happening:
        asked = self._line.asked
        # The report of the start is never requested.
        is_start = "firstAnnouncementStarted" in tree
        if asked is None or asked[0] is not dialogue or is_start or isinstance(action, Collect):
            return OutOfPlace("unexpected resource report")
        if invoke.linked_id not in (None, asked[1]):
            return OutOfPlace("resource report with another linked id")
        return ResourceSaid(Played())

    def _failure(
        self, dialogue: Dialogue, invoke_id: int | None, operation: Code | None, text: str
    ) -> Happening:
        if self._line.is_asked(dialogue, invoke_id):
            return ResourceFailed(text)
        if operation in (CTR.code, ETC.code):
            return ResourceFailed(text, was_connected=False)
        if operation == APPLY_CHARGING.code:
            return ChargingRefused(text)
        if operation == FURNISH.code:
            return Noted("charging data refused")
        if operation in _DOES_NO_HARM:
            return Noted("failure of a late or minor operation")
        return OperationFailed(text, starts_message=operation == RRBE.code)
