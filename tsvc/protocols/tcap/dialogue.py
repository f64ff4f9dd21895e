"""One TCAP dialogue: its transaction and its component sublayer, the same for both ends.

Input from the user: components (invoke, answer), which are queued for the next message, and the
primitives that send a message (begin, continue_, end, abort). Input from the endpoint: decoded
messages of this dialogue, and invocation timers that have run out. Output: messages, handed to the
endpoint (Owner), and one Indication for each message or timer that means something to the user.

The transaction has the states idle, initiation sent, initiation received, active and closed: table
`states.TRANSITIONS`. The table `states.CONTROLS` has the dialogue portions that may come, by who
has named an application context and who has answered. Any other dialogue portion is abnormal: it
ends the dialogue, with a P-ABORT to the user and an ABRT to the peer. Each operation that we
invoke and that may be answered is an Invocation. The table `states.EFFECTS` has the answers that
are allowed, by its class; any other answer is rejected. The only timer is that of an invocation;
the endpoint runs it.

A call that the state forbids raises LocalProtocolError and changes nothing; a message of the peer
never raises. A dialogue knows no time, no I/O, no roles, and not the meaning of parameters.

Source: Q.774 §3.1.2, §3.2.2 (dialogue handling, abnormal procedures), figure A.5, 06/97
"""

from collections.abc import Callable
from dataclasses import field, replace
from enum import Enum
from typing import Any, Protocol

from tsvc.errors import LocalProtocolError
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap import components as codec
from tsvc.protocols.tcap import dialogue_portion as portion
from tsvc.protocols.tcap.components import (
    Code,
    Component,
    ComponentTag,
    Invoke,
    LocalCancel,
    Malformed,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt, DialoguePdu
from tsvc.protocols.tcap.messages import (
    LocalCause,
    Message,
    MessageType,
    PAbortCause,
    encode,
)
from tsvc.protocols.tcap.states import (
    ABORTS,
    CONTROLS,
    EFFECTS,
    REJECTIONS,
    TRANSITIONS,
    AnswerKind,
    ContextState,
    Control,
    DialogueState,
    Effect,
    Invocation,
    Primitive,
    Side,
    control_of,
    following_id,
)
from tsvc.values import dataclass

MAX_INVOCATIONS = 256  # invoke ids are one octet


class Trail(Protocol):
    """An object that is informed about a message of ours on its way to the network."""

    def carried(self, by: Any, octets: bytes) -> None:
        """A link has queued octets that carry the message or a segment of it."""

    def lost(self) -> None:
        """The message can't be sent."""


# A tap sees each message of a dialogue: True if it is ours, octets, called and calling address,
# and the route it came by, if known. For a message of ours it may return a Trail. Empty octets:
# the network reported something about the dialogue; only the route shows it.
Tap = Callable[[bool, bytes, Address, Address, Any], Trail | None]

Stray = Callable[[str], None]  # takes the type of the message, such as CONTINUE


def counting_strays(tell: Callable[[], None]) -> Stray:
    """Return a Stray that calls `tell` for each message after a dialogue's end, except ABORT."""

    def on_stray(type_: str) -> None:
        if type_ != "ABORT":  # the peer ends a dialogue that we have ended: nothing got lost
            tell()

    return on_stray


class IndicationKind(Enum):
    """The kind of an event of a dialogue."""

    BEGIN = "BEGIN"
    CONTINUE = "CONTINUE"
    END = "END"
    U_ABORT = "U-ABORT"
    P_ABORT = "P-ABORT"
    CANCEL = "L-CANCEL"
    NOTICE = "NOTICE"  # the network could not deliver a message of ours
    UNIDIRECTIONAL = "UNIDIRECTIONAL"  # belongs to no dialogue: `dialogue` has addresses only


@dataclass(slots=True)
class Indication:
    """One message, or timer, as the user of a dialogue sees it. Components are in order.

    `octets`: only of a BEGIN. No tap sees a BEGIN: it comes before a tap can be set.
    """

    dialogue: "Dialogue"
    kind: IndicationKind
    components: list[Component] = field(default_factory=list)
    pdu: DialoguePdu | None = None
    p_abort_cause: int | LocalCause | None = None
    text: str = ""
    octets: bytes = b""


_PRIMITIVES = {
    MessageType.CONTINUE: (Primitive.CONTINUE, IndicationKind.CONTINUE),
    MessageType.END: (Primitive.END, IndicationKind.END),
}


# The dialogue portion that a message of the peer must have, as text.
_DUE = {
    ContextState.NONE: "no dialogue portion (no application context was named)",
    ContextState.REQUESTED: "an accepting AARE",
    ContextState.OFFERED: "no dialogue portion (our AARE has not gone yet)",
    ContextState.SETTLED: "no dialogue portion (the context is settled)",
}


def _portion_text(message: Message) -> str:
    """Return the dialogue portion of a message as readable text."""
    if message.dialogue_problem is not None:
        return f"a dialogue portion that can't be read ({message.dialogue_problem})"
    return "no dialogue portion" if message.dialogue is None else portion.text_of(message.dialogue)


class Owner(Protocol):
    """The part of an endpoint that its dialogues need."""

    def send(self, dialogue: "Dialogue", octets: bytes) -> None:
        """Queue a message of a dialogue."""

    def start_timer(self, dialogue: "Dialogue", invoke_id: int, deadline: float) -> None:
        """Call time_out() of the dialogue at a deadline."""

    def release(self, dialogue: "Dialogue") -> None:
        """Forget a dialogue that is over."""


class Dialogue:
    """A dialogue; made by Endpoint.new_dialogue() or by a received BEGIN.

    `user` is for the code that handles its indications. Addresses are opaque here.
    """

    __slots__ = (
        "_endpoint",
        "_next_invoke_id",
        "_owed",
        "_pending",
        "_rejects",
        "application_context",
        "context_state",
        "invocations",
        "local_address",
        "on_stray",
        "otid",
        "remote_address",
        "remote_tid",
        "route",
        "state",
        "tap",
        "user",
        "wake",
    )

    def __init__(self, endpoint: Owner, otid: bytes) -> None:
        self._endpoint = endpoint
        self.otid = otid
        self.remote_tid: bytes | None = None
        self.state = DialogueState.IDLE
        self.local_address: Any = None  # Address, once it has begun
        self.remote_address: Any = None
        self.route: Any = None
        self.user: Any = None
        # Called before a message is taken; set by code that has not kept this object up to date.
        self.wake: Callable[[], None] | None = None
        self.tap: Tap | None = None
        # Called for a message that comes after the end, while the id is in quarantine.
        self.on_stray: Stray | None = None
        self.application_context: bytes | None = None
        self.context_state = ContextState.NONE
        self.invocations: dict[int, Invocation] = {}
        self._next_invoke_id = 0
        self._pending: list[bytes] = []
        self._rejects: list[bytes] = []  # of the component sublayer: first in the next message
        self._owed: set[int] = set()  # invoke ids of the peer that wait for our answer

    # -- components -------------------------------------------------------------------------

    def invoke(
        self,
        code: Code,
        operation_class: int,
        parameter: bytes | None,
        *,
        now: float,
        timer_s: float = 5.0,
        linked_id: int | None = None,
        invoke_id: int | None = None,
        allow_duplicate: bool = False,
    ) -> int:
        """Queue an invoke for the next message and return its invoke id.

        allow_duplicate: send the invoke although its id is in use, because a tester plays a faulty
        peer. An answer then belongs to the invocation that used the id first.
        Errors: LocalProtocolError if the id is in use or out of range, or all 256 are in use.
        """
        self._require_open()
        if invoke_id is None:
            invoke_id = self._free_invoke_id()
        is_duplicate = invoke_id in self.invocations
        if is_duplicate and not allow_duplicate:
            raise LocalProtocolError(f"invoke id {invoke_id} is in use")
        octets = codec.encode_invoke(invoke_id, code, parameter, linked_id)
        if operation_class != 4 and not is_duplicate:
            deadline = now + timer_s
            self.invocations[invoke_id] = Invocation(code, operation_class, deadline)
            self._endpoint.start_timer(self, invoke_id, deadline)
        self._pending.append(octets)
        return invoke_id

    def answer(self, component: ReturnResult | ReturnError | Reject) -> None:
        """Queue a result, error or reject for the next message.

        Errors: LocalProtocolError if it can't be encoded, or the dialogue is closed.
        """
        self._require_open()
        self._pending.append(codec.encode(component))
        is_last = not isinstance(component, ReturnResult) or component.is_last
        if is_last and component.invoke_id is not None:
            self._owed.discard(component.invoke_id)

    def owe(self, invoke_id: int) -> None:
        """Note that an invocation of the peer waits for our answer: its id is in use until then.

        Only a caller that knows the operation can do this: its class is not on the wire.
        """
        self._owed.add(invoke_id)

    def reply(self, component: ReturnResult | ReturnError | Reject) -> None:
        """Send an answer in a CONTINUE of its own; queued components stay queued."""
        queued = self._pending
        self._pending = []
        try:
            self.answer(component)
            self.continue_()
        finally:
            self._pending = queued

    def send_rejects(self) -> None:
        """Send the rejects of the component sublayer alone; other components stay queued.

        Does nothing without rejects, or if the state forbids a CONTINUE: then they are sent in the
        next message.
        """
        is_allowed = (Side.LOCAL, Primitive.CONTINUE) in TRANSITIONS[self.state]
        if self._rejects and is_allowed:
            queued, self._pending = self._pending, []
            try:
                self.continue_()
            finally:
                self._pending = queued

    @property
    def pending_count(self) -> int:
        """The number of components that wait for the next message."""
        return len(self._pending) + len(self._rejects)

    @property
    def has_outstanding(self) -> bool:
        """True while a class 1 or 3 operation of ours is unanswered."""
        return any(invocation.is_outstanding for invocation in self.invocations.values())

    def _free_invoke_id(self) -> int:
        if len(self.invocations) >= MAX_INVOCATIONS:
            raise LocalProtocolError("all invoke ids of the dialogue are in use")
        invoke_id = self._next_invoke_id
        while invoke_id in self.invocations:
            invoke_id = following_id(invoke_id)
        self._next_invoke_id = following_id(invoke_id)
        return invoke_id

    def _require_open(self) -> None:
        if self.state is DialogueState.CLOSED:
            raise LocalProtocolError("the dialogue is closed")

    # -- primitives down --------------------------------------------------------------------

    def begin(
        self,
        called: Address,
        calling: Address,
        *,
        application_context: bytes | None = None,
        user_information: bytes = b"",
    ) -> None:
        """Send TC-BEGIN with the queued components."""
        self._check(Primitive.BEGIN)
        if user_information and application_context is None:
            raise LocalProtocolError("user information needs an application context")
        self.remote_address = called
        self.local_address = calling
        self.application_context = application_context
        pdu = b""
        if application_context is not None:
            pdu = portion.encode(Aarq(application_context, user_information))
            self.context_state = ContextState.REQUESTED
        self._move(Side.LOCAL, Primitive.BEGIN)
        self._send(MessageType.BEGIN, pdu, otid=self.otid)

    def continue_(self, *, user_information: bytes = b"") -> None:
        """Send TC-CONTINUE with the queued components."""
        self._check(Primitive.CONTINUE)
        pdu = self._accepting_pdu(user_information)
        self._move(Side.LOCAL, Primitive.CONTINUE)
        self._send(MessageType.CONTINUE, pdu, otid=self.otid, dtid=self.remote_tid)

    def end(self, *, prearranged: bool = False, user_information: bytes = b"") -> None:
        """Send TC-END with the queued components; prearranged: close without a message."""
        primitive = Primitive.PREARRANGED_END if prearranged else Primitive.END
        self._check(primitive)
        if not prearranged:
            pdu = self._accepting_pdu(user_information)
            self._send(MessageType.END, pdu, dtid=self.remote_tid)
        self._move(Side.LOCAL, primitive)

    def abort(self, *, user_information: bytes = b"", pdu: DialoguePdu | None = None) -> None:
        """Send TC-U-ABORT. Before the first answer the peer's id is unknown: close locally."""
        self._check(Primitive.ABORT)
        self._drop_queued()
        if self.remote_tid is not None:
            if pdu is None and (self.application_context is not None or user_information):
                pdu = Abrt(portion.ABORT_SOURCE_USER, user_information)
            octets = b"" if pdu is None else portion.encode(pdu)
            self._send(MessageType.ABORT, octets, dtid=self.remote_tid)
        self._move(Side.LOCAL, Primitive.ABORT)

    def refuse(self, application_context: bytes, diagnostic: int) -> None:
        """Refuse a dialogue as its user: U-ABORT with AARE, result reject-permanent.

        Errors: LocalProtocolError if no AARE is due: no AARQ came, or it has been answered.
        """
        if self.context_state is not ContextState.OFFERED:
            raise LocalProtocolError("no dialogue request to refuse")
        self.abort(
            pdu=Aare(
                application_context,
                portion.RESULT_REJECT_PERMANENT,
                portion.SOURCE_USER,
                diagnostic,
            )
        )

    def p_abort(self, cause: int) -> None:
        """Send a P-ABORT of our own choosing (a tester plays a failing transaction sublayer)."""
        self._check(Primitive.ABORT)
        self._drop_queued()
        if self.remote_tid is not None:
            octets = encode(MessageType.ABORT, dtid=self.remote_tid, p_abort_cause=cause)
            self._endpoint.send(self, octets)
        self._move(Side.LOCAL, Primitive.ABORT)

    def _accepting_pdu(self, user_information: bytes) -> bytes:
        if self.context_state is not ContextState.OFFERED or self.application_context is None:
            if user_information:
                raise LocalProtocolError("user information needs a dialogue response to carry it")
            return b""
        self.context_state = ContextState.SETTLED
        return portion.encode(Aare(self.application_context, user_information=user_information))

    def _send(
        self,
        type_: MessageType,
        pdu: bytes,
        *,
        otid: bytes | None = None,
        dtid: bytes | None = None,
    ) -> None:
        components = self._pending
        self._pending = []
        if self._rejects:
            components = self._rejects + components
            self._rejects = []
        octets = encode(type_, otid=otid, dtid=dtid, dialogue=pdu, components=components)
        self._endpoint.send(self, octets)

    def _drop_queued(self) -> None:
        self._pending.clear()
        self._rejects.clear()

    def _check(self, primitive: Primitive) -> None:
        if (Side.LOCAL, primitive) not in TRANSITIONS[self.state]:
            raise LocalProtocolError(f"no {primitive.value} while {self.state.value}")

    def _move(self, side: Side, primitive: Primitive) -> None:
        self.state = TRANSITIONS[self.state][side, primitive]
        if self.state is DialogueState.CLOSED:
            self._drop_queued()
            self._endpoint.release(self)

    # -- from the peer ----------------------------------------------------------------------

    def receive_begin(self, message: Message, called: Address, calling: Address) -> Indication:
        """Return the indication of the BEGIN that created this dialogue."""
        self.remote_tid = message.otid
        self.local_address = called
        self.remote_address = calling
        if isinstance(message.dialogue, Aarq):
            self.application_context = message.dialogue.application_context
            self.context_state = ContextState.OFFERED
        self._move(Side.REMOTE, Primitive.BEGIN)
        return self._indicate(IndicationKind.BEGIN, message)

    def receive(self, message: Message, calling: Address) -> Indication | None:
        """Return the indication of a CONTINUE, END or ABORT; None if the state forbids it."""
        if message.type is MessageType.ABORT:
            return self._receive_abort(message)
        primitive, kind = _PRIMITIVES[message.type]
        if (Side.REMOTE, primitive) not in TRANSITIONS[self.state]:
            return None
        if self.state is DialogueState.INIT_SENT and calling is not None:
            # The first answer has the address that really answered (Q.771, responding address).
            self.remote_address = calling
        if message.otid is not None:
            if self.remote_tid not in (None, message.otid):
                return self._abort_transaction(message.otid)
            self.remote_tid = message.otid
        control = control_of(message.dialogue, is_readable=message.dialogue_problem is None)
        following = CONTROLS[self.context_state].get(control)
        if following is None:
            return self._abort_abnormal(message, primitive)
        self.context_state = following
        indication = self._indicate(kind, message)
        self._move(Side.REMOTE, primitive)
        return indication

    def _abort_abnormal(self, message: Message, primitive: Primitive) -> Indication:
        """End a dialogue whose peer breaks the rules of dialogue control; both sides learn it."""
        found = _portion_text(message)
        text = f"{found} where {_DUE[self.context_state]} is due"
        if primitive is Primitive.CONTINUE:
            self.abort(pdu=Abrt(portion.ABORT_SOURCE_PROVIDER))
        else:
            self._move(Side.REMOTE, primitive)
        cause = LocalCause.ABNORMAL_DIALOGUE
        return Indication(self, IndicationKind.P_ABORT, [], message.dialogue, cause, text)

    def _abort_transaction(self, otid: bytes) -> Indication:
        """Abort a transaction whose peer has changed its transaction id."""
        assert self.remote_tid is not None
        text = f"the transaction id of the peer was {self.remote_tid.hex()}, now {otid.hex()}"
        cause = PAbortCause.INCORRECT_TRANSACTION_PORTION
        self.p_abort(cause)
        return Indication(self, IndicationKind.P_ABORT, [], None, cause, text)

    def _receive_abort(self, message: Message) -> Indication | None:
        if (Side.REMOTE, Primitive.ABORT) not in TRANSITIONS[self.state]:
            return None
        self._move(Side.REMOTE, Primitive.ABORT)
        if message.p_abort_cause is not None:
            return Indication(self, IndicationKind.P_ABORT, p_abort_cause=message.p_abort_cause)
        control = control_of(message.dialogue, is_readable=message.dialogue_problem is None)
        cause = ABORTS[self.context_state].get(control, LocalCause.ABNORMAL_DIALOGUE)
        kind = IndicationKind.U_ABORT if cause is None else IndicationKind.P_ABORT
        text = "" if control is Control.NOTHING and cause is None else _portion_text(message)
        return Indication(self, kind, [], message.dialogue, cause, text)

    def _indicate(self, kind: IndicationKind, message: Message) -> Indication:
        invoked: set[int] = set()
        taken = [self._take(component, invoked) for component in message.components]
        delivered = [component for component in taken if component is not None]
        return Indication(self, kind, delivered, message.dialogue)

    def _take(self, component: Component, invoked: set[int]) -> Component | None:
        """Apply a received component to its invocation; return the component for the user.

        `invoked`: ids of the invokes that came before it in the same message.
        """
        match component:
            case Invoke(invoke_id, linked_id=linked_id):
                if invoke_id in invoked or invoke_id in self._owed:
                    problem = codec.DUPLICATE_INVOKE_ID
                    return self._reject(invoke_id, ProblemType.INVOKE, problem)
                invoked.add(invoke_id)
                if linked_id is None:
                    return component
                parent = self.invocations.get(linked_id)
                if parent is None:
                    problem = codec.UNRECOGNIZED_LINKED_ID
                    return self._reject(invoke_id, ProblemType.INVOKE, problem)
                return replace(component, linked_code=parent.code)
            case ReturnResult():
                answer = (
                    AnswerKind.RESULT_LAST if component.is_last else AnswerKind.RESULT_NOT_LAST
                )
                invocation = self._settle(component.invoke_id, answer)
                if isinstance(invocation, Reject):
                    return invocation
                component.operation_code = invocation.code
                if component.code is None:
                    component.code = invocation.code
                return component
            case ReturnError():
                invocation = self._settle(component.invoke_id, AnswerKind.ERROR)
                if isinstance(invocation, Reject):
                    return invocation
                component.operation_code = invocation.code
                return component
            case Reject(invoke_id, problem_type):
                # A problem with a result or error is about an invocation of the peer.
                is_ours = problem_type in (ProblemType.GENERAL, ProblemType.INVOKE)
                if is_ours and invoke_id is not None:
                    known = self.invocations.pop(invoke_id, None)
                    component.operation_code = None if known is None else known.code
                return component
            case Malformed():
                return self._take_malformed(component)
            case _:
                return None

    def _take_malformed(self, component: Malformed) -> Reject:
        invoke_id = component.invoke_id
        if component.tag == ComponentTag.REJECT:
            # A reject is never answered by a reject: the two ends could go on forever.
            return Reject(invoke_id, component.problem_type, component.problem, is_local=True)
        if component.tag in codec.ANSWER_TAGS and invoke_id is not None:
            self.invocations.pop(invoke_id, None)
        return self._reject(invoke_id, component.problem_type, component.problem)

    def _settle(self, invoke_id: int, answer: AnswerKind) -> Invocation | Reject:
        """Apply an answer to its invocation, or reject it."""
        invocation = self.invocations.get(invoke_id)
        problem_type, unknown, unexpected = REJECTIONS[answer]
        if invocation is None:
            return self._reject(invoke_id, problem_type, unknown)
        effect = EFFECTS[invocation.operation_class, answer]
        if effect is Effect.UNEXPECTED:
            del self.invocations[invoke_id]
            return self._reject(invoke_id, problem_type, unexpected)
        if effect is Effect.ENDS:
            del self.invocations[invoke_id]
        return invocation

    def _reject(self, invoke_id: int | None, problem_type: ProblemType, problem: int) -> Reject:
        """Queue a reject for the next message; return it for the user (TC-L-REJECT)."""
        reject = Reject(invoke_id, problem_type, problem, is_local=True)
        self._rejects.append(codec.encode(reject))
        return reject

    def time_out(self, invoke_id: int, deadline: float) -> Indication | None:
        """End an invocation whose timer ran out; None if it is over, restarted or of class 2."""
        invocation = self.invocations.get(invoke_id)
        if invocation is None or invocation.deadline != deadline:
            return None
        del self.invocations[invoke_id]
        effect = EFFECTS[invocation.operation_class, AnswerKind.TIMEOUT]
        if effect is Effect.SUCCEEDED:
            return None
        return Indication(self, IndicationKind.CANCEL, [LocalCancel(invoke_id, invocation.code)])

    def restart_timer(self, invoke_id: int, deadline: float) -> None:
        """Give an invocation of ours a new deadline (a resource is still busy for us)."""
        invocation = self.invocations.get(invoke_id)
        if invocation is not None and invocation.deadline != deadline:
            invocation.deadline = deadline
            self._endpoint.start_timer(self, invoke_id, deadline)
