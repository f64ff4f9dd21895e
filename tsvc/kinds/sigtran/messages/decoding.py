"""Decodes recorded TCAP messages for people: dicts that can be written as JSON.

The contents of messages never raise an error here: unreadable octets are shown as such. A
dialogue's variant follows the application context of its BEGIN. Results, errors, rejects and
linked operations are named after the invocation that they belong to.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Any

from tsvc.errors import RemoteProtocolError
from tsvc.kinds.sigtran.messages.spans import spans
from tsvc.protocols import contexts
from tsvc.protocols.asn1 import Notes, Structure
from tsvc.protocols.inap import errors
from tsvc.protocols.inap.operation import DEFAULT_VARIANT, by_code
from tsvc.protocols.map import errors as map_errors
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.dialogue import decode_user_information
from tsvc.protocols.ros import Operation
from tsvc.protocols.sccp.address import Address
from tsvc.protocols.tcap.components import (
    PROBLEMS,
    Code,
    Component,
    Invoke,
    Malformed,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt, DialoguePdu
from tsvc.protocols.tcap.messages import P_ABORT_NAMES, Message, MessageType, decode
from tsvc.results.exchanges import spans_json
from tsvc.results.json_values import json_value
from tsvc.results.records import MessageRecord
from tsvc.values import dataclass

Decoded = dict[str, Any]

_LONGEST_CONTEXT = 64  # octets of an application context that are shown as a dotted name

_PRIMITIVES = {
    MessageType.UNIDIRECTIONAL: "UNI",
    MessageType.BEGIN: "BEGIN",
    MessageType.CONTINUE: "CONTINUE",
    MessageType.END: "END",
}
_RESULTS = {0: "accepted", 1: "reject-permanent"}
# (source, diagnostic) -> name: 1 = dialogue service user, 2 = dialogue service provider
_DIAGNOSTICS = {
    (1, 0): "null",
    (1, 1): "no-reason-given",
    (1, 2): "application-context-name-not-supported",
    (2, 0): "null",
    (2, 1): "no-reason-given",
    (2, 2): "no-common-dialogue-portion",
}
_SOURCES = {0: "dialogue-service-user", 1: "dialogue-service-provider"}


@dataclass(slots=True)
class _Dialogue:
    """State that later messages of a dialogue need from earlier ones."""

    variant: str | None  # None: its operations are not INAP, CAP or a MAP that is known
    # (was it sent, invoke id) -> code
    invoked: dict[tuple[bool, int], Code] = field(default_factory=dict)

    def operation(self, code: Code | None) -> Operation | None:
        if self.variant is None or not isinstance(code, int):
            return None
        if self.is_map:
            return map_base.by_code(self.variant, code)
        return by_code(self.variant, code)

    @property
    def is_map(self) -> bool:
        return self.variant in map_base.VERSIONS

    def parameter_of(self, component: str, code: Code | None) -> Structure | None:
        """Return the type of a component's parameter, None where none is known."""
        operation = self.operation(code)
        if operation is None or self.variant is None:
            return None
        if component == "invoke":
            return operation.argument_in(self.variant)
        return operation.result_in(self.variant) if component == "result" else None

    def error(self, code: int, parameter: bytes | None) -> Decoded:
        decode_error = map_errors.decode_error if self.is_map else errors.decode_error
        return decode_error(code, parameter)


class DialogueReader:
    """Decodes the messages of an instance, in recorded order: later ones need the earlier ones."""

    def __init__(
        self, default_variant: str = DEFAULT_VARIANT, *, with_spans: bool = False
    ) -> None:
        self._default_variant = default_variant
        self._with_spans = with_spans
        self._dialogues: dict[str, _Dialogue] = {}

    def __call__(self, record: MessageRecord) -> Decoded:
        """Return the dict of a message.

        Shape:   protocol "tcap", t (seconds), dialogue, role, direction, called, calling,
                 primitive, otid, dtid (hex), application_context (alias), dialogue_pdu,
                 p_abort_cause, components [{component, operation, code, invoke_id, linked_id,
                 linked_operation, arguments, notes}], notes, hex, and spans if asked for. An
                 unreadable message has `problem` and `hex` in place of all that follows `calling`.
        Errors:  none, whatever the octets.
        """
        decoded: Decoded = {
            "protocol": record.protocol,
            "t": round(record.t, 6),
            "dialogue": record.dialogue,
            "role": record.role,
            "direction": "sent" if record.is_sent else "received",
            "called": _address(record.called),
            "calling": _address(record.calling),
        }
        try:
            message = decode(record.octets)
        except RemoteProtocolError as error:
            return {**decoded, "problem": str(error), "hex": record.octets.hex()}
        dialogue = self._dialogues.get(record.dialogue)
        if dialogue is None or message.type is MessageType.BEGIN:
            variant = record.variant or _variant(message.dialogue, self._default_variant)
            dialogue = self._dialogues[record.dialogue] = _Dialogue(variant)
        decoded |= _transaction_portion(message)
        reader = _Reader(dialogue, record.is_sent)
        decoded["components"] = [json_value(reader.component(item)) for item in message.components]
        decoded["notes"] = [message.dialogue_problem] if message.dialogue_problem else []
        decoded["hex"] = record.octets.hex()
        if self._with_spans:
            kinds = [(item["component"], item["code"]) for item in decoded["components"]]
            decoded["spans"] = spans_json(
                spans(record.octets, lambda number: dialogue.parameter_of(*kinds[number]))
            )
        return decoded


def _address(address: Address | None) -> Decoded | None:
    """Return the members that an address has."""
    if address is None:
        return None
    parts: Decoded = {"ri": int(address.ri), "pc": address.pc, "ssn": address.ssn}
    gt = address.gt
    if gt is not None:
        parts |= {"gt_digits": gt.digits, "gt_tt": gt.tt, "gt_np": gt.np, "gt_noa": gt.noa}
    return {name: value for name, value in parts.items() if value is not None}


def _variant(pdu: DialoguePdu | None, default_variant: str) -> str | None:
    context = pdu.application_context if isinstance(pdu, Aarq) else None
    if context is not None and map_base.is_map_context(context):
        return map_base.variant_of(context)
    known = None if context is None else contexts.BY_OCTETS.get(context)
    return default_variant if known is None else known.variant


# -- the transaction and dialogue portions ------------------------------------------------------


def _transaction_portion(message: Message) -> Decoded:
    cause = message.p_abort_cause
    usual = "U-ABORT" if cause is None else "P-ABORT"
    pdu = message.dialogue
    context = pdu.application_context if isinstance(pdu, Aarq | Aare) else None
    return {
        "primitive": _PRIMITIVES.get(message.type, usual),
        "otid": None if message.otid is None else message.otid.hex(),
        "dtid": None if message.dtid is None else message.dtid.hex(),
        "application_context": None if context is None else _alias(context),
        "dialogue_pdu": None if pdu is None else json_value(_dialogue_pdu(pdu)),
        "p_abort_cause": None if cause is None else P_ABORT_NAMES.get(cause, hex(cause)),
    }


def _alias(context: bytes) -> str:
    return contexts.alias_of(context) if len(context) <= _LONGEST_CONTEXT else context.hex()


def _dialogue_pdu(pdu: DialoguePdu) -> Decoded:
    tree: Decoded
    match pdu:
        case Aarq(context):
            name = "AUDT" if pdu.is_unidirectional else "AARQ"
            tree = {"pdu": name, "application_context": _alias(context)}
        case Aare(context, result, source, diagnostic):
            tree = {
                "pdu": "AARE",
                "application_context": _alias(context),
                "result": result,
                "result_name": _RESULTS.get(result),
                "diagnostic_source": source,
                "diagnostic": diagnostic,
                "diagnostic_name": _DIAGNOSTICS.get((source, diagnostic)),
            }
        case Abrt(source):
            tree = {"pdu": "ABRT", "source": source, "source_name": _SOURCES.get(source)}
    if pdu.user_information:
        tree["user_information_hex"] = pdu.user_information.hex()
        tree |= decode_user_information(pdu.user_information) or {}
    return {key: value for key, value in tree.items() if value is not None}


# -- components ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reader:
    """Reads the components of one message of a dialogue."""

    dialogue: _Dialogue
    is_sent: bool

    def component(self, component: Component) -> Decoded:
        match component:
            case Invoke():
                return self._invoke(component)
            case ReturnResult():
                return self._result(component)
            case ReturnError():
                return self._error(component)
            case Reject():
                return self._reject(component)
            case Malformed(invoke_id, problem_type, problem, octets):
                text = Reject(invoke_id, problem_type, problem).text
                found = {"octets_hex": octets.hex()}
                return self._tree("malformed", None, invoke_id, found, [text])
            case _:  # a LocalCancel is never in a message
                return self._tree("cancel", component.code, component.invoke_id, {}, [])

    def _invoke(self, invoke: Invoke) -> Decoded:
        operation = self.dialogue.operation(invoke.code)
        decoder = operation.decode_argument if operation else None
        arguments, notes = self._parameter(decoder, invoke.parameter)
        self.dialogue.invoked[self.is_sent, invoke.invoke_id] = invoke.code
        tree = self._tree("invoke", invoke.code, invoke.invoke_id, arguments, notes)
        if invoke.linked_id is not None:
            linked = self.dialogue.operation(self._invoked(invoke.linked_id))
            tree["linked_id"] = invoke.linked_id
            tree["linked_operation"] = linked.name if linked else None
        return tree

    def _result(self, result: ReturnResult) -> Decoded:
        invoked = self._invoked(result.invoke_id)
        code = invoked if result.code is None else result.code
        operation = self.dialogue.operation(code)
        decoder = operation.decode_result if operation else None
        arguments, notes = self._parameter(decoder, result.parameter)
        if invoked is None:
            notes.append(f"nothing was invoked with id {_number(result.invoke_id)}")
        elif invoked != code:
            notes.append(f"the operation invoked has code {_number(invoked)}")
        tree = self._tree("result", code, result.invoke_id, arguments, notes)
        tree["is_last"] = result.is_last
        return tree

    def _error(self, error: ReturnError) -> Decoded:
        if isinstance(error.code, int):
            arguments = self.dialogue.error(error.code, error.parameter)
        else:
            arguments = {"errorCode": error.code, **_opaque(error.parameter)}
        invoked = self._invoked(error.invoke_id)
        notes = []
        if invoked is None:
            notes.append(f"nothing was invoked with id {_number(error.invoke_id)}")
        return self._tree("error", invoked, error.invoke_id, arguments, notes)

    def _reject(self, reject: Reject) -> Decoded:
        arguments: Decoded = {
            "problem_type": reject.problem_type.name.lower(),
            "problem": reject.problem,
        }
        name = PROBLEMS[reject.problem_type].get(reject.problem)
        if name is not None:
            arguments["problem_name"] = name
        code = None
        if reject.invoke_id is not None:
            # The side that rejects an answer invoked the operation; otherwise the other side did.
            answers = (ProblemType.RETURN_RESULT, ProblemType.RETURN_ERROR)
            is_own = reject.problem_type in answers
            code = self.dialogue.invoked.get((self.is_sent is is_own, reject.invoke_id))
        return self._tree("reject", code, reject.invoke_id, arguments, [])

    def _invoked(self, invoke_id: int) -> Code | None:
        """Return the code of the other side's invocation with an id."""
        return self.dialogue.invoked.get((not self.is_sent, invoke_id))

    def _tree(
        self,
        kind: str,
        code: Code | None,
        invoke_id: int | None,
        arguments: Decoded,
        notes: list[str],
    ) -> Decoded:
        operation = self.dialogue.operation(code)
        return {
            "component": kind,
            "operation": operation.name if operation else None,
            "code": code,
            "invoke_id": invoke_id,
            "linked_id": None,
            "arguments": arguments,
            "notes": notes,
        }

    def _parameter(
        self, decoder: Callable[[bytes | None, str, Notes], Decoded] | None, octets: bytes | None
    ) -> tuple[Decoded, list[str]]:
        if decoder is None or self.dialogue.variant is None:
            return _opaque(octets), []
        notes: Notes = []
        try:
            tree = decoder(octets, self.dialogue.variant, notes)
        except ValueError as error:
            # Python raises ValueError for integers of more than 4300 digits, which a note would
            # print.
            return _opaque(octets), [str(error)]
        return tree, [str(note) for note in notes]


def _opaque(parameter: bytes | None) -> Decoded:
    return {"parameter_hex": parameter.hex()} if parameter else {}


def _number(value: Code) -> str:
    return value if isinstance(value, str) else str(json_value(value))
