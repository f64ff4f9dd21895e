"""Turns one TCAP dialogue into steps: the operations of a definition for each message."""

from collections.abc import Sequence
from typing import Any

from tsvc.errors import LocalProtocolError, RemoteProtocolError
from tsvc.kinds.sigtran.recording.arguments import Parameter, spelled
from tsvc.kinds.sigtran.recording.variants import Exchanged, chosen_variant, operation_of, roles_of
from tsvc.protocols import ber, contexts
from tsvc.protocols.inap import errors as inap_errors
from tsvc.protocols.inap import operation as inap
from tsvc.protocols.map import errors as map_errors
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.map.dialogue import PDU, decode_user_information, encode_pdu
from tsvc.protocols.ros import Operation
from tsvc.protocols.tcap.components import (
    Component,
    Invoke,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.protocols.tcap.dialogue_portion import Aare, Aarq, Abrt
from tsvc.protocols.tcap.messages import MessageType
from tsvc.record.recorder import Dialogue, Entry, Step, Wanted

_PROMPTS = frozenset({"PlayAnnouncement", "PromptAndCollectUserInformation"})
_SUBSCRIBERS = ("msisdn_digits", "imsi_digits")
_OCTET_ALIGNED = 0x81


def dialogue_of(
    exchanged: Sequence[Exchanged], client: frozenset[str], server: frozenset[str], wanted: Wanted
) -> Dialogue:
    """Return a dialogue from the tester's side: the one that began, unless another is wanted."""
    return _Writer(exchanged, Dialogue("", client, server), wanted).written()


class _Writer:
    """Writes the steps of one dialogue."""

    def __init__(self, exchanged: Sequence[Exchanged], dialogue: Dialogue, wanted: Wanted) -> None:
        self._exchanged = exchanged
        self._dialogue = dialogue
        pdu = exchanged[0].message.dialogue
        self._context = pdu.application_context if isinstance(pdu, Aarq) else None
        # (was it invoked by the client, invoke id) -> code
        self._invoked: dict[tuple[bool, int], Any] = {}
        self._variant, self._is_decided = chosen_variant(exchanged, self._context)
        self._is_map = self._variant in map_base.VERSIONS
        roles = roles_of(exchanged, self._variant)
        if roles is not None:
            dialogue.client, dialogue.server = (
                dialogue.client | {roles[0]},
                dialogue.server | {roles[1]},
            )
        self._is_client = wanted.is_client(dialogue.client, dialogue.server)
        self._role = "hlr" if self._is_map else self._inap_role()
        self._is_answered = False  # the peer's first message has been handled

    # -- its role ------------------------------------------------------------------------------

    def _inap_role(self) -> str:
        """Return "srf" if the tester sends an operation that only an SRF may send, else "ssp"."""
        for one in self._exchanged:
            for component in one.message.components:
                if isinstance(component, Invoke) and one.is_from_client is self._is_client:
                    operation = operation_of(self._variant, component.code)
                    if operation is not None and "ssp" not in operation.sent_by | inap.SCP:
                        return "srf"
        return "ssp"

    def _alias(self, context: bytes | None) -> str | None:
        return None if context is None else contexts.alias_of(context)

    # -- the dialogue --------------------------------------------------------------------------

    def written(self) -> Dialogue:
        """Return the dialogue with all of its steps."""
        dialogue = self._dialogue
        dialogue.naming, dialogue.role = "dialogue", self._role.upper()
        if self._is_client:
            parameter = "hlr_ac" if self._is_map else "ssp_ac"
            dialogue.params[parameter] = self._alias(self._context)
            dialogue.own["tcap_ac"] = self._alias(self._context)
        elif not self._is_map:
            dialogue.problems.append("the tester can't wait for a dialogue of INAP or CAP")
        for one in self._exchanged:
            self._write(one)
        if self._is_map:
            sent = [step for step in dialogue.steps if step.is_sent and step.operations]
            dialogue.is_named = len(sent) > 1
        first = next((step.text for step in dialogue.steps), "")
        protocol = "MAP" if self._is_map else "CAP" if self._variant in inap.CAP else "INAP"
        named = self._alias(self._context) or f"{self._variant}, no application context"
        dialogue.title = f"{protocol} ({named}) {first.partition(' ')[2]}".strip()
        if not self._is_client and self._is_map:
            self._register()
            if not self._is_decided:
                self._name_variant()
        return dialogue

    def _name_variant(self) -> None:
        """Set the variant of each operation, because the BEGIN that comes does not show it."""
        for step in self._dialogue.steps:
            for entry in step.operations:
                if entry["type"].startswith("map."):
                    entry["variant"] = self._variant

    def _write(self, one: Exchanged) -> None:
        message, is_sent = one.message, one.is_from_client is self._is_client
        step = Step(one.unit.packet, one.unit.time, is_sent, "")
        self._dialogue.steps.append(step)
        names = []
        for component in message.components:
            name, entry = self._component(component, one)
            names.append(name)
            if entry is not None:
                step.operations.append(entry)
        primitive = message.type.name
        step.text = f"{primitive} {', '.join(names)}".strip()
        if is_sent:
            self._finish_sent(one, step)
        else:
            self._finish_received(one, step)

    def _problem(self, one: Exchanged, text: str) -> None:
        self._dialogue.problems.append(f"packet {one.unit.packet}: {text}")

    def _finish_sent(self, one: Exchanged, step: Step) -> None:
        message, entries = one.message, step.operations
        is_first = one is self._exchanged[0]
        for entry in entries[:-1]:
            entry["send_with_next"] = 1
        if message.type is MessageType.ABORT:
            step.operations = [self._abort(one)]
        elif message.type is MessageType.END:
            if entries:
                entries[-1]["send_and_close"] = 1
            else:
                step.operations = [{"type": f"tcap.{self._role}_to_scp.End"}]
        elif not message.components and not self._accepts_by_itself(one):
            self._problem(one, f"a {message.type.name} of ours without components is not sent")
        if is_first and entries:
            if not self._is_decided or self._is_odd_variant():
                entries[0]["variant"] = self._variant
            if not self._is_map and len([one for one in entries if self._begins(one)]) > 1:
                self._problem(one, "two operations of one BEGIN would open a dialogue each")
        self._carry_information(one, step)

    def _is_odd_variant(self) -> bool:
        """Return True if the tester would choose another variant for a dialogue by itself."""
        return self._context is None and self._variant != inap.DEFAULT_VARIANT

    def _begins(self, entry: Entry) -> bool:
        operation = inap.OPERATIONS.get(entry["type"].rpartition(".")[2])
        return operation is not None and operation.can_begin

    def _accepts_by_itself(self, one: Exchanged) -> bool:
        """Return True if the tester answers a BEGIN without components with this message."""
        return not self._is_client and self._is_map and self._exchanged.index(one) == 1

    def _carry_information(self, one: Exchanged, step: Step) -> None:
        """Add the user information that the tester sends to the operation that sends it."""
        pdu = one.message.dialogue
        if pdu is None or not pdu.user_information or isinstance(pdu, Abrt):
            return
        found = decode_user_information(pdu.user_information) or {}
        given = spelled(PDU, found, is_expected=False)
        wanted = "map_open" if isinstance(pdu, Aarq) else "map_accept"
        try:
            is_same = encode_pdu(given) == pdu.user_information and set(given) == {wanted}
        except LocalProtocolError:
            is_same = False
        if not (is_same and self._is_map and step.operations):
            if not self._accepts_by_itself(one):
                self._problem(one, "the user information of our dialogue portion is not sent")
            return
        entry = step.operations[0]
        entry["arguments"] = {**entry.get("arguments", {}), "tcap": given}

    def _finish_received(self, one: Exchanged, step: Step) -> None:
        message, entries = one.message, step.operations
        if message.type is MessageType.ABORT:
            step.operations = entries = [self._expected_abort(one)]
        elif message.type is MessageType.END and not message.components:
            step.operations = entries = [{"type": f"tcap.{self._role}_from_scp.End"}]
        elif entries:
            entries[-1]["last_component"] = int(message.type is MessageType.END)
        if entries and not self._is_answered and message.type is not MessageType.ABORT:
            self._is_answered = True
            self._expect_context(one, entries[0])
        pdu = message.dialogue
        if self._is_map and entries and pdu is not None and not isinstance(pdu, Abrt):
            found = decode_user_information(pdu.user_information) or {}
            name = "map_open" if isinstance(pdu, Aarq) else "map_accept"
            if name in found and message.components:
                given = spelled(PDU, found, is_expected=True)
                first = entries[0]
                first["arguments"] = {**first.get("arguments", {}), "tcap": given}

    def _expect_context(self, one: Exchanged, entry: Entry) -> None:
        """Add the expected application context to the first expected message."""
        if self._context is None:
            return
        back = next(
            (their for their in self._exchanged if their.is_from_client is not self._is_client),
            one,
        )
        pdu = back.message.dialogue
        context = pdu.application_context if isinstance(pdu, Aarq | Aare) else None
        entry["tcap_ac"] = self._alias(context)

    # -- aborts --------------------------------------------------------------------------------

    def _abort(self, one: Exchanged) -> Entry:
        """Return the operation that aborts as in the capture."""
        message = one.message
        entry: Entry = {"type": f"tcap.{self._role}_to_scp.Abort"}
        pdu = message.dialogue
        if message.p_abort_cause is not None:
            entry["arguments"] = {"p_cause": message.p_abort_cause}
        elif isinstance(pdu, Abrt):
            entry["arguments"] = {"u_source": pdu.source}
            octets = _only_octets(pdu.user_information)
            if octets:
                entry["arguments"]["u_info_0_octets_hex"] = octets.hex()
            if pdu.user_information not in (b"", _external(octets)):
                self._problem(one, "the user information of our abort is sent in another form")
        elif isinstance(pdu, Aare):
            self._problem(one, "we refused the dialogue: it is aborted instead")
        return entry

    def _expected_abort(self, one: Exchanged) -> Entry:
        message = one.message
        entry: Entry = {"type": f"tcap.{self._role}_from_scp.Abort"}
        pdu = message.dialogue
        arguments: dict[str, Any] = {}
        if message.p_abort_cause is not None:
            arguments["p_cause"] = message.p_abort_cause
        if isinstance(pdu, Abrt):
            arguments["u_source"] = pdu.source
        if isinstance(pdu, Abrt | Aare) and pdu.user_information:
            octets = _only_octets(pdu.user_information) or pdu.user_information
            arguments["u_info_0_octets_hex"] = octets.hex()
        if arguments:
            entry["arguments"] = arguments
        if isinstance(pdu, Aare):
            side = "user" if pdu.diagnostic_source == 1 else "provider"
            entry["tcap_ac"] = self._alias(pdu.application_context)
            entry["tcap_result"] = pdu.result
            entry[f"tcap_result_diagnostic_{side}"] = pdu.diagnostic
        return entry

    # -- components ----------------------------------------------------------------------------

    def _component(self, component: Component, one: Exchanged) -> tuple[str, Entry | None]:
        """Return a text that describes a component, and its operation if it has one."""
        match component:
            case Invoke():
                return self._invoke(component, one)
            case ReturnResult():
                return self._result(component, one)
            case ReturnError():
                return self._error(component, one)
            case Reject():
                return self._reject(component, one)
        self._problem(one, "a component can't be read")
        return "malformed component", None

    def _is_sent(self, one: Exchanged) -> bool:
        return one.is_from_client is self._is_client

    def _type(self, operation: Operation, one: Exchanged, form: str = "") -> str:
        protocol = "map" if self._is_map else "inap"
        way = "to" if self._is_sent(one) else "from"
        return f"{protocol}.{self._role}_{way}_scp.{operation.name}{form}"

    def _invoke(self, invoke: Invoke, one: Exchanged) -> tuple[str, Entry | None]:
        self._invoked[one.is_from_client, invoke.invoke_id] = invoke.code
        operation = operation_of(self._variant, invoke.code)
        if operation is None:
            name = f"operation {invoke.code}"
            self._problem(one, f"{name} is not known in {self._variant}")
            return name, None
        sender = self._role if self._is_sent(one) else "scp"
        if not self._is_map and sender not in operation.sent_by:
            self._problem(one, f"{operation.name} is nothing that {sender} sends")
            return operation.name, None
        entry: Entry = {"type": self._type(operation, one)}
        parameter = Parameter(operation, self._variant, is_result=False)
        self._fill(entry, parameter, invoke.parameter, one)
        is_linked = bool(_PROMPTS.intersection(operation.linked_to))
        if self._is_sent(one) and invoke.linked_id is not None and not is_linked:
            entry["linked_id"] = invoke.linked_id
        return operation.name, entry

    def _result(self, result: ReturnResult, one: Exchanged) -> tuple[str, Entry | None]:
        operation = self._answered(result.invoke_id, one)
        if operation is None:
            return "result", None
        if not result.is_last:
            self._problem(one, f"a result of {operation.name} that is not the last")
        entry = {"type": self._type(operation, one, "Result")}
        parameter = Parameter(operation, self._variant, is_result=True)
        self._fill(entry, parameter, result.parameter, one)
        return f"{operation.name}Result", entry

    def _answered(self, invoke_id: int, one: Exchanged) -> Operation | None:
        """Return the operation that a component answers; an unknown invocation is a problem."""
        code = self._invoked.get((not one.is_from_client, invoke_id))
        operation = operation_of(self._variant, code)
        if operation is None:
            self._problem(one, f"an answer to invocation {invoke_id}, which is not known")
        return operation

    def _fill(
        self, entry: Entry, parameter: Parameter, octets: bytes | None, one: Exchanged
    ) -> None:
        """Add the contents of a parameter to an operation."""
        if not self._is_sent(one):
            found, problems = parameter.expected(octets)
            entry |= found
            for text in problems:
                self._problem(one, text)
            return
        try:
            entry |= parameter.to_send(octets)
        except LocalProtocolError as error:
            self._problem(one, str(error))

    def _error(self, error: ReturnError, one: Exchanged) -> tuple[str, Entry | None]:
        operation = self._answered(error.invoke_id, one)
        if operation is None or not isinstance(error.code, int):
            return "error", None
        names = map_errors.ERROR_NAMES if self._is_map else inap_errors.ERROR_NAMES
        name = names.get(error.code)
        arguments: dict[str, Any] = {"errorCode": error.code if name is None else name}
        if error.parameter:
            arguments["parameter_hex"] = error.parameter.hex()
        entry = {"type": self._type(operation, one, "Error"), "arguments": arguments}
        return f"{operation.name}Error", entry

    def _reject(self, reject: Reject, one: Exchanged) -> tuple[str, Entry | None]:
        if not self._is_sent(one):
            self._problem(one, "a Reject of the peer can't be expected")
            return "Reject", None
        arguments: dict[str, Any] = {
            "problem_type": reject.problem_type.name.lower(),
            "problem": reject.problem,
        }
        return "Reject", {"type": f"tcap.{self._role}_to_scp.Reject", "arguments": arguments}

    # -- dialogues that the peer begins ----------------------------------------------------------

    def _register(self) -> None:
        """Add a Register for the peer's dialogue, by operation and subscriber."""
        begin = self._exchanged[0]
        invokes = [one for one in begin.message.components if isinstance(one, Invoke)]
        later = [
            component
            for one in self._exchanged
            if one.is_from_client
            for component in one.message.components
            if isinstance(component, Invoke)
        ]
        if not later:
            self._problem(begin, "nothing is asked in the dialogue: nothing can wait for it")
            return
        invoke = (invokes or later)[0]
        operation = operation_of(self._variant, invoke.code)
        if operation is None:
            return
        arguments: dict[str, Any] = {"opcode": operation.name}
        if invokes:
            tree = Parameter(operation, self._variant, is_result=False).tree(invoke.parameter)
            arguments |= dict(list(_subscribers(tree).items())[:1])
        entry: Entry = {"type": "map.hlr_from_scp.Register", "arguments": arguments}
        is_odd = isinstance(operation, map_base.MapOperation) and operation.context_problem(
            self._context
        )
        if is_odd and self._context is not None:
            entry["tcap_ac"] = self._alias(self._context)
        self._dialogue.before.append(entry)


def _subscribers(tree: Any) -> dict[str, str]:
    """Return the numbers of a subscriber in an argument, by the members of Register."""
    found: dict[str, str] = {}
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key in _SUBSCRIBERS and isinstance(value, str):
                found.setdefault(key, value)
            for name, digits in _subscribers(value).items():
                found.setdefault(name, digits)
    return found


def _only_octets(information: bytes) -> bytes:
    """Return the octet-aligned octets of the first EXTERNAL; b"" if it has none."""
    try:
        _, start, stop, _ = ber.read(information, 0, len(information))
        for tag, at, end in ber.walk(information, start, stop):
            if tag == _OCTET_ALIGNED:
                return information[at:end]
    except RemoteProtocolError:
        pass  # no EXTERNAL
    return b""


def _external(octets: bytes) -> bytes:
    return ber.tlv(b"\x28", ber.tlv(b"\x81", octets))
