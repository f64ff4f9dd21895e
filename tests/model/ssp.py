"""The SSP side of calls to a real ScpService: runs scripts, and records the messages it receives.

It works on messages and components, below the transaction state machine: it must also do what the
state machine forbids (answer twice, continue after an end). Received messages are converted to the
model's form member by member. Only what the texts leave open is left out: coding standard and
location of a cause, the parts of a number's header that the texts do not mention.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from model.configurations import SERVICE_KEY, Configuration, Site
from model.doings import (
    ConnectError,
    Digits,
    Doing,
    Empty,
    HangUp,
    LastWords,
    PromptError,
    Report,
    Silence,
    StrayOperation,
    StrayResult,
)
from model.heard import Heard, Part
from tsvc.config.scp_tables import Scp, Srf
from tsvc.flow.document import compile_flow
from tsvc.flow.flow import Flow
from tsvc.protocols.contexts import BY_ALIAS, alias_of
from tsvc.protocols.inap.operation import OPERATIONS, by_code
from tsvc.protocols.sccp.address import Address, GlobalTitle
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap import messages
from tsvc.protocols.tcap.components import (
    Component,
    Invoke,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq
from tsvc.protocols.tcap.endpoint import Outgoing
from tsvc.protocols.tcap.messages import MessageType
from tsvc.scp.service import ScpService

SSP = Address(0, 146, gt=GlobalTitle(4, "64210001", tt=0, np=1, noa=4))
SCP = Address(0, 146, gt=GlobalTitle(4, "64210002", tt=0, np=1, noa=4))
IA5 = 2
MISTYPED_PARAMETER = 2
STRAY_INVOKE_ID = 99
ERROR_PARAMETERS = {11: b"\x0a\1\1", 12: b"\x0a\1\0"}
PROMPT = "PromptAndCollectUserInformation"

# Members that repeat others in a decoded argument, or that the texts do not mention.
_OPEN_SUFFIXES = ("_name", "_standard", "_location", "_inn", "_ni", "_scheme", "_type")
_OPEN_NAMES = ("timervalue",)


def settings_of(configuration: Configuration) -> Scp:
    """Return the settings of the SCP at a configuration's site."""
    site = configuration.site
    return Scp(
        no_answer_seconds=site.no_answer_seconds,
        no_answer_max_seconds=site.no_answer_max_seconds,
        no_match="reprompt" if site.no_match == "reprompt" else "exit",
        default_message_id=site.default_message_id,
        announcements=configuration.announcements("site_id"),
        default_ac=configuration.variant,
        end="prearranged" if site.end == "prearranged" else "basic",
        final_connect="continue" if site.final_connect == "continue" else "end",
        release_cause=site.release_cause,
        resource_failure_cause=site.resource_failure_cause,
        reset_timer_interval=site.reset_timer_interval,
        activity_test_seconds=site.activity_test_seconds,
        ring_margin_s=site.ring_margin_s,
        call_guard_s=site.call_guard_s,
        srf=_srf_settings(site),
    )


def _srf_settings(site: Site) -> Srf:
    return Srf(
        end_digit=site.end_digit,
        cancel_digit=site.cancel_digit,
        start_digit=site.start_digit,
        first_digit_timeout_s=site.first_digit_timeout_s,
        inter_digit_timeout_s=site.inter_digit_timeout_s,
        interruptable=site.interruptable,
        guard_s=site.srf_guard_s,
    )


def flow_of(configuration: Configuration) -> Flow:
    """Return the compiled flow of a configuration; it must be accepted."""
    settings = settings_of(configuration)
    flow, problems = compile_flow(configuration.document(), settings)
    assert flow is not None, [problem.as_dict() for problem in problems]
    return flow


def _error(invoke_id: int, code: int) -> ReturnError:
    """Return an error with its mandatory parameter."""
    return ReturnError(invoke_id, code, ERROR_PARAMETERS.get(code))


# -- what is heard, in the model's words --------------------------------------------------------


def facts_of(tree: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return every member of a decoded argument that the texts mention, by its path."""
    return tuple(sorted(_flat(tree, "")))


def _flat(tree: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    for key, value in tree.items():
        if _is_open(tree, key):
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{where}{key}.")
        elif isinstance(value, list) and key.endswith("_hex"):
            yield where + key[:-4], value
        elif isinstance(value, list):
            for at, member in enumerate(value):
                yield from _flat(member, f"{where}{key}.{at}.")
        else:
            yield where + key.removesuffix("_hex"), value


def _is_open(tree: Mapping[str, Any], key: str) -> bool:
    """Return True if a key repeats another one, or if the texts do not mention it."""
    if key.endswith("_hex"):
        name, value = key[:-4], tree[key]
        is_in_words = f"{name}_digits" in tree or f"{name}_cause" in tree
        return is_in_words and not (isinstance(value, list) and len(value) > 1)
    return f"{key}_hex" in tree or key.endswith(_OPEN_SUFFIXES) or key in _OPEN_NAMES


def part_of(component: Component, variant: str) -> Part:
    """Return a component in the model's form; a deviation in its octets becomes a fact."""
    match component:
        case Invoke(code=int() as code, parameter=parameter):
            operation = by_code(variant, code)
            if operation is None:
                return Part(f"operation {code}, unknown in {variant}")
            notes: list[Any] = []
            tree = operation.decode_argument(parameter, variant, notes)
            if "bcsmEvents" in tree:
                tree = {"bcsmEvents": tree["bcsmEvents"]}
            deviations = tuple(("deviation", str(note)) for note in notes)
            return Part(operation.name, facts_of(tree) + deviations)
        case Reject():
            return Part(f"Reject {component.text}")
        case ReturnError(code=code):
            return Part(f"ReturnError {code}")
        case _:
            return Part(f"{component}")


# -- a call -------------------------------------------------------------------------------------


@dataclass
class SspCall:
    """One call of the SSP; `started` is the time at which its InitialDP is sent."""

    service: ScpService
    configuration: Configuration
    otid: bytes
    started: float
    heard: list[Heard] = field(default_factory=list)
    scp_tid: bytes | None = None
    is_deaf: bool = False
    is_silent_until: float = 0.0
    _invoke_ids: dict[str, int] = field(default_factory=dict)
    _next_invoke_id: int = 0

    @property
    def variant(self) -> str:
        return self.configuration.variant

    def begin(self, now: float) -> None:
        """Send the InitialDP."""
        arguments: dict[str, Any] = {
            "serviceKey": SERVICE_KEY,
            "calledPartyNumber_digits": "0800123456",
            "callingPartyNumber_digits": "6421000001",
        }
        if self.configuration.trigger_event is not None:
            arguments["eventTypeBCSM"] = self.configuration.trigger_event
        if self.configuration.capabilities_hex is not None:
            arguments["iPSSPCapabilities_hex"] = self.configuration.capabilities_hex
        pdu = b""
        if self.configuration.has_aarq:
            pdu = portion.encode(Aarq(BY_ALIAS[self.variant].octets))
        component = self._invoke("InitialDP", arguments)
        octets = messages.encode(
            MessageType.BEGIN, otid=self.otid, dialogue=pdu, components=[codec.encode(component)]
        )
        self.service.receive(octets, SCP, SSP, now)

    def do(self, doing: Doing, now: float) -> None:
        """Do one action of the script."""
        match doing:
            case Silence():
                self.is_deaf = self.is_deaf or doing.is_deaf
                self.is_silent_until = self.started + doing.until
            case HangUp(how="end"):
                self._send(MessageType.END, [], now)
            case HangUp(how="abort"):
                self._send(MessageType.ABORT, [], now)
            case HangUp():
                self._send(MessageType.ABORT, [], now, p_abort_cause=4)
            case Report(ends=True):
                self._send(MessageType.END, self._components(doing), now)
            case _:
                self._send(MessageType.CONTINUE, self._components(doing), now)

    def _components(self, doing: Doing) -> list[Component]:
        match doing:
            case Digits():
                return [self._digits(doing) for _ in range(doing.times)]
            case PromptError(code=None):
                return [Reject(self._invoke_ids[PROMPT], ProblemType.INVOKE, MISTYPED_PARAMETER)]
            case PromptError(code=int() as code):
                return [_error(self._invoke_ids[PROMPT], code)]
            case ConnectError(code=code, prompt_code=prompt_code):
                errors: list[Component] = [_error(self._invoke_ids["ConnectToResource"], code)]
                if prompt_code is not None:
                    errors.append(_error(self._invoke_ids[PROMPT], prompt_code))
                return errors
            case Report():
                return [self._report(doing) for _ in range(doing.times)]
            case LastWords(answer=answer, event=event):
                last = Report(doing.at, event, leg=1)
                return [*self._components(answer), *self._components(last)]
            case StrayResult():
                return [ReturnResult(STRAY_INVOKE_ID)]
            case StrayOperation(code=code):
                operation = by_code(self.variant, code)
                parameter = None
                if operation is not None and "ssp" in operation.sent_by:
                    parameter = operation.encode_argument(operation.example, self.variant)
                return [Invoke(self._free_invoke_id(), code, parameter)]
            case Empty():
                return []
        raise TypeError(f"{doing} has no components")

    def _digits(self, doing: Digits) -> Component:
        arguments: dict[str, Any] = {"digitsResponse_digits": doing.keyed}
        if doing.is_ia5:
            arguments["digitsResponse_scheme"] = IA5
        operation = OPERATIONS.get(PROMPT)
        parameter = operation.encode_result(arguments, self.variant)
        return ReturnResult(self._invoke_ids[PROMPT], operation.code, parameter)

    def _report(self, doing: Report) -> Component:
        arguments: dict[str, Any] = {
            "eventTypeBCSM": doing.event,
            "miscCallInfo": {"messageType": 0 if doing.is_request else 1},
        }
        if doing.leg is not None:
            arguments["legID"] = {"receivingSideID_hex": f"{doing.leg:02x}"}
        return self._invoke("EventReportBCSM", arguments)

    def _invoke(self, name: str, arguments: dict[str, Any]) -> Component:
        operation = OPERATIONS.get(name)
        parameter = operation.encode_argument(arguments, self.variant)
        return Invoke(self._free_invoke_id(), operation.code, parameter)

    def _free_invoke_id(self) -> int:
        self._next_invoke_id = (self._next_invoke_id + 1) % 90
        return self._next_invoke_id

    def _send(
        self,
        type_: MessageType,
        components: list[Component],
        now: float,
        *,
        p_abort_cause: int | None = None,
    ) -> None:
        octets = messages.encode(
            type_,
            otid=self.otid if type_ is MessageType.CONTINUE else None,
            dtid=self.scp_tid,
            components=[codec.encode(component) for component in components],
            p_abort_cause=p_abort_cause,
        )
        self.service.receive(octets, SCP, SSP, now)

    # -- from the SCP -----------------------------------------------------------------------

    def hear(self, octets: bytes, now: float) -> None:
        """Receive a message of the SCP for this call; an ActivityTest is answered at once."""
        message = messages.decode(octets)
        self.heard.append(Heard(now - self.started, _type_of(message), self._parts(message)))
        if message.otid is not None:
            self.scp_tid = message.otid
        for component in message.components:
            if isinstance(component, Invoke) and isinstance(component.code, int):
                self._note(component, component.code, now)

    def _note(self, component: Invoke, code: int, now: float) -> None:
        operation = by_code(self.variant, code)
        if operation is None:
            return
        self._invoke_ids[operation.name] = component.invoke_id
        if operation.name == "ActivityTest" and not self.is_deaf:
            self._send(MessageType.CONTINUE, [ReturnResult(component.invoke_id)], now)

    def _parts(self, message: messages.Message) -> tuple[Part, ...]:
        parts = [part_of(component, self.variant) for component in message.components]
        pdu = message.dialogue
        if isinstance(pdu, Aare) and pdu.result == portion.RESULT_ACCEPTED:
            accepted = Part("AARE", (("context", alias_of(pdu.application_context)),))
            return (accepted, *parts)
        if pdu is not None:
            return (Part(str(pdu)), *parts)
        return tuple(parts)


def _type_of(message: messages.Message) -> str:
    if message.p_abort_cause is not None:
        return f"P-ABORT {messages.P_ABORT_NAMES.get(message.p_abort_cause)}"
    return message.type.name


# -- many calls on one service ------------------------------------------------------------------


class Switch:
    """Runs the scripts of several calls against one service, on one time line."""

    def __init__(self, service: ScpService) -> None:
        self.service = service
        self.calls: dict[bytes, SspCall] = {}
        self.now = 0.0
        self.strays: list[Outgoing] = []

    def add(self, call: SspCall) -> None:
        """Add a call; its transaction id must be unique."""
        assert call.otid not in self.calls
        self.calls[call.otid] = call

    def play(self, scripts: Mapping[bytes, list[Doing]]) -> None:
        """Run all scripts, each from its call's start; actions are ordered by time."""
        agenda: list[tuple[float, int, SspCall, Doing | None]] = []
        for call in self.calls.values():
            agenda.append((call.started, len(agenda), call, None))
            for doing in scripts[call.otid]:
                agenda.append((call.started + doing.at, len(agenda), call, doing))
        for at, _, call, doing in sorted(agenda, key=lambda item: item[:2]):
            self.pass_until(at)
            if doing is None:
                call.begin(at)
            else:
                call.do(doing, at)
            self.carry()
        self.pass_until(max([self.now, *(call.is_silent_until for call in self.calls.values())]))

    def pass_until(self, at: float) -> None:
        """Make the service's timers due until then expire, each at its own time."""
        due = self.service.next_timer()
        while due is not None and due <= at:
            self.now = max(self.now, due)
            self.service.handle_timer(self.now)
            self.carry()
            due = self.service.next_timer()
        self.now = at

    def carry(self) -> None:
        """Deliver the service's messages to their calls, until there are no more."""
        outgoing = self.service.data_to_send()
        while outgoing:
            for message in outgoing:
                self._deliver(message)
            outgoing = self.service.data_to_send()

    def _deliver(self, message: Outgoing) -> None:
        dtid = messages.decode(message.octets).dtid
        call = self.calls.get(dtid or b"")
        if call is None or message.called != SSP or message.calling != SCP:
            self.strays.append(message)
        else:
            call.hear(message.octets, self.now)
