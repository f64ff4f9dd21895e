"""The operation dummy.Ask: a question to the dummy service, and its expected answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, cast

from tsvc.expr.values import to_text
from tsvc.matching.arguments import match_arguments
from tsvc.operations.arguments import ArgumentMembers
from tsvc.operations.operation import (
    OUTBOUND,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    declare,
)
from tsvc.results.records import Ends
from tsvc.schema import fields
from tsvc_dummy.gateway import DummyGateway

_EXPECTED = ("status", "text")


class Ask(OperationType):
    """Ask for a word; a refusal is an answer like others."""

    name = "dummy.Ask"
    family = OUTBOUND
    received = ()
    summary = "ask the dummy service for a word and look at its answer"
    example = MappingProxyType({"type": name, "arguments": {"word": "5", "text": "5"}})

    class Attributes(Entry):
        arguments = fields.Object(required=True)

    class Arguments(ArgumentMembers):
        word = fields.String(required=True, help="what is asked for")
        status = fields.String(help="expected: OK or NO")
        text = fields.String(help="expected: the word again, or why not")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("dummy", path)
        given = entry["arguments"]
        self.Arguments.check(given, f"{path}.arguments", scope)
        arguments = scope.arguments(given, path)

        def execute(instance: Instance) -> None:
            rendered = arguments.render(instance.env)
            gateway = cast("DummyGateway", instance.context.gateways["dummy"])

            def tap(is_sent: bool, octets: bytes, ends: Ends | None = None) -> None:
                if instance.keeps_messages:
                    instance.note_message("dummy", gateway.name, is_sent, octets, "", ends)

            started = instance.clock.now()
            answer = gateway.ask(to_text(rendered["word"]), tap)
            instance.note_latency("Dummy Ask", instance.clock.now() - started)
            instance.env.i["dummy"] = answer
            instance.entry(True, f"Received {answer['status']}", None, None)
            expected = {name: rendered[name] for name in _EXPECTED if name in rendered}
            if expected and instance.is_checked:
                match_arguments(expected, answer, instance)

        return execute


declare(Ask())
