"""`tcap.*` types: abort or end a dialogue, reject a component, or expect the SCP to end it."""

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError

from tsvc.errors import GatewayError, LocalProtocolError, RemoteProtocolError
from tsvc.kinds.sigtran.operations.dialogue import Inbound, TesterDialogue, newest
from tsvc.kinds.sigtran.operations.tcap_attributes import (
    DialogueChecks,
    dialogue_checks,
    longest_wait,
    outbound_given,
)
from tsvc.kinds.sigtran.run import SigtranRun
from tsvc.matching.arguments import match_arguments
from tsvc.operations import attributes
from tsvc.operations.arguments import ArgumentMembers, Hex, Text
from tsvc.operations.attributes import value_for
from tsvc.operations.operation import (
    INBOUND,
    OUTBOUND,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
    declare,
    note_received,
)
from tsvc.protocols import ber
from tsvc.protocols.tcap.components import ProblemType, Reject
from tsvc.protocols.tcap.dialogue import IndicationKind
from tsvc.protocols.tcap.dialogue_portion import Aare, Abrt
from tsvc.protocols.tcap.messages import LocalCause, p_abort_name
from tsvc.schema import fields
from tsvc.schema.style import Mistake, Takes, integer_of

ROLES = ("ssp", "srf", "hlr")
_PROBLEM_TYPES = {"general": 0, "invoke": 1, "return_result": 2, "return_error": 3}


class _ProblemType(fields.Member):
    """A kind of problem, by name or number."""

    type = "string"

    @property
    def takes(self) -> Takes:
        return self._takes(choices=(*_PROBLEM_TYPES, *_PROBLEM_TYPES.values()))

    def read(self, value: Any) -> int:
        number = _PROBLEM_TYPES.get(str(value), integer_of(value))
        if number is None or number not in _PROBLEM_TYPES.values():
            raise self.refusal(Mistake.CHOICE, value)
        return number


class _Arguments(ArgumentMembers):
    """Sent arguments must be of the declared types; expected ones may be anything."""

    open_prefixes = ()
    is_negatable = True
    is_sent: ClassVar[bool] = True

    def is_judged(self, field: fields.Member) -> bool:
        return self.is_sent

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        """Refuse negated members of sent arguments, and both kinds of an abort at once."""
        user = sorted(name for name in given if name.startswith("u_") and given[name] is not None)
        if given.get("p_cause") is not None and user:
            scope.refuse(f"{path}.p_cause", f"does not go with {', '.join(user)}")
        for name in given:
            if self.is_sent and name.startswith("!"):
                scope.refuse(f"{path}.{name}", "what is sent can't be negated")
        super().check_declared(given, path, scope)

    @classmethod
    def to_send(cls, rendered: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments to send, in their declared types; null counts as missing.

        Errors: ValueError that begins with the name of the member.
        """
        found: dict[str, Any] = {}
        for name, value in rendered.items():
            if value is not None:
                try:
                    found[name] = cls.shared().load_fields[name].deserialize(value)
                except ValidationError as error:
                    raise ValueError(f"{name}: {error.messages[0]}") from None
        return found


class _AbortArguments(_Arguments):
    p_cause = fields.Integer(0, 127, help="P-ABORT cause; else it is a U-ABORT")
    u_source = fields.Integer(choices=(0, 1), help="0 user, 1 provider")
    u_info_0_octets = Text(help="user information, a character an octet")
    u_info_0_octets_hex = Hex(help="the same in hex")


class _Sending(OperationType):
    family = OUTBOUND
    received = ()
    what: ClassVar[str]
    may_wait: ClassVar[bool] = False  # for a next message: none follows an end
    Arguments: ClassVar[type[_Arguments]]

    class Attributes(Entry):
        arguments = fields.Object()
        dialogue = fields.String()
        send_with_next = attributes.Boolean(default=False)

    def __init__(self, role: str) -> None:
        self.role = role
        self.name = f"tcap.{role}_to_scp.{self.what}"
        self.example = {"type": self.name}

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        given = entry.get("arguments") or {}
        self.Arguments.check(given, f"{path}.arguments", scope)
        arguments = scope.arguments(given, path)
        holds = outbound_given(entry, "send_with_next", path, scope)
        name, role = scope.part(SigtranRun).existing(entry.get("dialogue"), path), self.role
        if isinstance(self, SendEnd):
            scope.eligibility.allow("sigtran", path, entry)

        def execute(instance: Instance) -> None:
            dialogue = newest(instance, role, name, path)
            try:
                rendered = arguments.render(instance.env)
                self.perform(dialogue, self.Arguments.to_send(rendered))
                if not self.may_wait or not value_for(holds, instance):
                    self.send(instance, dialogue)
                elif dialogue.held_back is None:
                    dialogue.held_back = self.what
            except (LocalProtocolError, GatewayError, ValueError) as error:
                abort(f"{self.what}: {error}")

        return execute

    def perform(self, dialogue: TesterDialogue, arguments: Mapping[str, Any]) -> None:
        """Apply the operation to the dialogue. arguments: of the types declared, without null."""
        raise NotImplementedError

    def send(self, instance: Instance, dialogue: TesterDialogue) -> None:
        """Send the components that perform() queued."""
        dialogue.gateway.flush()


class SendAbort(_Sending):
    """A TC-U-ABORT, or a P-ABORT with a given cause."""

    what = "Abort"
    summary = "abort the dialogue"
    Arguments = _AbortArguments

    def perform(self, dialogue: TesterDialogue, arguments: Mapping[str, Any]) -> None:
        dialogue.held_back = None  # given up by the definition
        if "p_cause" in arguments:
            dialogue.tcap.p_abort(arguments["p_cause"])
            return
        # The raw form comes first, as with all arguments.
        octets = _latin_1(arguments.get("u_info_0_octets", ""))
        octets = octets or arguments.get("u_info_0_octets_hex", b"")
        information = ber.tlv(b"\x28", ber.tlv(b"\x81", octets)) if octets else b""
        source = arguments.get("u_source")
        pdu = None if source is None else Abrt(source, information)
        dialogue.tcap.abort(user_information=information, pdu=pdu)


def _latin_1(text: str) -> bytes:
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        raise ValueError("u_info_0_octets: a character is more than an octet") from None


class SendEnd(_Sending):
    """A TC-END with the queued components, or a prearranged end."""

    what = "End"
    summary = "end the dialogue, basic or prearranged"

    class Arguments(_Arguments):
        prearranged = fields.Boolean(
            default=False, help="say nothing to the peer: both know that the dialogue is over"
        )

    def perform(self, dialogue: TesterDialogue, arguments: Mapping[str, Any]) -> None:
        is_prearranged = arguments.get("prearranged", False)
        dialogue.tcap.end(prearranged=is_prearranged)
        if not is_prearranged:
            dialogue.held_back = None


class SendReject(_Sending):
    """A Reject component."""

    what = "Reject"
    may_wait = True
    summary = "reject a component of the SCP"

    class Arguments(_Arguments):
        invoke_id = fields.Integer(-128, 127, help="of what is rejected; absent: what came last")
        problem_type = _ProblemType(default="general", help="which kind of component is at fault")
        problem = fields.Integer(0, 255, default=0)

    def perform(self, dialogue: TesterDialogue, arguments: Mapping[str, Any]) -> None:
        invoke_id = arguments.get("invoke_id")
        if invoke_id is None and dialogue.received:
            invoke_id = list(dialogue.received.values())[-1]
        type_ = ProblemType(arguments.get("problem_type", 0))
        dialogue.tcap.answer(Reject(invoke_id, type_, arguments.get("problem", 0)))

    def send(self, instance: Instance, dialogue: TesterDialogue) -> None:
        dialogue.send(instance, close=False)


class _Expecting(OperationType):
    family = INBOUND
    what: ClassVar[str]
    kinds: ClassVar[tuple[IndicationKind, ...]]
    Arguments: ClassVar[type[_Arguments] | None] = None

    class Attributes(DialogueChecks):
        arguments = fields.Object()
        dialogue = fields.String()
        seconds = attributes.Number(0)

    def __init__(self, role: str) -> None:
        self.role = role
        self.name = f"tcap.{role}_from_scp.{self.what}"
        self.received = (self.what,)
        self.example = {"type": self.name}

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("sigtran", path)
        given = entry.get("arguments") or {}
        (self.Arguments or _Arguments).check(given, f"{path}.arguments", scope)
        arguments = scope.expected(given, path)
        checks = dialogue_checks(entry, path, scope)
        longest = longest_wait(entry, path, scope)
        name, role = scope.part(SigtranRun).existing(entry.get("dialogue"), path), self.role
        if isinstance(self, ExpectEnd):
            scope.eligibility.allow("sigtran", path, entry)

        def execute(instance: Instance) -> None:
            dialogue = newest(instance, role, name, path)
            seconds = value_for(longest, instance)
            inbound = dialogue.receive(instance, seconds, self.what, self._is_wanted)
            if inbound is None:
                abort(f"expected {self.what}, nothing came within {seconds:g} s")
            if not self._is_wanted(inbound):
                abort(f"expected {self.what}, got {dialogue.describe(inbound)}")
            if instance.is_traced:
                instance.trace(1, f"Received {self.what}")
            instance.entry(True, f"Received {self.what}", None, None)
            for check in checks:
                check(instance, dialogue, inbound)
            dialogue.judge_context(instance)
            tree = _abort_tree(inbound)
            note_received(instance, self.what, tree)
            if instance.is_checked:
                match_arguments(arguments.render(instance.env), tree, instance)

        return execute

    def _is_wanted(self, inbound: Inbound) -> bool:
        return inbound.component is None and inbound.kind in self.kinds


class ExpectAbort(_Expecting):
    """U-ABORT or P-ABORT from the SCP."""

    what = "Abort"
    summary = "expect the SCP to abort the dialogue"
    kinds = (IndicationKind.U_ABORT, IndicationKind.P_ABORT)

    class Arguments(_AbortArguments):
        is_sent = False
        p_abort_cause = fields.String(
            help="name of a P-ABORT's cause: one of Q.773, or abnormalDialogue and"
            " noCommonDialoguePortion, which our own dialogue handling found"
        )


class ExpectEnd(_Expecting):
    """An END without components from the SCP."""

    what = "End"
    summary = "expect the SCP to end the dialogue without a component"
    kinds = (IndicationKind.END,)


def _abort_tree(inbound: Inbound) -> dict[str, Any]:
    """Return the contents of an abort, by the names of the arguments."""
    if inbound.kind is IndicationKind.P_ABORT and inbound.p_abort_cause is not None:
        cause = inbound.p_abort_cause
        named = {"p_abort_cause": p_abort_name(cause)}
        return named if isinstance(cause, LocalCause) else {"p_cause": cause, **named}
    pdu = inbound.pdu
    tree: dict[str, Any] = {}
    if isinstance(pdu, Abrt):
        tree["u_source"] = pdu.source
    if isinstance(pdu, Abrt | Aare) and pdu.user_information:
        octets = _external_octets(pdu.user_information)
        tree["u_info_0_octets"] = octets.decode("latin-1")
        tree["u_info_0_octets_hex"] = octets.hex()
    return tree


def _external_octets(information: bytes) -> bytes:
    """Return the octet-aligned octets of the first EXTERNAL, otherwise all octets."""
    try:
        _, start, stop, _ = ber.read(information, 0, len(information))
        for tag, at, end in ber.walk(information, start, stop):
            if tag == 0x81:
                return information[at:end]
    except RemoteProtocolError:
        pass  # no EXTERNAL: all octets are shown
    return information


for _role in ROLES:
    for _class in (SendAbort, SendEnd, SendReject, ExpectAbort, ExpectEnd):
        declare(_class(_role))
