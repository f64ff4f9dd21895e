"""`smpp.smsc_from_esme.Register` and `.Request`: messages that ESMEs submit."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.expr.values import to_text
from tsvc.kinds.smpp.arguments import (
    PduName,
    SubmitResponse,
    check_parameters,
    check_values,
    object_in,
    parameters_of_command,
    pdu_of,
)
from tsvc.kinds.smpp.fast_path.looked_at import declare_expected, declare_register
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.kinds.smpp.inbox import Inbound, Lost
from tsvc.matching.arguments import match_arguments
from tsvc.operations import attributes
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.context import Session
from tsvc.operations.operation import (
    INBOUND,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
    note_received,
)
from tsvc.protocols.smpp.commands import RESPONSE, Command, Status, is_response
from tsvc.protocols.smpp.pdus import Pdu
from tsvc.protocols.smpp.tree import parameters_of, status_of, tree_of
from tsvc.schema import fields
from tsvc.schema.style import float_of
from tsvc.words import quoted

PDUS: Mapping[str, Command] = MappingProxyType(
    {"submit_sm": Command.SUBMIT_SM, "data_sm": Command.DATA_SM}
)
_LONGEST_S = 1e7


class SmscInbox(Session[Inbound | Pdu]):
    """The addresses of an instance until its end, and the messages that were not yet taken.

    It also receives second answers to the instance's own requests.
    """

    role = "smsc"
    name = "SMSC"

    def __init__(self, gateway: SmppGateway) -> None:
        self.gateway = gateway
        self.inbox = gateway.new_inbox()
        # A message that an operation has taken and not yet answered.
        self.taken: Inbound | None = None
        self._untaken: list[Inbound] = []

    @property
    def is_open(self) -> bool:
        """True if it owns addresses."""
        return bool(self.inbox.addresses)

    @property
    def may_hear(self) -> bool:
        """True if a message or a second answer may come."""
        return self.is_open or self.inbox.has_asked

    def leftovers(self) -> list[Inbound | Pdu]:
        """Return the messages that came and that no operation took."""
        self._untaken += self.inbox.take_all()
        return [*self._untaken, *self.inbox.unexpected]

    def describe(self, message: Inbound | Pdu) -> str:
        """Return a text that describes a message."""
        if isinstance(message, Pdu):
            which = "second" if is_response(message.command_id) else "another"
            return f"{which} {message.name} with sequence_number {message.sequence_number}"
        to = str(message.pdu.parameters["destination_addr"])
        return f"{message.pdu.name} to {to} from ESME {message.system_id}"

    def close(self) -> None:
        """Give up the addresses, and refuse the messages that were not taken or not answered."""
        self.gateway.unregister(self.inbox)
        self.inbox.close()
        self.leftovers()
        unanswered = [*([self.taken] if self.taken else []), *self._untaken]
        self.taken, self._untaken = None, []
        for message in unanswered:
            message.respond(Status.ESME_RSYSERR, {}, ())

    def abort(self) -> None:
        """Close as in close(); the run was cancelled."""
        self.close()


def _inbox_of(instance: Instance, gateway: SmppGateway) -> SmscInbox | None:
    for one in instance.dialogues:
        if isinstance(one, SmscInbox) and one.gateway is gateway:
            return one
    return None


def inbox_of(instance: Instance, gateway: SmppGateway) -> SmscInbox:
    """Return the inbox of an instance at a gateway; it is created when it is first needed."""
    held = _inbox_of(instance, gateway)
    if held is None:
        held = SmscInbox(gateway)
        instance.dialogues.append(held)
    return held


class Register(OperationType):
    """Own the messages that ESMEs submit for an address, until the end of the instance."""

    name = "smpp.smsc_from_esme.Register"
    aliases = ("smpp.smsc_to_esme.Register",)
    family = INBOUND
    received = ()
    summary = "own the messages that ESMEs will submit for an address"
    example: Mapping[str, Any] = {
        "type": name,
        "arguments": {"pdu": "submit_sm", "destination_addr": "777"},
    }

    class Attributes(Entry):
        arguments = fields.Object(required=True)

    class Arguments(ArgumentMembers):
        pdu = PduName(PDUS, required=True)
        destination_addr = fields.String(required=True)

        def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
            super().check_declared(given, path, scope)
            if given.get("destination_addr") == "":
                scope.refuse(f"{path}.destination_addr", self.style.missing)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("smpp", path)
        self.Arguments.check(entry["arguments"], f"{path}.arguments", scope)
        declare_register(entry, path, scope)
        arguments = scope.arguments(entry["arguments"], path)

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(SmppGateway, "smpp")
            address = to_text(arguments.render(instance.env)["destination_addr"])
            held = inbox_of(instance, gateway)
            try:
                gateway.register(address, held.inbox)
            except LocalProtocolError as error:
                abort(f"Register: {error}")

        return execute


class ExpectRequest(OperationType):
    """Take the next message for the instance's addresses, compare it, answer it."""

    name = "smpp.smsc_from_esme.Request"
    family = INBOUND
    received = tuple(PDUS)
    summary = "expect a message that an ESME submits, and answer it"
    example: Mapping[str, Any] = {
        "type": name,
        "arguments": {
            "pdu": "submit_sm",
            "seconds": 10,
            "parameters": {"destination_addr": "777", "short_message_text": "hello"},
            "response": {"command_status": 0, "fields": {"message_id": "17"}},
        },
        "tests": [{"kpath": "parameters.sm_length", "type": "integer", "value": 5}],
    }

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(fields.Object(), help="checks of parameters")
        malformed = attributes.malformed("the form of a message")

    class Arguments(ArgumentMembers):
        pdu = PduName(PDUS, required=True)
        seconds = fields.Number(
            0,
            _LONGEST_S,
            unit="s",
            help="longest wait; default scp.tcap_timeout, else engine.tcap_timeout_s",
        )
        parameters = fields.Nested(
            parameters_of_command(Command.SUBMIT_SM, is_expected=True), help="expected"
        )
        response = fields.Nested(SubmitResponse, help="absent: ESME_ROK, a new message_id")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("smpp", path)
        given, place = entry["arguments"], f"{path}.arguments"
        self.Arguments.check(given, place, scope)
        command = pdu_of(given, PDUS)
        expected = object_in(given, "parameters")
        check_parameters(command, expected, f"{place}.parameters", scope, is_expected=True)
        _check_answered(command, given, f"{place}.response.fields", scope)
        # Rendered separately: the other arguments may refer to the received message.
        wait = scope.template(given.get("seconds"), f"{place}.seconds")
        response = scope.template_to_send(given.get("response"), f"{place}.response")
        apart = ("seconds", "response")
        rest = {name: value for name, value in given.items() if name not in apart}
        arguments = scope.expected(rest, path)
        declare_expected(entry, path, scope, command)
        tests = scope.tests(entry, path)
        default_s = _default_seconds(scope) if given.get("seconds") is None else None
        is_compared = bool(given.get("parameters")) or tests is not None
        noun = command.name.lower()
        malformed = entry["malformed"]

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(SmppGateway, "smpp")
            env = instance.env
            held = _held(instance, gateway, noun)
            seconds = _seconds(wait.render(env)) if default_s is None else default_s
            message = _receive(instance, held, noun, seconds)
            tree = tree_of(message.pdu, gateway.default_alphabet)
            note_received(instance, noun, tree)
            rendered = arguments.render(env)
            _answer(instance, held, message, response.render(instance.env))
            instance.entry(True, f"Received {noun}", None, None)
            if not instance.is_checked:
                return
            attributes.judge_form(message.notes, malformed, "message", instance)
            if not is_compared:
                return
            wanted = rendered.get("parameters")
            if wanted:
                match_arguments({"parameters": wanted}, tree, instance)
            if tests is not None:
                tests.run(tree, env, instance)

        return execute


def _check_answered(command: Command, given: Mapping[str, Any], place: str, scope: Scope) -> None:
    answered = object_in(object_in(given, "response"), "fields")
    command_id = command | RESPONSE
    check_parameters(command_id, answered, place, scope, is_expected=False)
    before = len(scope.problems)
    template = scope.template(dict(answered), place)
    if template.is_constant and len(scope.problems) == before:
        check_values(command_id, scope.constant(template), place, scope)


def _default_seconds(scope: Scope) -> float:
    given = (scope.params.get("scp") or {}).get("tcap_timeout")
    return scope.config.engine.tcap_timeout_s if given is None else float(given)


def _seconds(given: object) -> float:
    seconds = float_of(given)
    # Written so that NaN is refused too.
    if seconds is None or not 0 <= seconds <= _LONGEST_S:
        words = "undef" if given is None else quoted(given)
        abort(f"seconds: {words} is no number of seconds from 0 to {_LONGEST_S:g}")
    return seconds


def _held(instance: Instance, gateway: SmppGateway, noun: str) -> SmscInbox:
    held = _inbox_of(instance, gateway)
    if held is None or not held.is_open:
        abort(f"expected {noun}, but no Register came before")
    return held


def _receive(instance: Instance, held: SmscInbox, noun: str, seconds: float) -> Inbound:
    """Return the next message if it is of the wanted kind. Blocks: up to `seconds`."""
    gateway = held.gateway
    started = instance.clock.now()
    message = held.inbox.get(seconds)
    if message is None:
        abort(f"expected {noun}, nothing came within {seconds:g} s")
    if isinstance(message, Lost):
        abort(f"expected {noun}, but {message.reason}")
    held.taken = message
    instance.note_latency(noun, instance.clock.now() - started)
    if instance.keeps_messages:
        instance.note_message("smpp", message.system_id, False, message.octets, "", message.ends)
    instance.trace(1, message.pdu.name, lambda: tree_of(message.pdu, gateway.default_alphabet))
    if message.pdu.name != noun:
        abort(f"expected {noun}, got {held.describe(message)}")
    return message


def _answer(instance: Instance, held: SmscInbox, message: Inbound, given: Any) -> None:
    """Send the response. A positive response without `fields` has a new message_id."""
    given = given or {}
    gateway = held.gateway
    name = f"{message.pdu.name}_resp"
    try:
        if not isinstance(given, Mapping):
            raise LocalProtocolError("must be an object", path="response")
        raw = given.get("command_status")
        status = 0 if raw is None else status_of(raw)
        answered = given.get("fields")
        if answered is None:
            answered = {} if status else {"message_id": gateway.new_message_id()}
        if not isinstance(answered, Mapping):
            raise LocalProtocolError("must be an object", path="response.fields")
        parameters, tlvs = parameters_of(
            message.pdu.command_id | RESPONSE, answered, gateway.default_alphabet
        )
        octets = message.respond(status, parameters, tlvs)
    except LocalProtocolError as error:
        abort(f"{name}: {error}")
    held.taken = None
    if not octets:
        abort(f"{name}: ESME {message.system_id} is gone")
    instance.trace(2, name, lambda: {"command_status": status, "fields": answered})
    if instance.keeps_messages:
        instance.note_message("smpp", message.system_id, True, octets, "", message.ends)
