"""A TCAP dialogue of an instance: arrivals are queued, and operations take them in order."""

from collections.abc import Callable, Mapping
from typing import Any

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.kinds.sigtran.gateway import SigtranGateway
from tsvc.kinds.sigtran.run import SigtranRun
from tsvc.operations.context import Session
from tsvc.operations.operation import Instance, InstanceAborted, abort
from tsvc.protocols import contexts
from tsvc.protocols.inap.armed_events import armed_events
from tsvc.protocols.inap.bcsm import EVENT_NAMES
from tsvc.protocols.inap.errors import ERROR_NAMES
from tsvc.protocols.inap.operation import DEFAULT_VARIANT, by_code
from tsvc.protocols.map.dialogue import texts_of_user_information
from tsvc.protocols.tcap.components import (
    Component,
    Invoke,
    LocalCancel,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue import Dialogue, Indication, IndicationKind, counting_strays
from tsvc.protocols.tcap.dialogue_portion import Aare, DialoguePdu
from tsvc.protocols.tcap.messages import LocalCause, p_abort_name
from tsvc.protocols.tcap.states import DialogueState
from tsvc.transport.mailbox import Mailbox
from tsvc.values import dataclass
from tsvc.words import quoted

# A request of the SCP makes a report outstanding until the tester sends it.
PENDING_REPORTS = {
    "ApplyCharging": "ApplyChargingReport",
    "CallInformationRequest": "CallInformationReport",
}
ACTIVITY_TEST = "ActivityTest"


@dataclass(slots=True)
class Inbound:
    """A component that arrived, or the end of the dialogue without a component."""

    kind: IndicationKind
    component: Component | None = None
    is_last: bool = False  # last component of its message
    pdu: DialoguePdu | None = None
    text: str = ""
    p_abort_cause: int | LocalCause | None = None


class TesterDialogue(Session[Inbound]):
    """One dialogue of an instance, in the role that the tester has in it."""

    __slots__ = (
        "_armed",
        "_has_leftovers",
        "_inbox",
        "_reported",
        "_run",
        "_self_answered",
        "_shown_state",
        "_waited",
        "answer_information",
        "first_pdu",
        "gateway",
        "has_first_pdu",
        "held",
        "held_back",
        "name",
        "opening",
        "prompt_invoke_id",
        "received",
        "role",
        "sent",
        "tcap",
        "unechoed",
        "variant",
    )

    def __init__(
        self,
        gateway: SigtranGateway,
        role: str,
        name: str,
        run: SigtranRun | None = None,
        self_answered: frozenset[str] = frozenset(),
    ) -> None:
        self.gateway = gateway
        self.role = role
        self.name = name
        self.variant = DEFAULT_VARIANT
        self.tcap: Dialogue = gateway.open_dialogue(self, None if run is None else run.private_scp)
        self.tcap.on_stray = self._take_stray
        # Sends the BEGIN. The first component may wait for a second one.
        self.opening: Callable[[], None] | None = None
        # User information of our dialogue response; the next message carries it.
        self.answer_information = b""
        self._inbox: Mailbox[Inbound] = gateway.mailbox()
        # An inbound that an optional operation took and put back.
        self.held: Inbound | None = None
        self._has_leftovers = False  # an inbound came that no operation took
        self._waited = 0.0  # for the held inbound, s
        # Dialogue portion of the peer's first message, None if it had none.
        self.first_pdu: DialoguePdu | None = None
        self.has_first_pdu = False
        # A context that the peer accepted in place of ours, until a check has reported it: only an
        # echoed context is accepted (TS 29.002 15.2.1, sheet 3).
        self.unechoed: bytes | None = None
        # Invoke ids of the SCP's last invokes, by operation name: results answer these.
        self.received: dict[str, int] = {}
        # The first operation that waits for the next message; None: everything was sent.
        self.held_back: str | None = None
        # Names of the operations that the tester invoked.
        self.sent: set[str] = set()
        self.prompt_invoke_id: int | None = None
        self._run = run
        self._self_answered = self_answered
        self._shown_state = DialogueState.IDLE
        self._armed: list[bytes] = []
        self._reported: list[bytes] = []

    @property
    def is_bare(self) -> bool:
        """True if no link carries it: the peer is in this process."""
        return self.gateway.is_loopback

    def follow(self) -> None:
        """Record its path through the flow, for a dialogue of the first instance."""
        if self._run is not None:
            self._run.follow(self.tcap.otid)

    # -- arriving messages (called by the gateway's reader: must not switch) -----------------

    def on_indication(self, indication: Indication) -> None:
        """Queue the contents of an indication; self-answered operations are answered at once."""
        kind = indication.kind
        if kind in (IndicationKind.CONTINUE, IndicationKind.END) and not self.has_first_pdu:
            self.has_first_pdu = True
            self.first_pdu = pdu = indication.pdu
            if isinstance(pdu, Aare) and pdu.application_context != self.tcap.application_context:
                self.unechoed = pdu.application_context
        components = indication.components
        last = len(components) - 1
        for position, component in enumerate(components):
            if isinstance(component, Invoke):
                operation = self.operation(component.code)
                if operation is not None and operation.operation_class in (1, 3):
                    self.tcap.owe(component.invoke_id)
            if not self._answers_itself(kind, component):
                self._inbox.put(Inbound(kind, component, position == last, indication.pdu))
        # The peer is notified of a bad component whatever the definition does next. The node sends
        # the Reject: it flushes after each indication.
        self.tcap.send_rejects()
        if components or kind is IndicationKind.CONTINUE:
            return
        self._inbox.put(
            Inbound(
                kind,
                pdu=indication.pdu,
                text=indication.text,
                p_abort_cause=indication.p_abort_cause,
            )
        )

    def _take_stray(self, type_: str) -> None:
        """Queue a message that comes after the end of the dialogue: no operation can expect it."""
        text = f"{type_} after the end of the dialogue"
        self._inbox.put(Inbound(IndicationKind.NOTICE, text=text))

    # -- taking ------------------------------------------------------------------------------

    def receive(
        self,
        instance: Instance,
        seconds: float,
        wanted: str,
        is_wanted: Callable[[Inbound], bool],
    ) -> Inbound | None:
        """Return the next inbound, None if none came in time.

        Blocks: up to `seconds`. Aborts at once if the dialogue is over and nothing can come.
        """
        if self.held is None and self.is_closed_and_empty():
            abort(f"expected {wanted}, but the dialogue is over")
        self._trace_state(instance)
        if instance.is_traced:
            instance.trace(3, f"{self.name} waits up to {seconds:g} s for {wanted}")
        started = instance.clock.now()
        inbound, waited = self.held, self._waited
        self.held, self._waited = None, 0.0
        if inbound is None:
            inbound = self._inbox.get(seconds)
            waited = instance.clock.now() - started
        if inbound is not None:
            self._has_leftovers = not is_wanted(inbound)
            if self._has_leftovers:
                self._waited = waited  # the wait of the operation that takes it later
            else:
                instance.note_latency(wanted, waited)
            self._note(inbound)
        self._trace_state(instance)
        return inbound

    def _trace_state(self, instance: Instance) -> None:
        if instance.is_traced and self.tcap.state is not self._shown_state:
            self._shown_state = self.tcap.state
            instance.trace(3, f"{self.name} is {self._shown_state.name}")

    def _note(self, inbound: Inbound) -> None:
        """Store what later operations and the end of the dialogue need."""
        component = inbound.component
        if not isinstance(component, Invoke):
            return
        operation = self.operation(component.code)
        if operation is None:
            return
        self.received[operation.name] = component.invoke_id
        if operation.name in ("PlayAnnouncement", "PromptAndCollectUserInformation"):
            self.prompt_invoke_id = component.invoke_id
        elif operation.name == "RequestReportBCSMEvent" and component.parameter:
            self._armed.append(component.parameter)

    def _answers_itself(self, kind: IndicationKind, component: Component) -> bool:
        """Handle a ResetTimer or ActivityTest, unless the definition expects it."""
        if not isinstance(component, Invoke):
            return False
        operation = self.operation(component.code)
        if operation is None or operation.name not in self._self_answered:
            return False
        if operation.name == ACTIVITY_TEST and kind is IndicationKind.CONTINUE:
            # The node sends it: it flushes after each indication.
            self.tcap.reply(ReturnResult(component.invoke_id))
        return True

    def operation(self, code: object) -> Any:
        """Return the operation of a code in this dialogue's variant, or None."""
        return by_code(self.variant, code) if isinstance(code, int) else None

    def describe(self, inbound: Inbound) -> str:
        """Return a text that describes an inbound."""
        component = inbound.component
        match component:
            case Invoke(code=code):
                operation = self.operation(code)
                return f"{operation.name if operation else f'operation {code}'}"
            case ReturnResult(code=code):
                operation = self.operation(code)
                return f"{operation.name if operation else code}Result"
            case ReturnError():
                operation = self.operation(component.operation_code)
                code = component.code
                name = ERROR_NAMES.get(code) if isinstance(code, int) else None
                return f"{operation.name if operation else ''}Error {name or code}"
            case Reject():
                side = "rejected here" if component.is_local else "Reject"
                return f"{side}: {component.text}"
            case LocalCancel(code=code):
                operation = self.operation(code)
                return f"no answer to {operation.name if operation else code} within its timer"
            case _:
                return self._describe_end(inbound)

    def _describe_end(self, inbound: Inbound) -> str:
        if inbound.kind is IndicationKind.P_ABORT:
            assert inbound.p_abort_cause is not None
            words = f"TC-P-ABORT {p_abort_name(inbound.p_abort_cause)}"
            return f"{words} ({inbound.text})" if inbound.text else words
        if inbound.kind is IndicationKind.U_ABORT:
            texts = [inbound.text] if inbound.text else []
            if inbound.pdu is not None and inbound.pdu.user_information:
                texts += texts_of_user_information(inbound.pdu.user_information)
            return f"TC-U-ABORT ({', '.join(texts)})" if texts else "TC-U-ABORT"
        if inbound.kind is IndicationKind.END:
            return "TC-END"
        return inbound.text or inbound.kind.value

    # -- sending -----------------------------------------------------------------------------

    def send(self, instance: Instance, *, close: bool) -> None:
        """Send queued components in the message that the state requires; aborts if that fails."""
        information, self.answer_information = self.answer_information, b""
        self.held_back = None
        try:
            if self.opening is not None and self.tcap.state is DialogueState.IDLE:
                if close:
                    raise LocalProtocolError("a message that opens a dialogue can't end it")
                self.opening()
            elif close:
                self.tcap.end(user_information=information)
            else:
                self.tcap.continue_(user_information=information)
            self.gateway.flush()
        except (LocalProtocolError, GatewayError) as error:
            abort(f"{self.name}: {error}")
        self._trace_state(instance)

    def note_invoked(self, name: str, parameter: bytes | None) -> None:
        """Store the name of an invoked operation; of an EventReportBCSM also its parameter."""
        self.sent.add(name)
        if parameter and name == "EventReportBCSM":
            self._reported.append(parameter)

    def judge_context(self, instance: Instance) -> None:
        """Fail the check of the context if the peer has accepted another context than ours."""
        got, self.unechoed = self.unechoed, None
        if got is not None:
            wanted = self.tcap.application_context
            shown = [None if one is None else contexts.alias_of(one) for one in (wanted, got)]
            instance.entry(False, "tcap_ac of the AARE", *shown)

    def is_closed_and_empty(self) -> bool:
        """Return True if nothing can arrive any more, so that waiting is useless."""
        return self.tcap.state is DialogueState.CLOSED and not self._inbox

    # -- the end -----------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """True if the dialogue still exists."""
        return self.tcap.state not in (DialogueState.CLOSED, DialogueState.IDLE)

    def leftovers(self) -> list[Inbound]:
        """Return the inbounds that no operation took; an END without components is left out."""
        rest = self._inbox.take_all()
        if self.held is not None:
            rest.insert(0, self.held)
            self.held = None
        found = []
        for inbound in rest:
            is_silent_end = inbound.kind is IndicationKind.END and inbound.component is None
            if not is_silent_end:
                found.append(inbound)
        self._has_leftovers = self._has_leftovers or bool(found)
        return found

    def unsent(self) -> str | None:
        return self.held_back

    def tell_late(self, tell: Callable[[], None]) -> None:
        """Call `tell` for each message from now on: the instance is over."""
        self.tcap.on_stray = on_stray = counting_strays(tell)
        self.gateway.endpoint.redirect_strays(self.tcap.otid, on_stray)

    def close(self) -> str | None:
        """End the dialogue if it is open. Return how it was ended, None if it was closed.

        Locally (prearranged end) if nothing is outstanding, otherwise by TC-U-ABORT. A message
        that was not taken is outstanding: the peer continues a call that the tester has left.
        """
        self.tcap.user = None
        if self.tcap.state is DialogueState.IDLE:
            self.gateway.endpoint.release(self.tcap)
            return None
        if not self.is_open:
            return None
        reason = self._outstanding()
        try:
            if reason is None:
                self.tcap.end(prearranged=True)
                return "prearranged end"
            self.tcap.abort()
            self.gateway.flush()
        except (LocalProtocolError, GatewayError):
            pass  # nothing more can be done for it
        return f"TC-U-ABORT, outstanding: {reason}"

    def abort(self) -> None:
        """End the dialogue by TC-U-ABORT in any case (the run was cancelled)."""
        self.tcap.user = None
        if not self.is_open:
            self.gateway.endpoint.release(self.tcap)
            return
        try:
            self.tcap.abort()
            self.gateway.flush()
        except (LocalProtocolError, GatewayError):
            pass  # the connection is gone, and the dialogue with it

    def _outstanding(self) -> str | None:
        if self.leftovers() or self._has_leftovers:
            return "a message that no operation took"
        if self.tcap.has_outstanding:
            return "an unanswered invocation"
        for request, report in PENDING_REPORTS.items():
            if request in self.received and report not in self.sent:
                return f"a pending {report}"
        armed = armed_events(self._armed, self._reported, self.variant)
        if armed:
            names = ", ".join(EVENT_NAMES.get(event, str(event)) for event, _ in sorted(armed))
            return f"armed events {names}"
        return None


def scp_address_of(params: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the address members of `scp`, None if there are none."""
    scp = params.get("scp") or {}
    return {name: value for name, value in scp.items() if name != "tcap_timeout"} or None


def variant_for(application_context: bytes | None, named: str | None) -> str:
    """Return the variant of a dialogue: as named, otherwise by the context, otherwise camel3."""
    return named or contexts.variant_of(application_context) or DEFAULT_VARIANT


def newest(instance: Instance, role: str, name: str | None, path: str) -> TesterDialogue:
    """Return the newest dialogue of a role, or the dialogue with a name."""
    for dialogue in reversed(instance.dialogues):
        if isinstance(dialogue, TesterDialogue) and (
            dialogue.name == name if name else dialogue.role == role
        ):
            return dialogue
    what = f"dialogue {quoted(name)}" if name else f"dialogue as {role.upper()}"
    raise InstanceAborted(f"no {what} has been opened")
