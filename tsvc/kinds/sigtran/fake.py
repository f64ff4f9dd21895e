"""A simulated SSP with a caller: runs one call through a flow, in virtual time, without sockets.

For people who write flows. The caller is a list of doings, one for each request of the flow to
the caller or the network. The messages are those that a real SSP would exchange.
"""

from collections.abc import Iterable
from dataclasses import field
from typing import Any

from tsvc.config.scp_tables import Scp
from tsvc.flow.flow import Flow, PathStep
from tsvc.protocols import contexts
from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import OPERATIONS, by_code
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import Component, Invoke, ReturnError, ReturnResult
from tsvc.protocols.tcap.dialogue import Dialogue
from tsvc.protocols.tcap.endpoint import Endpoint
from tsvc.protocols.tcap.states import DialogueState
from tsvc.results.records import MessageRecord
from tsvc.scp.service import ScpService
from tsvc.values import dataclass
from tsvc.words import quoted

CALLER = Address(ri=1, ssn=146, pc=1)
SERVICE = Address(ri=1, ssn=146, pc=2)
MAX_TIMERS = 200  # timers that may expire while the caller does nothing: enough for any flow

# Results of an attempt to terminate: events of the originating and of the terminating BCSM.
OUTCOMES = {
    "answer": (7, 15),
    "busy": (5, 13),
    "no-answer": (6, 14),
    "failure": (4, 13),
    "abandon": (10, 18),
}
_TERMINATING = frozenset({12, 13, 14})


class BadDoing(ValueError):
    """A doing of the caller that can't be read."""


@dataclass(frozen=True, slots=True)
class Doing:
    """One thing that happens: `digits` entered, or an `outcome`: silence, hang-up, busy …"""

    outcome: str
    digits: str = ""


def read_doing(text: str) -> Doing:
    """Return the doing for a text of a command line: digits, or one of the words.

    Errors: BadDoing, naming the words.
    """
    if text and set(text) <= set("0123456789*#ABCDabcd"):
        return Doing("digits", text.lower().translate({ord("*"): "b", ord("#"): "c"}))
    if text in ("hang-up", "silence", "srf-failure", *OUTCOMES):
        return Doing(text)
    words = ", ".join(["hang-up", "silence", "srf-failure", *OUTCOMES])
    raise BadDoing(f"{quoted(text)} is neither digits nor one of {words}")


@dataclass
class CallReport:
    """The result of a simulated call."""

    path: list[PathStep] = field(default_factory=list)
    messages: list[MessageRecord] = field(default_factory=list)
    outcome: str = ""
    unused: list[Doing] = field(default_factory=list)


class FakeSsp:
    """One call from a simulated caller to a flow."""

    def __init__(self, flow: Flow, settings: Scp, *, variant: str = "camel2") -> None:
        self._now = 0.0
        self._variant = variant
        self._report = CallReport()
        self._endpoint = Endpoint(first_tid=1)
        self._scp = ScpService(
            [flow],
            settings,
            first_tid=1000,
            random=lambda: 0.5,
            wall=lambda: 1.7e9 + self._now,
            is_own_flow=True,
        )
        self._scp.on_path = self._on_path
        self._dialogue: Dialogue = self._endpoint.new_dialogue(0.0)
        self._dialogue.tap = self._tap
        self._is_terminating = False

    def play(self, doings: Iterable[Doing], initial_dp: dict[str, Any]) -> CallReport:
        """Run the call to its end. Return its report; doings not asked for are `unused`."""
        waiting = list(doings)
        self._is_terminating = initial_dp.get("eventTypeBCSM") in _TERMINATING
        operation = OPERATIONS.required("InitialDP")
        argument = operation.encode_argument(initial_dp, self._variant)
        self._dialogue.invoke(operation.code, operation.operation_class, argument, now=self._now)
        context = contexts.context_octets(self._variant)
        self._dialogue.begin(SERVICE, CALLER, application_context=context)
        asked = self._exchange()
        for _ in range(MAX_TIMERS):
            if self._dialogue.state is DialogueState.CLOSED:
                break
            if asked is not None and waiting:
                self._now += 1.0
                self._do(asked, waiting.pop(0))
            elif not self._let_time_pass():
                break
            asked = self._exchange() or (asked if not waiting else None)
        self._report.unused = waiting
        if not self._report.outcome:
            self._report.outcome = "the call was still open"
        return self._report

    # -- actions of the caller and the network -----------------------------------------------

    def _do(self, asked: Invoke, doing: Doing) -> None:
        name = _name(asked, self._variant)
        if doing.outcome in ("hang-up", "abandon"):
            self._send_report(OUTCOMES["abandon"])
        elif name == "PromptAndCollectUserInformation":
            self._answer_prompt(asked, doing)
        elif name == "PlayAnnouncement":
            self._end_announcement(asked, doing)
        elif doing.outcome in OUTCOMES:
            self._send_report(OUTCOMES[doing.outcome])
        else:
            self._send_report(OUTCOMES["no-answer"])

    def _answer_prompt(self, asked: Invoke, doing: Doing) -> None:
        prompt = OPERATIONS.required("PromptAndCollectUserInformation")
        if doing.outcome == "digits":
            args = {"digitsResponse_digits": doing.digits}
            result = prompt.encode_result(args, self._variant)
            self._dialogue.answer(ReturnResult(asked.invoke_id, prompt.code, result))
        else:
            is_failure = doing.outcome == "srf-failure"
            error = "unavailableResource" if is_failure else "improperCallerResponse"
            self._dialogue.answer(ReturnError(asked.invoke_id, ERROR_CODES[error]))
        self._dialogue.continue_()

    def _end_announcement(self, asked: Invoke, doing: Doing) -> None:
        if doing.outcome == "srf-failure":
            code = ERROR_CODES["unavailableResource"]
            self._dialogue.answer(ReturnError(asked.invoke_id, code))
            self._dialogue.continue_()
            return
        self._invoke("SpecializedResourceReport", {}, linked_id=asked.invoke_id)

    def _send_report(self, events: tuple[int, int]) -> None:
        event = events[1] if self._is_terminating else events[0]
        leg = "01" if event in OUTCOMES["abandon"] else "02"
        args = {"eventTypeBCSM": event, "legID": {"receivingSideID_hex": leg}}
        self._invoke("EventReportBCSM", args)

    def _invoke(self, name: str, args: dict[str, Any], linked_id: int | None = None) -> None:
        operation = OPERATIONS.required(name)
        self._dialogue.invoke(
            operation.code,
            operation.operation_class,
            operation.encode_argument(args, self._variant),
            now=self._now,
            linked_id=linked_id,
        )
        self._dialogue.continue_()

    # -- the line ----------------------------------------------------------------------------

    def _exchange(self) -> Invoke | None:
        """Carry messages both ways until both sides are silent. Return what the SCP asks now."""
        asked: Invoke | None = None
        while True:
            outgoing = self._endpoint.data_to_send()
            for message in outgoing:
                self._scp.receive(message.octets, message.called, message.calling, self._now)
            answers = self._scp.data_to_send()
            if not outgoing and not answers:
                return asked
            for message in answers:
                for indication in self._endpoint.receive(
                    message.octets, message.called, message.calling, self._now
                ):
                    asked = self._asked(indication.components) or asked

    def _asked(self, components: list[Component]) -> Invoke | None:
        """Return the component that waits for the caller or the network; answer ActivityTests."""
        found = None
        for component in components:
            if not isinstance(component, Invoke):
                continue
            name = _name(component, self._variant)
            if name == "ActivityTest":
                self._dialogue.reply(ReturnResult(component.invoke_id))
            elif name in ("PromptAndCollectUserInformation", "PlayAnnouncement", "Connect"):
                found = component
        return found

    def _let_time_pass(self) -> bool:
        """Advance to the next timer of the SCP. Return False if the SCP waits for nothing."""
        due = self._scp.next_timer()
        if due is None:
            return False
        self._now = max(self._now, due)
        self._scp.handle_timer(self._now)
        return True

    def _tap(
        self, is_sent: bool, octets: bytes, called: Address, calling: Address, route: object
    ) -> None:
        self._report.messages.append(
            MessageRecord(self._now, "SSP", "ssp", is_sent, octets, called, calling, self._variant)
        )

    def _on_path(self, otid: bytes, flow: str, path: list[PathStep]) -> None:
        self._report.path = path
        counters = self._scp.counters
        endings = ("answered", "connected", "released", "abandoned", "failed")
        self._report.outcome = next((name for name in endings if counters[name]), "over")


def _name(invoke: Invoke, variant: str) -> str:
    operation = by_code(variant, invoke.code) if isinstance(invoke.code, int) else None
    return operation.name if operation is not None else ""
