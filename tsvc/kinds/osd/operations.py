"""`ocncc.osd.Request`: an operation of Open Services Development, and checks of its answer."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tsvc.errors import LocalProtocolError
from tsvc.expr.values import to_text
from tsvc.kinds.osd.gateway import OsdGateway
from tsvc.operations import attributes
from tsvc.operations.arguments import ArgumentMembers
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
from tsvc.protocols import soap
from tsvc.protocols.soap import Style
from tsvc.schema import fields

NOUN = "OSD"  # name of an answer in $i and __INBOUND
_GIVEN = "must be given, a text"
_ANY_STYLE = Style(alias="_")  # the style of the gateway is not known yet
_EXAMPLE_URL = "http://sms.example/wsdls/Provider/Accounts"


class _Parameters(fields.Object):
    type = "any"


class OsdRequest(OperationType):
    """Call an operation and wait for its answer, which may be a fault."""

    name = "ocncc.osd.Request"
    aliases = ("osd.Request",)
    received = (NOUN,)
    family = OUTBOUND
    summary = "call an operation of Open Services Development and look at its answer"
    example = MappingProxyType(
        {
            "type": name,
            "arguments": {
                "action": f"{_EXAMPLE_URL}/QueryBalance",
                "wsdl_url": f"{_EXAMPLE_URL}.wsdl",
                "operation": "QueryBalance",
                "parameters": {"msisdn": "6421000001"},
            },
            "tests": [{"kpath": "returned.balance", "type": "integer", "value": 1450}],
        }
    )

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(
            fields.Object(),
            help="checks of returned.…, fault.code, .string, .detail, .subcodes, .reasons,"
            " headers.…, code, element",
        )
        malformed = attributes.malformed("the form of a SOAP message")

    class Arguments(ArgumentMembers):
        action = fields.String(
            1,
            required=True,
            says=_GIVEN,
            help="SOAPAction, or action of SOAP 1.2; its path is asked unless the gateway has one",
        )
        wsdl_url = fields.String(help="namespace of the operation; absent: none")
        operation = fields.String(1, required=True, says=_GIVEN, help="name of the element")
        parameters = _Parameters(
            rule="an object of values by name",
            help="an object: elements in this order; an array repeats its element, `@NAME` is an"
            " attribute of the element that the object is in, `#text` text beside them",
        )
        namespaces = _Parameters(
            rule="an object of URIs by prefix",
            help="prefixes that names of parameters, attributes and header blocks may have,"
            " beside soap, xsi and xml: `xsi:nil`",
        )
        headers = _Parameters(
            rule="an object of header blocks by name",
            help="what stands in the SOAP header, written as parameters are; each with a prefix",
        )

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("osd", path)
        given = entry["arguments"]
        found_before = len(scope.problems)
        self.Arguments.check(given, f"{path}.arguments", scope)
        arguments = scope.arguments(given, path)
        if arguments.is_constant and len(scope.problems) == found_before:
            _check_constants(arguments.constant(), f"{path}.arguments", scope)
        tests = scope.tests(entry, path)
        is_kept = scope.reads_inbound
        malformed = entry["malformed"]
        is_looked_at = scope.looks_at(entry, "fault", "code", "returned", "element")

        def execute(instance: Instance) -> None:
            tree, notes = _call(instance, arguments)
            is_tested = tests is not None and instance.is_checked
            if is_kept or is_tested:
                note_received(instance, NOUN, tree)
            if instance.is_checked:
                attributes.judge_form(notes, malformed, "answer", instance)
                if "fault" in tree and not is_looked_at:
                    instance.note_refusal(f"SOAP fault {tree['fault']['code']}")
            if tests is not None and is_tested:
                tests.run(tree, instance.env, instance)

        return execute


def _call(
    instance: Instance, arguments: CompiledArguments
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Call the operation. Return its answer as a tree, and what is malformed in it.

    Blocks: until the answer comes.
    """
    given = arguments.render(instance.env)
    gateway = instance.context.gateway(OsdGateway, "osd")
    operation = to_text(given["operation"])
    instance.trace(1, f"OSD {operation}", lambda: given.get("parameters"))
    started = instance.clock.now()
    try:
        code, answer = gateway.call(
            to_text(given["action"]),
            to_text(given.get("wsdl_url")),
            operation,
            _object(given, "parameters"),
            tap_of(instance, "osd", gateway),
            namespaces=_object(given, "namespaces"),
            headers=_object(given, "headers"),
        )
    except LocalProtocolError as error:
        abort(f"OSD: {error}")
    instance.note_latency(NOUN, instance.clock.now() - started)
    tree = {"code": code, **answer.as_dict()}
    fault = answer.fault
    what = answer.element or "an empty body" if fault is None else f"fault {fault.code}"
    instance.entry(True, f"Received {NOUN} {what}", None, None)
    instance.trace(2, f"OSD {operation}: {what}", lambda: tree)
    return tree, answer.notes


def _object(given: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = given.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise LocalProtocolError("must be an object", path=name)
    return found


def _check_constants(given: Mapping[str, Any], path: str, scope: Scope) -> None:
    """Build the message once, so that errors of constant arguments are found before the run."""
    namespace = to_text(given.get("wsdl_url"))
    try:
        soap.build(
            to_text(given["operation"]),
            namespace,
            _object(given, "parameters"),
            _ANY_STYLE,
            _object(given, "namespaces"),
            _object(given, "headers"),
        )
    except LocalProtocolError as error:
        place = "wsdl_url" if error.path == "namespace" else error.path
        scope.refuse(f"{path}.{place}", error.text)


declare(OsdRequest())
