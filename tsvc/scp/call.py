"""One call: messages of the SSP and its resource, the run of a flow, and time.

A call is in one state, which defines what it waits for. A state has one deadline and one action
for that deadline. All effects of a message or deadline are queued on the Line and sent at the end
as one message.
"""

from collections.abc import Callable
from enum import Enum

from tsvc.config.scp_tables import Scp
from tsvc.flow.call import (
    Action,
    Answered,
    Charge,
    ChargingFailed,
    Collect,
    Ended,
    Event,
    Finished,
    Furnish,
    Furnished,
    NoAnswer,
    Pause,
    PauseOver,
    Play,
    Release,
    Terminate,
    Used,
)
from tsvc.flow.engine import FlowRun
from tsvc.log import get_logger
from tsvc.protocols.inap.bcsm import MonitorMode
from tsvc.protocols.tcap.components import Component, ReturnResult
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind
from tsvc.protocols.tcap.states import DialogueState
from tsvc.scp import reports
from tsvc.scp.charging import TimeReported
from tsvc.scp.detection_points import CALLED_LEG, NORMAL_CLEARING, Meaning, failure_event
from tsvc.scp.line import Assists, Line
from tsvc.scp.refusals import has_local_reject, refusals
from tsvc.scp.statistics import Ending, Statistics
from tsvc.scp.telephony import Telephony
from tsvc.scp.timers import NEVER, Timers
from tsvc.scp.usual import Seen
from tsvc.values import dataclass


class CallState(Enum):
    """The states of a call; a value describes what it waits for."""

    START = "the flow's first action"
    PROMPT = "digits"
    ANNOUNCEMENT = "the end of an announcement"
    ASSIST = "an assist dialogue"
    PAUSE = "the end of a pause"
    DESTINATION = "what becomes of a Connect"
    CHARGED = "what becomes of a Connect, then the end of a grant or of the conversation"
    WATCH = "the end of the conversation, or of the SSP's dialogue"
    OVER = "nothing"


# In these states the SSP waits for instructions: its timer must not expire.
SSP_WAITS = frozenset(
    {CallState.PROMPT, CallState.ANNOUNCEMENT, CallState.ASSIST, CallState.PAUSE}
)


log = get_logger("scp")


@dataclass(frozen=True, slots=True)
class Host:
    """The objects that calls share. `on_over` is called once for each call."""

    settings: Scp
    statistics: Statistics
    timers: Timers
    assists: "Assists[Call]"
    on_over: Callable[["Call"], None]


class Call:
    """One call. `ssp_tid` = the SSP's transaction id; `ending` = how it ends, once known."""

    __slots__ = (
        "_heard_at",
        "_host",
        "_is_testing",
        "_line",
        "_now",
        "_reader",
        "_reset_at",
        "_time",
        "_wait_until",
        "ending",
        "run",
        "scheduled_at",
        "seen",
        "ssp_tid",
        "state",
    )

    def __init__(self, host: Host, line: Line, run: FlowRun, now: float) -> None:
        self.run = run
        self.ssp_tid = line.dialogue.remote_tid or b""
        self.state = CallState.START
        self.ending: Ending | None = None
        self.scheduled_at = NEVER
        self.seen: Seen | None = None  # its state, while its steps can be learned
        self._host = host
        self._line = line
        self._reader = reports.Reader(line, host.settings.srf)
        self._now = now
        self._heard_at = now
        self._is_testing = False
        self._wait_until = NEVER
        self._reset_at = NEVER
        self._time: TimeReported | None = None  # the report on the current grant

    # -- from outside -----------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """True if nothing of the call is left."""
        return self.state is CallState.OVER

    def start(self, further: list[Component], now: float) -> None:
        """Run the flow to its first action; `further` came after InitialDP in the BEGIN."""
        self._now = now
        if not self._refused(self._line.dialogue, further):
            self._advance(None)
            self._take(self._line.dialogue, further)
        self._flush()

    def receive(self, indication: Indication, now: float) -> None:
        """Handle an indication of the SSP or of the assist dialogue. Never raises."""
        self._now = now
        if indication.kind is IndicationKind.NOTICE:
            # The peer can't be reached, so nothing more is sent to it.
            indication.dialogue.end(prearranged=True)
        if indication.dialogue is self._line.dialogue:
            self._heard_at = now
            self._receive_from_ssp(indication)
        elif indication.dialogue is self._line.assist:
            self._receive_from_assist(indication)
        self._flush()

    def join(self, assist: Dialogue, telephony: Telephony, now: float) -> None:
        """Set the assist dialogue that the call waited for, and queue what is to be asked."""
        self._now = now
        self._line.join(assist, telephony)
        action = self.run.action
        if isinstance(action, Collect | Play):
            self._ask(action)
        self._flush()

    def close(self, now: float) -> None:
        """End the call because the service stops; a caller that waits for the SCP is released."""
        self._now = now
        if self.state in SSP_WAITS:
            self._release_caller(self._host.settings.release_cause, Ending.RELEASED)
        else:
            self._leave(self.ending or Ending.RELEASED)
        self._flush()

    # -- timers -----------------------------------------------------------------------------

    def next_deadline(self) -> float:
        """Return when handle_timer() is due, infinity if never."""
        if self.state is CallState.OVER:
            return NEVER
        return min(self.deadlines())

    def deadlines(self) -> tuple[float, ...]:
        """Return the deadlines of a call that goes on, infinity for none.

        An unchanged deadline is the same object as before; that of silence restarts with each
        message.
        """
        return self._wait_until, self._reset_at, self._silence_until()

    def handle_timer(self, now: float) -> None:
        """Handle the deadlines that have passed."""
        self._now = now
        if self._wait_until <= now:
            self._wait_until = NEVER
            self._wait_is_over()
        line = self._line
        if self._reset_at <= now and not self.is_over:
            line.telephony.reset_timer(line.dialogue, now)
            self._reset_at = now + self._host.settings.reset_timer_interval
        if self._silence_until() <= now and not self.is_over:
            self._is_testing = True
            line.telephony.activity_test(line.dialogue, now)
        self._flush()

    def _silence_until(self) -> float:
        silence_s = self._host.settings.activity_test_seconds
        return NEVER if self._is_testing or not silence_s else self._heard_at + silence_s

    def _wait(self, state: CallState, seconds: float) -> None:
        self.state = state
        self._wait_until = self._now + seconds
        self._reset_at = NEVER
        interval_s = self._host.settings.reset_timer_interval
        if state in SSP_WAITS and interval_s and self._line.telephony.has_resources:
            self._reset_at = self._now + interval_s

    def _wait_is_over(self) -> None:
        """Handle the timeout of the current state."""
        match self.state:
            case CallState.PROMPT | CallState.ANNOUNCEMENT:
                self._resource_failed("guard time")
            case CallState.ASSIST:
                self._resource_failed("no assist dialogue")
            case CallState.PAUSE:
                self._advance(PauseOver())
            case CallState.DESTINATION if not self._line.telephony.has_resources:
                self._advance(NoAnswer())  # CAP v1: the SCP keeps the ring time
            case CallState.CHARGED if self._time is not None:
                self._advance(Ended(self._time.seconds))  # that end brings no further report
            case CallState.CHARGED if self._line.is_talking:
                self._charging_failed("no report")
            case CallState.DESTINATION | CallState.CHARGED:
                self._error("ring guard time")
                self._leave(Ending.FAILED)
            case _:
                self._error("call guard time")
                self._leave(self.ending or Ending.FAILED)

    # -- messages ---------------------------------------------------------------------------

    def _receive_from_ssp(self, indication: Indication) -> None:
        match indication.kind:
            case IndicationKind.CONTINUE | IndicationKind.CANCEL:
                if not self._refused(self._line.dialogue, indication.components):
                    self._take(self._line.dialogue, indication.components)
            case IndicationKind.END:
                if not self._refused(self._line.dialogue, indication.components):
                    self._take_last(indication.components)
            case _:
                self._note(f"{indication.kind.value} from the SSP")
                self._caller_gone(Ending.ABANDONED)

    def _receive_from_assist(self, indication: Indication) -> None:
        assist = indication.dialogue
        is_open = indication.kind in (IndicationKind.CONTINUE, IndicationKind.CANCEL)
        if not is_open:
            self._line.assist = None  # closed: the resource can't be asked any more
        if self._refused(assist, indication.components):
            return
        self._take(assist, indication.components)
        if not is_open and self.state in (CallState.PROMPT, CallState.ANNOUNCEMENT):
            asked = self._line.asked
            if asked is not None and asked[0] is assist:
                self._resource_failed("assist dialogue ended")

    def _refused(self, dialogue: Dialogue, components: list[Component]) -> bool:
        """End the dialogue if a component of the message requires an error or a reject.

        Rejects of the own component sublayer are queued already; an END can't be answered.
        """
        line = self._line
        due = line.reports_due if dialogue is line.dialogue else 0
        answers = refusals(components, line.variant_on(dialogue), due)
        if not answers and not has_local_reject(components):
            return False
        if dialogue.state is not DialogueState.CLOSED:
            for answer in answers:
                dialogue.answer(answer)
        self._broken(dialogue)
        return True

    def _broken(self, dialogue: Dialogue) -> None:
        """Give up a dialogue whose peer violates the protocol; it ends with what is queued."""
        if dialogue is self._line.dialogue:
            self._error("protocol")
            self._over(Ending.FAILED)
        else:
            self._line.drop_assist()
            self._resource_failed("protocol")

    def _take(self, dialogue: Dialogue, components: list[Component]) -> None:
        action = self.run.action
        contradiction = self._reader.contradiction(dialogue, components)
        if contradiction is not None:
            self._act_on(dialogue, contradiction)
            return
        abandoned = self._reader.find(Meaning.ABANDON, dialogue, components, action)
        if abandoned is not None:
            # Other components of the message are ignored: there is no caller any more.
            self._take_report(abandoned)
            return
        for component in components:
            if self.is_over:
                return
            happening = self._reader.read(dialogue, component, self.run.action)
            if isinstance(happening, TimeReported):
                end = self._reader.find(Meaning.DISCONNECT, dialogue, components, self.run.action)
                self._take_time(happening, is_end=end is not None)
            else:
                self._act_on(dialogue, happening)

    def _act_on(self, dialogue: Dialogue, happening: reports.Happening) -> None:
        """Handle a component of the peer, except a report of granted time."""
        match happening:
            case reports.Reported() as report:
                self._take_report(report)
            case reports.ChargingRefused(text):
                self._line.reports_due -= 1
                self._charging_failed(text)
            case reports.ResourceSaid(event):
                self._line.settle()
                self._line.asked = None
                self._advance(event)
            case reports.ResourceFailed(text, was_connected):
                if not was_connected:
                    self._line.drop_resource()
                self._resource_failed(text)
            case reports.OperationFailed(text, starts_message):
                if starts_message:
                    self._line.drop_resource()
                self._failed(text)
            case reports.PeerTests(invoke_id):
                if dialogue.state is not DialogueState.CLOSED:
                    dialogue.answer(ReturnResult(invoke_id))
            case reports.PeerLives():
                self._is_testing = False
            case reports.PeerSilent():
                self._error("activity test")
                self._caller_gone(Ending.ABANDONED)
            case reports.EntityGone():
                self._error("entity released")
                self._caller_gone(Ending.FAILED)
            case reports.OutOfPlace(text):
                # An operation of class 4 can be answered with neither error nor reject.
                self._note(text)
                if dialogue.state is not DialogueState.CLOSED:
                    dialogue.abort()
                self._broken(dialogue)
            case reports.Noted(text):
                self._note(text)

    def _take_last(self, components: list[Component]) -> None:
        """Handle the components of the SSP's END; they can't be answered."""
        contradiction = self._reader.contradiction(self._line.dialogue, components)
        if contradiction is not None:
            self._note(contradiction.text)
            self._error("protocol")
            self._over(Ending.FAILED)
            return
        for component in components:
            match self._reader.read(self._line.dialogue, component, self.run.action):
                case reports.Reported(meaning=Meaning.ANSWER) if (
                    self.state is CallState.DESTINATION
                ):
                    self.run.resume(Answered())
                    self.ending = Ending.ANSWERED
                case reports.Reported(meaning=Meaning.ANSWER) if self.state is CallState.CHARGED:
                    self.ending = Ending.ANSWERED
                case reports.ResourceFailed() | reports.OperationFailed() if self.ending is None:
                    self._error("the SSP ended with an error")
                    self.ending = Ending.FAILED
                case reports.OutOfPlace(text):
                    self._note(text)
                    self._error("protocol")
                    self.ending = Ending.FAILED
        self._caller_gone(Ending.ABANDONED)

    def _take_report(self, report: reports.Reported) -> None:
        is_any_time = report.meaning in (Meaning.ABANDON, Meaning.DISCONNECT)
        line = self._line
        was_talking = line.is_talking
        is_unanswered = self.state is CallState.DESTINATION or (
            self.state is CallState.CHARGED and not was_talking
        )
        if not is_any_time and not is_unanswered:
            self._note("late report")
            return
        line.settle()
        if report.mode is MonitorMode.INTERRUPTED:
            line.note_interrupted()
        match report.meaning:
            case Meaning.ABANDON:
                self._caller_gone(Ending.ABANDONED)
            case Meaning.ANSWER:
                self._answered()
            case Meaning.DISCONNECT if was_talking and self.state is CallState.CHARGED:
                self._advance(Ended(self._time.seconds if self._time else None))
            case Meaning.DISCONNECT if not (is_unanswered and report.leg == CALLED_LEG):
                cause = report.cause or NORMAL_CLEARING
                self._release_caller(cause, self.ending or Ending.ABANDONED)
            case _:
                self._advance(failure_event(report.meaning, report.cause))

    def _answered(self) -> None:
        attempt = self.run.action
        self.ending = Ending.ANSWERED
        self._line.note_answer()
        if isinstance(attempt, Charge):
            self._wait(CallState.CHARGED, attempt.seconds + self._host.settings.ring_margin_s)
            return
        self.run.resume(Answered())
        if isinstance(attempt, Terminate) and attempt.monitor_disconnect:
            self._wait(CallState.WATCH, self._host.settings.call_guard_s)
        else:
            self._leave(Ending.ANSWERED)

    # -- the flow ---------------------------------------------------------------------------

    def _advance(self, event: Event | None) -> None:
        """Pass an event to the flow (None: start it) and perform the resulting action."""
        try:
            action = self.run.start() if event is None else self.run.resume(event)
            # No recursion: a flow may yield hundreds of these actions one after the other.
            while (answer := self._answer_at_once(action)) is not None:
                action = self.run.resume(answer)
            self._perform(action)
        except Exception as error:  # noqa: BLE001 - a fault of one node must not stop all calls
            log.failure("flow failed", error, flow=self.run.flow.name)
            self._failed("flow")

    def _perform(self, action: Action) -> None:
        match action:
            case Collect() | Play():
                self._use_resource(action)
            case Terminate():
                self._terminate(action)
            case Charge():
                self._charge(action)
            case Pause(seconds):
                self._line.watch_caller(self._now)
                self._wait(CallState.PAUSE, seconds)
            case Release(cause):
                default = self._host.settings.release_cause
                self._release_caller(default if cause is None else cause, Ending.RELEASED)
            case Finished():
                self._leave(Ending.RELEASED)

    def _use_resource(self, action: Collect | Play) -> None:
        line = self._line
        if not line.telephony.has_resources:
            self._resource_failed("none in CAP v1")
            return
        line.watch_caller(self._now)
        if line.connect_resource(self, self._now):
            self._ask(action)
        else:
            self._wait(CallState.ASSIST, self._host.settings.srf.correlation_id_timeout_s)

    def _ask(self, action: Collect | Play) -> None:
        self._line.ask(action, self._now)
        state = CallState.PROMPT if isinstance(action, Collect) else CallState.ANNOUNCEMENT
        self._wait(state, self._host.settings.srf.guard_s)

    def _terminate(self, action: Terminate) -> None:
        line, settings = self._line, self._host.settings
        line.disconnect_resource(self._now)
        ring_s = action.ring_seconds or settings.no_answer_seconds
        if action.wants_failures or action.monitor_disconnect:
            line.watch_destination(
                ring_s,
                self._now,
                wants_failures=action.wants_failures,
                monitors=action.monitor_disconnect,
            )
        elif settings.final_connect == "end":
            line.disarm(self._now)
        line.connect(action.destination, self._now)
        if action.wants_failures:
            # An SSP of CAP v1 can't be given the ring time, so the SCP keeps it.
            margin_s = settings.ring_margin_s if line.telephony.has_resources else 0
            self._wait(CallState.DESTINATION, ring_s + margin_s)
            return
        self.ending = Ending.CONNECTED
        if action.monitor_disconnect or settings.final_connect == "continue":
            self._wait(CallState.WATCH, settings.call_guard_s)
        else:
            self._over(Ending.CONNECTED)

    # -- charging ---------------------------------------------------------------------------

    def _answer_at_once(self, action: Action) -> Event | None:
        """Return the answer to an action that needs no wait, otherwise None."""
        has_charging = self._line.telephony.has_charging
        match action:
            case Furnish() if has_charging:
                self._line.furnish(action, self._now)
                return Furnished()
            case Furnish():
                self._note("no charging data in CAP v1")
                return Furnished()
            case Charge() if not has_charging:
                self._error("charging: none in CAP v1")
                return ChargingFailed("none in CAP v1")
        return None

    def _charge(self, action: Charge) -> None:
        line, settings = self._line, self._host.settings
        self._time = None
        if line.is_talking:
            line.grant(action, self._now)
            self._wait(CallState.CHARGED, action.seconds + settings.ring_margin_s)
            return
        line.disconnect_resource(self._now)
        ring_s = action.ring_seconds or settings.no_answer_seconds
        line.watch_destination(ring_s, self._now)
        line.grant(action, self._now)
        line.connect(action.destination, self._now)
        self._wait(CallState.CHARGED, ring_s + settings.ring_margin_s)

    def _take_time(self, report: TimeReported, *, is_end: bool) -> None:
        """Handle a report of call time; `is_end`: its message reports that a party has left."""
        line = self._line
        line.reports_due -= 1
        line.settle()
        if self.state is not CallState.CHARGED:
            self._note("late report of call time")
            return
        if is_end or not report.is_active:
            # The report of the end comes next, usually in the same message.
            self._time = report
            self._wait(CallState.CHARGED, self._host.settings.ring_margin_s)
        elif line.is_talking:
            self._advance(Used(report.seconds))
        else:
            self._note("report of call time before the answer")

    def _charging_failed(self, text: str) -> None:
        self._error(f"charging: {text}")
        if self.state is CallState.CHARGED:
            self._advance(ChargingFailed(text))

    # -- the end ----------------------------------------------------------------------------

    def _release_caller(self, cause: int, ending: Ending) -> None:
        self._line.release(cause, self._now)
        self._over(ending)

    def _leave(self, ending: Ending) -> None:
        """End the dialogue; the call goes on without the SCP."""
        self._line.disarm(self._now)
        self._over(ending)

    def _caller_gone(self, ending: Ending) -> None:
        """End the dialogue empty; `ending` unless the call was answered or had failed before."""
        self._over(self.ending or ending)

    def _resource_failed(self, text: str) -> None:
        self._error(f"resource: {text}")
        self._release_caller(self._host.settings.resource_failure_cause, Ending.FAILED)

    def _failed(self, text: str) -> None:
        self._error(text)
        self._release_caller(self._host.settings.release_cause, Ending.FAILED)

    def _over(self, ending: Ending) -> None:
        self.run.stop(ending.value)
        self.ending = ending
        self.state = CallState.OVER

    def _flush(self) -> None:
        self._line.flush(is_over=self.is_over)
        if self.is_over:
            self._line.let_go()
            self._host.on_over(self)
        else:
            self._host.timers.schedule(self)

    def _error(self, kind: str) -> None:
        self._host.statistics.errors[kind] += 1

    def _note(self, kind: str) -> None:
        self._host.statistics.messages[kind] += 1
