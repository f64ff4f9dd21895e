"""`smpp.*` types: the tester is the SMSC.

It sends messages to bound ESMEs, which is here, and expects messages from them (`expect`).
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.expr.values import to_text
from tsvc.kinds.smpp import expect
from tsvc.kinds.smpp.arguments import (
    PduName,
    check_parameters,
    check_values,
    object_in,
    parameters_of_command,
    pdu_of,
)
from tsvc.kinds.smpp.fast_path.looked_at import declare_request
from tsvc.kinds.smpp.gateway import SmppGateway
from tsvc.kinds.smpp.node import SubmitAnswer
from tsvc.operations import attributes
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import (
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
from tsvc.protocols.smpp.commands import Command
from tsvc.protocols.smpp.tree import parameters_of, tree_of
from tsvc.results.records import Ends
from tsvc.schema import fields

PDUS: Mapping[str, Command] = MappingProxyType(
    {"deliver_sm": Command.DELIVER_SM, "data_sm": Command.DATA_SM}
)


class SendRequest(OperationType):
    """Send a message and wait for the answer, whose command_status is a value to test."""

    name = "smpp.smsc_to_esme.Request"
    family = OUTBOUND
    received = (*(f"{pdu}_resp" for pdu in PDUS), "generic_nack")
    summary = "send a message to a bound ESME and wait for its answer"
    example: Mapping[str, Any] = {
        "type": name,
        "arguments": {
            "pdu": "deliver_sm",
            "parameters": {
                "source_addr": "6421000001",
                "destination_addr": "777",
                "short_message_text": "balance",
            },
        },
        "tests": [{"kpath": "command_status", "type": "integer", "value": 0}],
    }

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(fields.Object(), help="checks of command_status and parameters")
        malformed = attributes.malformed("the form of an answer")

    class Arguments(ArgumentMembers):
        pdu = PduName(PDUS, required=True)
        system_id = fields.String(help="which ESME; absent: they take turns")
        parameters = fields.Nested(parameters_of_command(Command.DELIVER_SM))

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("smpp", path)
        given, place = entry["arguments"], f"{path}.arguments"
        self.Arguments.check(given, place, scope)
        command = pdu_of(given, PDUS)
        parameters = object_in(given, "parameters")
        before = len(scope.problems)
        check_parameters(command, parameters, f"{place}.parameters", scope, is_expected=False)
        arguments = scope.arguments(given, path)
        if arguments.is_constant and len(scope.problems) == before:
            constant = arguments.constant().get("parameters")
            if isinstance(constant, Mapping):
                check_values(command, constant, f"{place}.parameters", scope)
        declare_request(entry, path, scope, command)
        tests = scope.tests(entry, path)
        pdu_name = command.name.lower()
        malformed = entry["malformed"]
        is_looked_at = scope.looks_at(entry, "command_status")

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(SmppGateway, "smpp")
            rendered = arguments.render(instance.env)
            answer = _ask(instance, gateway, command, rendered)
            instance.note_latency(pdu_name, answer.seconds)
            noun = answer.pdu.name
            instance.entry(True, f"Received {noun}", None, None)
            if instance.is_checked:
                status = answer.pdu.command_status
                if status and not is_looked_at:
                    instance.note_refusal(f"command_status {status:#010x}")
                attributes.judge_form(answer.notes, malformed, "answer", instance)
            if not scope.reads_inbound and (tests is None or not instance.is_checked):
                return
            tree = tree_of(answer.pdu, gateway.default_alphabet)
            note_received(instance, noun, tree)
            if tests is not None and instance.is_checked:
                tests.run(tree, instance.env, instance)

        return execute


def _ask(
    instance: Instance, gateway: SmppGateway, command: Command, rendered: Mapping[str, Any]
) -> SubmitAnswer:
    """Send the message and return its answer. Blocks: until it comes. Errors: GatewayError."""
    name = command.name.lower()
    given = rendered.get("parameters") or {}
    if not isinstance(given, Mapping):
        abort(f"{name}: parameters must be an object")
    system_id = rendered.get("system_id")
    instance.trace(2, name, lambda: given)

    def keep(esme: str, is_sent: bool, octets: bytes, ends: Ends | None) -> None:
        instance.note_message("smpp", esme, is_sent, octets, "", ends)

    tap = keep if instance.keeps_messages else None
    held = expect.inbox_of(instance, gateway)
    if held.inbox.unexpected:
        abort(f"unexpected {held.describe(held.inbox.unexpected[0])}")
    try:
        parameters, tlvs = parameters_of(command, given, gateway.default_alphabet)
        wanted = None if system_id in (None, "") else to_text(system_id)
        answer = gateway.request(command, parameters, tlvs, wanted, tap, held.inbox)
    except LocalProtocolError as error:
        abort(f"{name}: {error}")
    instance.trace(1, answer.pdu.name, lambda: tree_of(answer.pdu, gateway.default_alphabet))
    return answer


for _type in (SendRequest(), expect.Register(), expect.ExpectRequest()):
    declare(_type)
