"""`ocncc.pi.Request`: a command to a Provisioning Interface, and checks of its answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from marshmallow import ValidationError

from tsvc.expr.values import to_text
from tsvc.kinds.pi.gateway import PiGateway, PiUser
from tsvc.matching.arguments import match_arguments
from tsvc.operations import attributes
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.context import Session
from tsvc.operations.operation import (
    OUTBOUND,
    CompiledArguments,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
    declare,
    note_received,
    tap_of,
)
from tsvc.protocols.pi.codec import RESERVED, Reply, Status
from tsvc.schema import fields
from tsvc.words import quoted

NOUN = "PI"  # name of an answer in $i and __INBOUND
_EXPECTED = ("status", "info")
_SENT = ("command", "parameters")
_STATUSES = ("ACK", "NACK")


class _Status(fields.String):
    """A status. A literal must be ACK or NACK; other values are compared as given."""

    def read(self, value: Any) -> Any:
        is_literal = isinstance(value, str) and not value.startswith("{")
        if is_literal and value.upper() not in _STATUSES:
            raise ValidationError(f"{quoted(value)} is neither ACK nor NACK")
        return value


class PiRequest(OperationType):
    """Send a command and wait for its answer, whose contents are values to test."""

    name = "ocncc.pi.Request"
    aliases = ("pi.Request",)
    received = (NOUN,)
    family = OUTBOUND
    summary = "send a command to a Provisioning Interface and look at its answer"
    example = MappingProxyType(
        {
            "type": name,
            "arguments": {
                "command": "CCSCD1=QRY",
                "parameters": {"MSISDN": "6421000001", "BALANCE_TYPE": "General Cash"},
                "status": "ACK",
            },
            "tests": [{"kpath": "fields.BALANCE", "type": "integer", "value": 1450}],
        }
    )

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(
            fields.Object(), help="checks of status, info, fields, parameters (= fields), raw"
        )
        malformed = attributes.malformed("the form of an answer")

    class Arguments(ArgumentMembers):
        command = fields.String(
            pattern=r"\s*\S",
            required=True,
            says="must be a command, such as CCSCD1=QRY",
            help="such as CCSCD1=QRY",
        )
        parameters = fields.Object(
            rule="an object of values by name",
            help="values by name; an array repeats its parameter",
        )
        status = _Status(rule="ACK or NACK", help="expected: ACK or NACK")
        info = fields.String(help="expected: the text after ACK or NACK")
        not_status = fields.String(data_key="!status", help="what the status must not be")
        not_info = fields.String(data_key="!info", help="what the text must not be")

        def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
            super().check_declared(given, path, scope)
            parameters = given.get("parameters")
            if isinstance(parameters, Mapping):
                for name, value in parameters.items():
                    _check_parameter(name, value, f"{path}.parameters.{name}", scope)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("pi", path)
        given = entry["arguments"]
        self.Arguments.check(given, f"{path}.arguments", scope)
        # Two parts, because an expression is evaluated once: the sent part before, the expected
        # part after the answer has come.
        sent = scope.arguments({key: given[key] for key in _SENT if key in given}, path)
        wanted = {key: value for key, value in given.items() if _bare(key) in _EXPECTED}
        expected = scope.expected(wanted, path)
        tests = scope.tests(entry, path)
        is_compared = bool(wanted) or tests is not None
        latency = _latency(given.get("command"))
        malformed = entry["malformed"]
        is_looked_at = bool(wanted) or scope.looks_at(entry, "status", "info", "fields", "param")

        def execute(instance: Instance) -> None:
            reply = _ask(instance, sent, latency)
            tree = reply.as_dict()
            env = instance.env
            note_received(instance, NOUN, tree)
            if not instance.is_checked:
                return
            attributes.judge_form(reply.notes, malformed, "answer", instance)
            if reply.status is Status.NACK and not is_looked_at:
                instance.note_refusal(f"NACK {reply.info}".rstrip())
            if not is_compared:
                return
            if wanted:
                match_arguments(_expected(expected.render(env)), tree, instance)
            if tests is not None:
                tests.run(tree, env, instance)

        return execute


def _latency(command: object) -> str:
    """Return the name for the latency of answers: few names, even if commands are expressions."""
    is_constant = isinstance(command, str) and not command.startswith("{")
    return f"PI {command}" if is_constant else "PI Request"


class PiSide(Session[str]):
    """The PI side of an instance, one of its dialogues: so the end finds unexpected lines."""

    role = "pi"
    name = NOUN
    is_open = False
    may_hear = True

    def __init__(self) -> None:
        self.user = PiUser()

    @classmethod
    def of(cls, instance: Instance) -> "PiSide":
        """Return the PI side of an instance; it is created when it is first needed."""
        for dialogue in instance.dialogues:
            if isinstance(dialogue, cls):
                return dialogue
        fresh = cls()
        instance.dialogues.append(fresh)
        return fresh

    def leftovers(self) -> list[str]:
        """Return the lines that came and that no command asked for."""
        self.user.look()
        return self.user.unexpected

    def describe(self, line: str) -> str:
        """Return a text that describes a line."""
        return f"PI line that no command asked for, {quoted(line or 'not complete')},"

    def close(self) -> None:
        """Stop watching for unexpected lines."""
        self.user.leave()

    def abort(self) -> None:
        """Close as in close(); the run was cancelled."""
        self.close()


def _ask(instance: Instance, arguments: CompiledArguments, latency: str) -> Reply:
    """Send the command and return its answer. Blocks: until the answer comes."""
    rendered = arguments.render(instance.env)
    command = to_text(rendered["command"])
    given = rendered.get("parameters") or {}
    if not isinstance(given, dict):
        abort("PI: parameters must be an object of values by name")
    parameters = {name: _value(name, value) for name, value in given.items()}
    gateway = instance.context.gateway(PiGateway, "pi")
    instance.trace(2, f"PI {command}", lambda: parameters)
    started = instance.clock.now()
    side = PiSide.of(instance)
    for line in side.leftovers():
        abort(f"unexpected {side.describe(line)} before {command}")
    reply = gateway.request(command, parameters, tap_of(instance, "pi", gateway), side.user)
    instance.note_latency(latency, instance.clock.now() - started)
    what = "an answer" if reply.notes else reply.status.value
    instance.entry(True, f"Received {what}", None, None)
    instance.trace(1, f"PI {command}: {what}", reply.as_dict)
    return reply


def _value(name: str, value: Any) -> str | list[str]:
    """Return the texts of a parameter. Errors: InstanceAborted."""
    if isinstance(value, list):
        return [_text(name, item) for item in value]
    return _text(name, value)


def _text(name: str, value: Any) -> str:
    if value is None or isinstance(value, dict | list):
        abort(f"PI: parameter {name} must be a text or a number, or a list of them")
    return to_text(value)


def _expected(rendered: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that the answer is compared with; the case of a status is ignored."""
    found = dict(rendered)
    for name, value in rendered.items():
        if _bare(name) == "status" and isinstance(value, str):
            found[name] = value.upper()
    return found


def _bare(member: str) -> str:
    return member.removeprefix("!")


def _check_parameter(name: str, value: Any, path: str, scope: Scope) -> None:
    if name.upper() in RESERVED:
        scope.refuse(path, "is added by the gateway, a test may not give it")
    values = value if isinstance(value, list) else [value]
    for item in values:
        if item is None or isinstance(item, dict | list):
            scope.refuse(path, "must be a text or a number, or a list of them")
        elif isinstance(item, str) and ("\r" in item or "\n" in item):
            scope.refuse(path, "a line end would break the command")


declare(PiRequest())
