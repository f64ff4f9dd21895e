"""ExtensionDialing as plain rules: the messages that an SSP must receive after the caller's
actions.

Written from the interface and flow texts, without a look at the engine. One call is one
ReferenceModel: begin(), then do() for each action in order; `heard` holds every message of the
SCP, `exit_index` and `path` the course of the flow. Times are seconds since the call began.

If the texts allow two readings, the chosen one is marked "Reading". Readings of guard times,
refusals and unsolicited operations follow the observed SCP: there this model documents the
behaviour; it is no second opinion.
"""

from dataclasses import dataclass, field
from enum import Enum

from model.configurations import CAUSES, Announcement, Configuration, is_matched
from model.doings import (
    ConnectError,
    Digits,
    Doing,
    HangUp,
    LastWords,
    PromptError,
    Report,
    Silence,
    StrayOperation,
    StrayResult,
)
from model.heard import (
    DISCONNECT,
    INTERRUPTED,
    NOTIFY,
    ORIGINATING,
    TERMINATING,
    TRANSPARENT,
    UNKNOWN_ERROR,
    UNKNOWN_OPERATION,
    UNKNOWN_RESULT,
    USER_ABORT,
    Bcsm,
    Heard,
    Part,
    armed,
)
from model.prompt import prompt, stripped

IMPROPER_CALLER_RESPONSE = 4
UNEXPECTED_COMPONENT_SEQUENCE = 14
NULL_EXIT_CAUSE = 31  # the cause with which the site releases other calls
OPERATION_TIMER_S = 5.0  # of class 2 and 3 operations without their own time
# What an SSP may invoke, but without a reason here: class 2 is answered, class 4 is not.
# not.
UNASKED_CLASS_2 = (0, 36)
UNASKED_CLASS_4 = (44, 49)


class Phase(Enum):
    """The state of a call."""

    PROMPTING = "a prompt is out"
    RINGING = "Connect is out"
    CONNECTED = "final Connect is out, the dialogue stays open"
    OVER = "the dialogue is closed"


class Failure(Enum):
    """Why an attempt failed; its value is the exit after the last attempt."""

    INSUFFICIENT = 1
    NO_MATCH = 2


class FlowEnd(Enum):
    """How a call left the operation; the value is the name of its counter."""

    OPEN = ""
    EXIT = "released"
    ANSWERED = "answered"
    CONNECTED = "connected"  # by a final Connect: its end is not reported
    ABANDONED = "abandoned"
    FAILED = "failed"  # resource, protocol or guard time


@dataclass
class ReferenceModel:
    """One call. `answers` is False after a deaf Silence."""

    configuration: Configuration
    heard: list[Heard] = field(default_factory=list)
    phase: Phase = Phase.PROMPTING
    outcome: FlowEnd = FlowEnd.OPEN
    exit_index: int | None = None
    path: list[int] = field(default_factory=lambda: [1, 2])
    attempt: int = 1
    has_resource: bool = False
    answers: bool = True
    deadlines: dict[str, float] = field(default_factory=dict)
    _parts: list[Part] = field(default_factory=list)
    _is_aare_due: bool = False

    # -- what the configuration says --------------------------------------------------------

    @property
    def bcsm(self) -> Bcsm:
        return TERMINATING if self.configuration.is_terminating else ORIGINATING

    @property
    def armed(self) -> list[tuple[int, int]]:
        """Events and legs that are armed while the call rings, in the order of arming."""
        found = [(self.bcsm.abandon, 1)]
        if self.phase is Phase.RINGING:
            found.append((self.bcsm.answer, 2))
            found += [(event, 2) for event in self.bcsm.exit_events]
        return found

    @property
    def max_iterations(self) -> int:
        return self.configuration.max_iterations or 3

    @property
    def ring_s(self) -> int:
        site = self.configuration.site
        seconds = self.configuration.timeout_seconds or site.no_answer_seconds
        return min(seconds, site.no_answer_max_seconds)

    @property
    def is_reprompted_on_no_match(self) -> bool:
        said = self.configuration.no_match or self.configuration.site.no_match
        return said == "reprompt"

    # -- the rules of the operation ---------------------------------------------------------

    def begin(self) -> None:
        """Start the call: InitialDP has come, at 0."""
        self._is_aare_due = self.configuration.has_aarq
        self._hear_from_ssp(0.0)
        if self.configuration.variant == "camel1":
            self._fail_resource(0.0)
            return
        self._parts.append(armed([(self.bcsm.abandon, 1, NOTIFY, None)]))
        self._parts.append(Part("ConnectToResource", (("resourceAddress.none", 1),)))
        self.has_resource = True
        self._prompt(0.0, self.configuration.main)

    def _prompt(self, now: float, announcement: Announcement) -> None:
        self._parts.append(prompt(self.configuration, announcement))
        self.phase = Phase.PROMPTING
        self._send(now, "CONTINUE")
        self._guard("srf", self.configuration.site.srf_guard_s, now)
        self._guard("reset", self.configuration.site.reset_timer_interval, now)

    def _collected(self, now: float, keyed: str) -> None:
        digits = stripped(self.configuration, keyed)
        least, most = self.configuration.min_digits, self.configuration.max_digits
        # Reading: more than max_digits is no "acceptable number of digits", either.
        if not digits.isdecimal() or not least <= len(digits) <= most:
            self._attempt_failed(now, Failure.INSUFFICIENT)
            return
        destination = self.configuration.prefix + digits
        patterns, syntax = self.configuration.patterns, self.configuration.pattern_syntax
        if patterns is None or is_matched(destination, patterns, syntax):
            self._terminate(now, destination)
        elif self.is_reprompted_on_no_match:
            self._attempt_failed(now, Failure.NO_MATCH)
        else:
            self._take_exit(now, Failure.NO_MATCH.value)

    def _attempt_failed(self, now: float, failure: Failure) -> None:
        if self.attempt == self.max_iterations:
            self._take_exit(now, failure.value)
            return
        self.attempt += 1
        self._prompt(now, self.configuration.reprompt)

    def _terminate(self, now: float, destination: str) -> None:
        bcsm = self.bcsm
        is_final = not self.configuration.is_attached[0]
        stays_open = self.configuration.site.final_connect == "continue"
        self._disconnect_resource()
        if not is_final:
            events = [
                (bcsm.answer, 2, NOTIFY, None),
                (bcsm.busy, 2, INTERRUPTED, None),
                (bcsm.no_answer, 2, INTERRUPTED, self.ring_s),
                (bcsm.abandon, 1, NOTIFY, None),
            ]
            if bcsm.route_select_failure is not None:
                events.insert(3, (bcsm.route_select_failure, 2, INTERRUPTED, None))
            self._parts.append(armed(events))
        elif not stays_open:
            self._parts.append(armed([(bcsm.abandon, 1, TRANSPARENT, None)]))
        address = "destinationRoutingAddress_"
        facts = ((address + "digits", destination), (address + "noa", 2), (address + "npi", 1))
        self._parts.append(Part("Connect", facts))
        self._stop("srf", "reset")
        if is_final and not stays_open:
            self._send(now, "END")
            self._close(FlowEnd.CONNECTED)
            return
        self._send(now, "CONTINUE")
        if is_final:
            self.phase = Phase.CONNECTED
            self._guard("call", self.configuration.site.call_guard_s, now)
        else:
            self.phase = Phase.RINGING
            self._guard("ring", self.ring_s + self.configuration.site.ring_margin_s, now)

    def _take_exit(self, now: float, index: int) -> None:
        self.exit_index = index
        cause = NULL_EXIT_CAUSE
        if self.configuration.is_attached[index]:
            cause = CAUSES[index]
            self.path.append(3 + index)
        self._release(now, cause, FlowEnd.EXIT)

    def _fail_resource(self, now: float) -> None:
        self._release(now, self.configuration.site.resource_failure_cause, FlowEnd.FAILED)

    def _release(self, now: float, cause: int, outcome: FlowEnd) -> None:
        self._disconnect_resource()
        self._parts.append(Part("ReleaseCall", (("initialCallSegment_cause", cause),)))
        self._send(now, "END")
        self._close(outcome)

    def _disconnect_resource(self) -> None:
        if self.has_resource:
            self._parts.append(DISCONNECT)
            self.has_resource = False

    def _finish(self, now: float, outcome: FlowEnd, *, has_peer: bool) -> None:
        """Close without a further operation; inform the SSP if it is there and so configured."""
        if has_peer and self.configuration.site.end == "basic":
            self._send(now, "END")
        self._close(outcome)

    def _leave(self, now: float, *, has_peer: bool) -> None:
        """End the call: the caller, or the SSP itself, is gone.

        Reading: after a final Connect the call continued, and nobody abandoned the operation.
        """
        is_final = self.phase is Phase.CONNECTED
        outcome = FlowEnd.CONNECTED if is_final else FlowEnd.ABANDONED
        self._finish(now, outcome, has_peer=has_peer)

    def _give_up(self, now: float) -> None:
        """End the call: a guard time has expired. Reading: no exit, since the state of the call is
        unknown; a TC-END that leaves nothing armed, whatever `end` says."""
        outcome = FlowEnd.FAILED if self.phase is Phase.RINGING else FlowEnd.CONNECTED
        self._parts.append(armed([(event, leg, TRANSPARENT, None) for event, leg in self.armed]))
        self._send(now, "END")
        self._close(outcome)

    def _refuse(self, now: float, *refusals: Part) -> None:
        """Send an error or reject in a TC-END. Reading: alone, the SSP decides the rest."""
        self._parts += refusals
        self._send(now, "END")
        self._close(FlowEnd.FAILED)

    def _abort(self, now: float) -> None:
        parts = (USER_ABORT,) if self.configuration.has_aarq else ()
        self.heard.append(Heard(now, "ABORT", parts))
        self._close(FlowEnd.FAILED)

    # -- what the caller does ---------------------------------------------------------------

    def do(self, doing: Doing) -> None:
        """Advance the time to an action, then process it."""
        self.advance(doing.at)
        match doing:
            case Silence(until=until, is_deaf=is_deaf):
                self.answers = self.answers and not is_deaf
                self.advance(until)
            case HangUp():
                if self.phase is not Phase.OVER:
                    self._leave(doing.at, has_peer=False)
            case _ if self.phase is Phase.OVER:
                self._too_late(doing)
            case _:
                self._hear_from_ssp(doing.at)
                self._take(doing)

    def _too_late(self, doing: Doing) -> None:
        if isinstance(doing, Report) and doing.ends:
            return
        self.heard.append(Heard(doing.at, "P-ABORT unrecognizedTransactionID"))

    def _take(self, doing: Doing) -> None:
        now = doing.at
        match doing:
            case Digits(times=times) if self.phase is not Phase.PROMPTING:
                self._refuse(now, *[UNKNOWN_RESULT] * times)
            case Digits(times=2):
                self._refuse(now, UNKNOWN_RESULT)  # Reading: the second undoes the first
            case Digits(keyed=keyed):
                self._collected(now, keyed)
            case PromptError(code=code):
                if code == IMPROPER_CALLER_RESPONSE:
                    self._attempt_failed(now, Failure.INSUFFICIENT)
                else:
                    self._fail_resource(now)
            case ConnectError() if now >= OPERATION_TIMER_S:
                self._refuse(now, UNKNOWN_ERROR)  # the timeout was the success
            case ConnectError():
                self.has_resource = False
                self._fail_resource(now)
            case Report():
                self._report(doing)
            case LastWords():
                self._leave(now, has_peer=True)  # no operation reaches a caller who left
            case StrayResult():
                self._refuse(now, UNKNOWN_RESULT)
            case StrayOperation(code=code):
                self._unasked(now, code)

    def _report(self, doing: Report) -> None:
        bcsm, now = self.bcsm, doing.at
        if doing.times > 1 and doing.ends:
            self._close(FlowEnd.FAILED)
        elif doing.times > 1:
            self._abort(now)  # Reading: an event that was reported is no longer armed
        elif self.phase is Phase.RINGING and doing.event == bcsm.answer:
            self._finish(now, FlowEnd.ANSWERED, has_peer=not doing.ends)
        elif doing.event == bcsm.abandon:
            self._leave(now, has_peer=not doing.ends)
        elif doing.ends and not (self.phase is Phase.RINGING and doing.event in bcsm.exit_events):
            self._close(FlowEnd.FAILED)
        elif doing.ends:
            self._leave(now, has_peer=False)
        elif self.phase is Phase.RINGING and doing.event in bcsm.exit_events:
            self._take_exit(now, 0)
        else:
            # Reading: there is no answer to a report that was not requested; the call is lost.
            self._abort(now)

    def _unasked(self, now: float, code: int) -> None:
        """Refuse it. Reading: known operations by an error, unknown ones by a reject; if the
        operation has no errors, abort."""
        if code in UNASKED_CLASS_2:
            self._refuse(now, Part(f"ReturnError {UNEXPECTED_COMPONENT_SEQUENCE}"))
        elif code in UNASKED_CLASS_4:
            self._abort(now)
        else:
            self._refuse(now, UNKNOWN_OPERATION)

    # -- time -------------------------------------------------------------------------------

    def advance(self, until: float) -> None:
        """Make the timers due until then expire, in their order."""
        while self.phase is not Phase.OVER and self.deadlines:
            name, due = min(self.deadlines.items(), key=lambda item: item[1])
            if due > until:
                return
            del self.deadlines[name]
            self._time_out(name, due)

    def _time_out(self, name: str, now: float) -> None:
        site = self.configuration.site
        match name:
            case "reset":
                self._parts.append(Part("ResetTimer", (("timerID", 0),)))
                self._send(now, "CONTINUE")
                self._guard("reset", site.reset_timer_interval, now)
            case "activity":
                self._parts.append(Part("ActivityTest"))
                self._send(now, "CONTINUE")
                if self.answers:
                    self._hear_from_ssp(now)
                else:
                    self.deadlines["answer"] = now + OPERATION_TIMER_S
            case "answer":
                self._leave(now, has_peer=True)
            case "srf":
                self._fail_resource(now)
            case _:
                self._give_up(now)

    def _hear_from_ssp(self, now: float) -> None:
        self._guard("activity", self.configuration.site.activity_test_seconds, now)

    def _guard(self, name: str, seconds: float, now: float) -> None:
        if seconds > 0:
            self.deadlines[name] = now + seconds

    def _stop(self, *names: str) -> None:
        for name in names:
            self.deadlines.pop(name, None)

    # -- messages ---------------------------------------------------------------------------

    def _send(self, now: float, type_: str) -> None:
        parts = [Part("AARE", (("context", self.configuration.variant),))]
        heard = Heard(now, type_, (*(parts if self._is_aare_due else ()), *self._parts))
        self._is_aare_due = False
        self._parts = []
        self.heard.append(heard)

    def _close(self, outcome: FlowEnd) -> None:
        self.phase = Phase.OVER
        self.outcome = outcome
        self.deadlines.clear()


def predict(configuration: Configuration, script: list[Doing]) -> ReferenceModel:
    """Return the model of a call after its whole script."""
    model = ReferenceModel(configuration)
    model.begin()
    for doing in script:
        model.do(doing)
    return model
