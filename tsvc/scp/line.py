"""The state of one call at the SSP: armed events, the resource, queued components.

This module waits for nothing and decides nothing. It puts components into the order and grouping
of the wire table, and knows what must be disarmed or disconnected before a dialogue may end.

An external resource opens a dialogue of its own, the assist dialogue. Its first operation has the
correlation id that the SSP got in EstablishTemporaryConnection. Assists finds the call of an id.
"""

from typing import Any, Generic, TypeVar

from tsvc.config.scp_tables import End, Scp
from tsvc.errors import LocalProtocolError
from tsvc.flow.call import Charge, Collect, Furnish, Play
from tsvc.protocols.asn1 import Tree
from tsvc.protocols.inap.bcsm import MonitorMode
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.protocols.tcap.states import DialogueState
from tsvc.scp.detection_points import (
    CALLED_LEG,
    CALLING_LEG,
    MEANINGS,
    Arm,
    CallModel,
    Meaning,
    leg_of,
)
from tsvc.scp.telephony import Telephony

CallT = TypeVar("CallT")

_DIGITS = 8
_MOST_DATA = 16  # charging data in one message: more means an endless loop in the flow


class Assists(Generic[CallT]):
    """Calls that wait for their assist dialogue, by the digits of the correlation id.

    serial: of the last id given.
    """

    __slots__ = ("_waiting", "serial")

    def __init__(self, first: int) -> None:
        self.serial = first
        self._waiting: dict[str, tuple[CallT, str]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def expect(self, call: CallT, address: str = "") -> str:
        """Return a new correlation id for the call: eight digits.

        address: of a resource that takes the id from the address that it is called by. The
        resource may report the whole address.
        """
        while True:
            self.serial = (self.serial + 1) % 10**_DIGITS
            correlation_id = f"{self.serial:0{_DIGITS}d}"
            if correlation_id not in self._waiting:
                self._waiting[correlation_id] = call, address
                return correlation_id

    def forget(self, correlation_id: str) -> None:
        """Stop waiting for an assist dialogue."""
        self._waiting.pop(correlation_id, None)

    def take(self, digits: str) -> CallT | None:
        """Return the call of the digits, None if there is none; the call stops waiting."""
        address, correlation_id = digits[:-_DIGITS], digits[-_DIGITS:]
        found = self._waiting.get(correlation_id)
        if found is None or address not in ("", found[1]):
            return None
        del self._waiting[correlation_id]
        return found[0]


class Line:
    """The dialogue with the SSP and, if there is one, with the external resource.

    is_connected: the SSP has a connection to a resource, or is making one.
    asked:        dialogue and invoke id of the prompt or announcement not answered yet.
    is_talking:   the destination has answered, and neither party has left.
    reports_due:  the number of granted times that the SSP has not reported on.
    """

    __slots__ = (
        "_armed",
        "_assist_telephony",
        "_assists",
        "_closing",
        "_correlation_id",
        "_data_queued",
        "_is_caller_watched",
        "_model",
        "_settings",
        "asked",
        "assist",
        "dialogue",
        "is_connected",
        "is_talking",
        "reports_due",
        "telephony",
    )

    def __init__(
        self,
        dialogue: Dialogue,
        telephony: Telephony,
        model: CallModel,
        settings: Scp,
        assists: Assists[Any],
    ) -> None:
        self.dialogue = dialogue
        self.telephony = telephony
        self.is_connected = False
        self.assist: Dialogue | None = None
        self.asked: tuple[Dialogue, int] | None = None
        self._model = model
        self._settings = settings
        self._assists = assists
        self._assist_telephony = telephony
        self._correlation_id = ""
        self._armed: _Armed = {}
        self._is_caller_watched = False
        self._closing: list[Dialogue] = []
        self.is_talking = False
        self.reports_due = 0
        self._data_queued = 0

    def variant_on(self, dialogue: Dialogue) -> str:
        """Return the variant of one of the two dialogues."""
        on_ssp = dialogue is self.dialogue
        return (self.telephony if on_ssp else self._assist_telephony).variant

    # -- detection points -------------------------------------------------------------------

    def watch_caller(self, now: float) -> None:
        """Queue the arming of the caller's abandon, unless it is armed; CAP v1 can't arm it."""
        if self.telephony.has_resources and not self._is_caller_watched:
            self._arm(self._model.watch_caller(), now)

    def watch_destination(
        self, ring_s: int, now: float, *, wants_failures: bool = True, monitors: bool = True
    ) -> None:
        """Queue the arming of all events that must be known after a Connect."""
        model = self._model
        if not self.telephony.has_resources:
            phase_1 = model.watch_destination_phase_1()
            self._arm(phase_1 if wants_failures else model.watch_disconnect(), now)
            return
        arms = model.watch_destination(ring_s) if wants_failures else model.watch_caller()
        if monitors:
            arms += model.watch_disconnect()
        self._arm(arms, now)

    def disarm(self, now: float) -> None:
        """Queue the disarming of all armed events: no dialogue may end with an armed event."""
        if self._armed:
            transparent = MonitorMode.TRANSPARENT
            arms = tuple(Arm(event, transparent, leg) for event, leg in self._armed)
            self.telephony.arm(self.dialogue, arms, now)

    def _arm(self, arms: tuple[Arm, ...], now: float) -> None:
        self.telephony.arm(self.dialogue, arms, now)
        self._is_caller_watched = True  # every set of arms watches the caller too
        for arm in arms:
            self._armed[arm.event, arm.leg] = arm.mode

    def mode_of(self, report: Tree) -> MonitorMode | None:
        """Return the mode with which the reported event was armed, None if it was not armed.

        miscCallInfo of the report is ignored. A report without a leg may be of either leg.
        """
        found = _find(report, self._armed)
        return None if found is None else self._armed[found]

    def are_armed(self, reports: list[Tree]) -> bool:
        """Return True if reports of one message can follow each other: each disarms its event."""
        armed = dict(self._armed)
        for report in reports:
            found = _find(report, armed)
            if found is None:
                return False
            if MEANINGS[found[0]] is Meaning.ANSWER:
                armed = _after_answer(armed)
            elif armed[found] is MonitorMode.INTERRUPTED and found[1] == CALLED_LEG:
                armed = _after_interruption(armed)
            armed.pop(found, None)
        return True

    def note_interrupted(self) -> None:
        """Record that the SSP waits after a report: the called leg is not watched any more.

        SSPs differ in what they still watch of the calling leg. So it is armed again when needed,
        and counts as armed when a dialogue must not end with an armed event.
        """
        self._armed = _after_interruption(self._armed)
        self._is_caller_watched = False
        self.is_talking = False

    def note_answer(self) -> None:
        """Record an answer, which disarms everything except the end of the conversation."""
        self._armed = _after_answer(self._armed)
        self.is_talking = True

    # -- call control -----------------------------------------------------------------------

    def connect(self, destination: str | None, now: float) -> None:
        """Queue Connect; None: Continue, to the destination that the caller dialled."""
        if destination is None:
            self.telephony.continue_(self.dialogue, now)
        else:
            self.telephony.connect(self.dialogue, destination, now)

    def release(self, cause: int, now: float) -> None:
        """Queue ReleaseCall, after the resource's disconnection if one is connected."""
        self.disconnect_resource(now)
        self.telephony.release(self.dialogue, cause, now)

    # -- charging ---------------------------------------------------------------------------

    def grant(self, charge: Charge, now: float) -> None:
        """Queue ApplyCharging; one more report is due."""
        self.telephony.grant(self.dialogue, charge, now)
        self.reports_due += 1

    def furnish(self, furnish: Furnish, now: float) -> None:
        """Queue FurnishChargingInformation.

        Errors: LocalProtocolError for more of them than a message can take.
        """
        if self._data_queued == _MOST_DATA:
            raise LocalProtocolError(f"more than {_MOST_DATA} charging data in one message")
        self.telephony.furnish(self.dialogue, furnish, now)
        self._data_queued += 1

    # -- resources --------------------------------------------------------------------------

    def connect_resource(self, call: object, now: float) -> bool:
        """Queue the connection of a resource, unless there is one. Return True if it can be asked.

        It can't be asked while an external resource has not opened its dialogue: see join().
        """
        if self._settings.srf.use_etc:
            if self.assist is not None:
                return True
            self.disconnect_resource(now)  # a resource whose dialogue is over
            srf = self._settings.srf
            is_embedded = srf.correlation_id_location == "embedded"
            address = srf.routing_address if is_embedded else ""
            self._correlation_id = self._assists.expect(call, address)
            self.telephony.establish_temporary_connection(self.dialogue, self._correlation_id, now)
            self.is_connected = True
            return False
        if not self.is_connected:
            self.telephony.connect_to_resource(self.dialogue, now)
            self.is_connected = True
        return True

    def join(self, assist: Dialogue, telephony: Telephony) -> None:
        """Set the dialogue that the external resource has opened."""
        self.assist = assist
        # The same variant is encoded with the settings with which the call began.
        is_same = telephony.variant == self.telephony.variant
        self._assist_telephony = self.telephony if is_same else telephony
        self._correlation_id = ""

    def ask(self, action: Collect | Play, now: float) -> None:
        """Queue a prompt or an announcement."""
        if self.assist is not None:
            asked = self.assist, self._assist_telephony.ask(self.assist, action, now)
        else:
            asked = self.dialogue, self.telephony.ask(self.dialogue, action, now)
        self.asked = asked

    def is_asked(self, dialogue: Dialogue, invoke_id: int | None) -> bool:
        """Return True if an answer belongs to the prompt or announcement."""
        return self.asked is not None and self.asked == (dialogue, invoke_id)

    def disconnect_resource(self, now: float) -> None:
        """Queue DisconnectForwardConnection if a resource is connected; never otherwise."""
        if self.is_connected:
            self.telephony.disconnect_forward_connection(self.dialogue, now)
        self.drop_resource()

    def drop_resource(self) -> None:
        """Record that the SSP has no resource connected any more, or that its dialogue is over."""
        self.is_connected = False
        self.asked = None
        if self._correlation_id:
            self._assists.forget(self._correlation_id)
            self._correlation_id = ""
        self.drop_assist()

    def drop_assist(self) -> None:
        """End the assist dialogue, if there is one; the temporary connection stays."""
        if self.assist is not None:
            self._closing.append(self.assist)
            self.assist.user = None
            self.assist = None

    def settle(self) -> None:
        """Remove the invocations that can't fail any more (TC-U-CANCEL, which is local).

        Peers handle components in order, so an answer proves that all before it are done. Without
        this a call that loops would run out of invoke ids: some timers take half an hour.
        """
        for dialogue in (self.dialogue, self.assist):
            if dialogue is not None:
                invocations = dialogue.invocations
                for invoke_id in [
                    one for one in invocations if not invocations[one].is_outstanding
                ]:
                    del invocations[invoke_id]

    # -- sending ----------------------------------------------------------------------------

    def flush(self, *, is_over: bool) -> None:
        """Send queued components, one message per dialogue. `is_over`: end the dialogues."""
        self._data_queued = 0
        if is_over:
            self.drop_resource()
            _end(self.dialogue, self._settings.end)
        else:
            _send(self.dialogue)
            if self.assist is not None:
                _send(self.assist)
        for assist in self._closing:
            _end(assist, self._settings.srf.assist_end)
        self._closing.clear()

    def let_go(self) -> None:
        """Remove the user of the dialogues: the call is over, and nothing may keep it alive."""
        self.dialogue.user = None
        if self.assist is not None:
            self.assist.user = None


_Armed = dict[tuple[int, int], MonitorMode]  # event and leg


def _find(report: Tree, armed: _Armed) -> tuple[int, int] | None:
    """Return the armed event of a report, None without one. A report without a leg fits both."""
    event = report.get("eventTypeBCSM")
    leg = None if "legID_defaulted" in report else leg_of(report)
    return next((one for one in armed if one[0] == event and leg in (None, one[1])), None)


def _after_interruption(armed: _Armed) -> _Armed:
    return {one: mode for one, mode in armed.items() if one[1] == CALLING_LEG}


def _after_answer(armed: _Armed) -> _Armed:
    return {one: mode for one, mode in armed.items() if MEANINGS[one[0]] is Meaning.DISCONNECT}


def _send(dialogue: Dialogue) -> None:
    if dialogue.state is not DialogueState.CLOSED and dialogue.pending_count:
        dialogue.continue_()


def _end(dialogue: Dialogue, end: End) -> None:
    """End a dialogue as configured; queued components require a message."""
    if dialogue.state is not DialogueState.CLOSED:
        dialogue.end(prearranged=end == "prearranged" and not dialogue.pending_count)
