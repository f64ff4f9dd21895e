"""One USSD session: messages of the mobile by way of its HLR, and the run of a flow.

A mobile begins it with ProcessUnstructuredSSRequest. The flow sends questions and texts, one at a
time, and the result of the first request ends the session. MAP version 2 and compatible messages.
"""

from collections.abc import Callable

from tsvc.errors import LocalProtocolError
from tsvc.flow.call import (
    Action,
    AskUssd,
    EndUssd,
    Event,
    Finished,
    Pause,
    PauseOver,
    Release,
    SayUssd,
    UssdFailed,
    UssdInput,
    UssdShown,
)
from tsvc.flow.engine import FlowRun
from tsvc.log import get_logger
from tsvc.protocols.asn1 import Notes, Tree
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.contexts import BY_ALIAS
from tsvc.protocols.map.dialogue import decode_user_information, encode_pdu
from tsvc.protocols.map.errors import ERROR_CODES, ERROR_NAMES
from tsvc.protocols.map.operation import OPERATIONS, MapOperation
from tsvc.protocols.tcap.components import (
    Component,
    Invoke,
    LocalCancel,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue import Indication, IndicationKind
from tsvc.protocols.tcap.dialogue_portion import Aarq
from tsvc.protocols.tcap.states import DialogueState
from tsvc.scp.refusals import (
    MISTYPED_PARAMETER,
    MISTYPED_RESULT,
    UNRECOGNIZED_OPERATION,
    Refusal,
    has_local_reject,
    reject,
)
from tsvc.scp.statistics import Ending, Statistics
from tsvc.scp.timers import NEVER, Timers
from tsvc.scp.usual import Seen
from tsvc.values import dataclass

CONTEXT = BY_ALIAS["ussd2"].octets
_VARIANT = "map2"
_SYSTEM_FAILURE = ERROR_CODES["systemFailure"]
NOT_SERVED = ERROR_CODES["unexpectedDataValue"]

log = get_logger("scp")


PROCESS = OPERATIONS.required("ProcessUnstructuredSSRequest")
REQUEST = OPERATIONS.required("UnstructuredSSRequest")
NOTIFY = OPERATIONS.required("UnstructuredSSNotify")


@dataclass(frozen=True, slots=True)
class SessionHost:
    """The objects that sessions share. `on_over` is called once for each session."""

    statistics: Statistics
    timers: Timers
    on_over: Callable[["UssdSession"], None]


@dataclass(frozen=True, slots=True)
class Opening:
    """The request that began a session; `ussd_string` is "" if it has no text form."""

    invoke_id: int
    ussd_string: str
    msisdn: str


def opening_of(components: list[Component]) -> Opening | Refusal | None:
    """Return the opening of a session, or its refusal; None: no answer is possible."""
    first = components[0] if components else None
    if not isinstance(first, Invoke) or has_local_reject(components):
        return None
    if first.code != PROCESS.code or len(components) > 1:
        wrong = first if first.code != PROCESS.code else components[1]
        return reject(wrong, UNRECOGNIZED_OPERATION) if isinstance(wrong, Invoke) else None
    notes: Notes = []
    tree = PROCESS.decode_argument(first.parameter, _VARIANT, notes)
    if malformations(notes):
        return reject(first, MISTYPED_PARAMETER)
    return Opening(first.invoke_id, _text(tree), str(tree.get("msisdn_digits", "")))


def _text(tree: Tree) -> str:
    return str(tree.get("ussdString_text", ""))


class UssdSession:
    """One session. `ssp_tid` = the peer's transaction id; `ending` = how it ended, once it has."""

    __slots__ = (
        "_accepting",
        "_asked",
        "_dialogue",
        "_host",
        "_invoke_id",
        "_now",
        "_wait_until",
        "ending",
        "run",
        "scheduled_at",
        "seen",
        "ssp_tid",
    )

    def __init__(
        self, host: SessionHost, indication: Indication, opening: Opening, run: FlowRun
    ) -> None:
        dialogue = indication.dialogue
        self.run = run
        self.ssp_tid = dialogue.remote_tid or b""
        self.ending: Ending | None = None
        self.scheduled_at = NEVER
        self.seen: Seen | None = None  # its state, while its steps can be learned
        self._host = host
        self._dialogue = dialogue
        self._invoke_id = opening.invoke_id
        self._accepting = _accepting(indication)
        self._asked: tuple[int, MapOperation] | None = None
        self._now = 0.0
        self._wait_until = NEVER

    @property
    def is_over(self) -> bool:
        """True if nothing of the session is left."""
        return self.ending is not None

    def start(self, now: float) -> None:
        """Run the flow to its first action."""
        self._now = now
        self._advance(None)
        self._flush()

    def receive(self, indication: Indication, now: float) -> None:
        """Handle an indication of the dialogue. Never raises."""
        self._now = now
        if indication.kind is IndicationKind.NOTICE:
            indication.dialogue.end(prearranged=True)  # the peer can't be reached
        if indication.kind in (IndicationKind.CONTINUE, IndicationKind.CANCEL):
            self._take(indication.components)
        else:
            self._host.statistics.messages[f"{indication.kind.value} of a USSD session"] += 1
            self._over(Ending.ABANDONED)
        self._flush()

    def close(self, now: float) -> None:
        """End the session because the service stops."""
        self._now = now
        self._fail()
        self._flush()

    def next_deadline(self) -> float:
        """Return when handle_timer() is due, infinity if never; TCAP times the requests."""
        return NEVER if self.is_over else self._wait_until

    def deadlines(self) -> tuple[float, ...]:
        """Return its deadline, the same object until it is set again."""
        return (self._wait_until,)

    def handle_timer(self, now: float) -> None:
        """Continue after a pause."""
        self._now = now
        self._wait_until = NEVER
        self._advance(PauseOver())
        self._flush()

    # -- messages ---------------------------------------------------------------------------

    def _take(self, components: list[Component]) -> None:
        if has_local_reject(components):
            self._broken()
            return
        for component in components:
            if self.is_over:
                return
            asked = self._asked
            match component:
                case Invoke():
                    self._dialogue.answer(reject(component, UNRECOGNIZED_OPERATION))
                    self._broken()
                case ReturnResult(invoke_id) if asked and invoke_id == asked[0]:
                    self._take_result(component, asked[1])
                case ReturnError(invoke_id, code) if asked and invoke_id == asked[0]:
                    name = ERROR_NAMES.get(code) if isinstance(code, int) else None
                    self._refused(name or "unknown error")
                case Reject(invoke_id) if asked and invoke_id == asked[0]:
                    self._refused("rejected")
                case LocalCancel(invoke_id) if asked and invoke_id == asked[0]:
                    self._refused("no answer")
                case _:
                    self._host.statistics.messages["unexpected component"] += 1

    def _take_result(self, result: ReturnResult, operation: MapOperation) -> None:
        notes: Notes = []
        tree = operation.decode_result(result.parameter, _VARIANT, notes)
        # A user may enter nothing, and a mobile may then send no parameter.
        if (result.parameter or operation is NOTIFY) and malformations(notes):
            mistyped = Reject(result.invoke_id, ProblemType.RETURN_RESULT, MISTYPED_RESULT)
            self._dialogue.answer(mistyped)
            self._broken()
            return
        self._asked = None
        self._advance(UssdInput(_text(tree)) if operation is REQUEST else UssdShown())

    def _refused(self, text: str) -> None:
        self._asked = None
        self._error(f"ussd: {text}")
        self._advance(UssdFailed(text))

    # -- the flow ---------------------------------------------------------------------------

    def _advance(self, event: Event | None) -> None:
        try:
            self._perform(self.run.start() if event is None else self.run.resume(event))
        except Exception as error:  # noqa: BLE001 - a fault of one node must not stop all calls
            log.failure("flow failed", error, flow=self.run.flow.name)
            self._error("flow")
            self._fail()

    def _perform(self, action: Action) -> None:
        """Perform an action of the flow. Errors: LocalProtocolError if a text is too long."""
        match action:
            case AskUssd(text):
                self._ask(REQUEST, text)
            case SayUssd(text):
                self._ask(NOTIFY, text)
            case Pause(seconds):
                self._wait_until = self._now + seconds
            case EndUssd(text):
                self._finish(text)
            case Release() | Finished():
                self._finish(None)
            case _:
                raise LocalProtocolError(f"a USSD session has no {type(action).__name__}")

    def _ask(self, operation: MapOperation, text: str) -> None:
        parameter = operation.encode_argument({"ussdString_text": text}, _VARIANT)
        invoke_id = self._dialogue.invoke(
            operation.code,
            operation.operation_class,
            parameter,
            now=self._now,
            timer_s=operation.timer_s,
        )
        self._asked = invoke_id, operation

    # -- the end ----------------------------------------------------------------------------

    def _finish(self, text: str | None) -> None:
        code = parameter = None
        if text is not None:
            code = PROCESS.code
            parameter = PROCESS.encode_result({"ussdString_text": text}, _VARIANT)
        self._dialogue.answer(ReturnResult(self._invoke_id, code, parameter))
        self._over(Ending.RELEASED)

    def _fail(self) -> None:
        if self._dialogue.state is not DialogueState.CLOSED:
            self._dialogue.answer(ReturnError(self._invoke_id, _SYSTEM_FAILURE))
        self._over(Ending.FAILED)

    def _broken(self) -> None:
        """Give up on a peer that violates the protocol; the dialogue ends with what is queued."""
        self._error("protocol")
        self._over(Ending.FAILED)

    def _over(self, ending: Ending) -> None:
        self.run.stop(ending.value)
        self.ending = ending

    def _flush(self) -> None:
        dialogue = self._dialogue
        if dialogue.state is not DialogueState.CLOSED:
            accepting, self._accepting = self._accepting, b""
            if self.is_over:
                dialogue.end(user_information=accepting)
            elif dialogue.pending_count:
                dialogue.continue_(user_information=accepting)
            else:
                self._accepting = accepting
        if self.is_over:
            dialogue.user = None
            self._host.on_over(self)
        else:
            self._host.timers.schedule(self)

    def _error(self, kind: str) -> None:
        self._host.statistics.errors[kind] += 1


def _accepting(indication: Indication) -> bytes:
    """Return MAP-Accept for the first answer if the BEGIN has MAP-Open, otherwise b""."""
    pdu = indication.pdu
    if not isinstance(pdu, Aarq) or not pdu.user_information:
        return b""
    opened = (decode_user_information(pdu.user_information) or {}).get("map_open")
    return b"" if opened is None else encode_pdu({"map_accept": {}})
