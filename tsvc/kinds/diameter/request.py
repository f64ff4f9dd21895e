"""`diameter.Request`: a request to the server and its answer, in one operation."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tsvc.kinds.diameter.avps import SESSION_ID, AvpPlan, check_avps, check_list, match_avps
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.sending import Sending
from tsvc.matching import match_arguments
from tsvc.operations.operation import (
    OUTBOUND,
    Entry,
    Execute,
    Instance,
    OperationType,
    Scope,
    abort,
)
from tsvc.protocols.diameter.dictionary import standard
from tsvc.protocols.diameter.tree import Tree
from tsvc.schema import fields

_RESULT_NAMES = standard().by_name["Result-Code"].names
NOUN = "DIAMETER"  # what $i and __INBOUND know a message by
_MEMBERS = ("name", "code", "application_id", "proxiable", "retransmitted", "avps", "answer")
_ANSWER_MEMBERS = ("result_code", "avps")

AVPS = {
    "type": "array",
    "items": {
        "type": "sequence",
        "members": {
            "name": {"type": "string", "help": "of the dictionary, or Session-Id_auto"},
            "code": {"type": "integer", "minimum": 0, "maximum": 0xFFFFFFFF},
            "vendor_id": {"type": "integer", "minimum": 0, "maximum": 0xFFFFFFFF},
            "value": {"type": "any", "help": "a group's is a list of AVPs; null: not sent"},
            "value_name": {"type": "string", "help": "name of an enumeration, for want of value"},
            "value_hex": {"type": "string", "help": "the octets, whatever the type"},
            "mandatory": {"type": "boolean", "help": "the M bit, else as the dictionary says"},
            "protected": {"type": "boolean", "help": "the P bit"},
            "reserved": {"type": "integer", "minimum": 0, "maximum": 31, "help": "other bits"},
            "vendor_specific": {"type": "boolean", "help": "the V bit, else as its vendor says"},
        },
    },
}


class DiameterRequest(OperationType):
    """Send a request; its answer is data, whatever Result-Code it has."""

    name = "diameter.Request"
    aliases = ("diameter.to_server.Request",)
    family = OUTBOUND
    summary = "send a Diameter request and look at its answer"
    example = MappingProxyType(
        {
            "type": name,
            "arguments": {
                "name": "Credit-Control-Request",
                "avps": [
                    {"name": "Session-Id_auto", "value": 1},
                    {"name": "Service-Context-Id", "value": "32251@3gpp.org"},
                    {"name": "CC-Request-Type", "value": "INITIAL_REQUEST"},
                    {"name": "CC-Request-Number", "value": 0},
                    {
                        "name": "Subscription-Id",
                        "value": [
                            {"name": "Subscription-Id-Type", "value": "END_USER_E164"},
                            {"name": "Subscription-Id-Data", "value": "6421000001"},
                        ],
                    },
                ],
                "answer": {"result_code": 2001},
            },
            "tests": [{"kpath": "response.avps.[name=Origin-Host].value", "value": "ocs"}],
        }
    )
    argument_members = MappingProxyType(
        {
            "name": {"type": "string", "help": "command, such as Credit-Control-Request or CCR"},
            "code": {"type": "integer", "help": "command code, of one without a name"},
            "application_id": {
                "type": "integer",
                "help": "else that of Auth-Application-Id, else the command's",
            },
            "proxiable": {"type": "boolean", "help": "the P bit, default 1"},
            "retransmitted": {"type": "boolean", "help": "the T bit, default 0"},
            "avps": AVPS,
            "answer": {
                "type": "sequence",
                "members": {
                    "result_code": {
                        "type": "any",
                        "help": "expected Result-Code or Experimental-Result-Code, or its name",
                    },
                    "avps": AVPS,
                },
            },
        }
    )

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(
            fields.Object(), metadata={"help": "checks of places below response, the answer"}
        )
        seconds = fields.Number(
            0, metadata={"unit": "s", "help": "longest wait, else the gateway's request_timeout_s"}
        )

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("diameter", path)
        given = entry["arguments"]
        place = f"{path}.arguments"
        _check(given, place, scope)
        head = {name: given[name] for name in _MEMBERS[:5] if name in given}
        sending = Sending(
            scope.template(head, place), AvpPlan(given.get("avps"), f"{place}.avps", scope)
        )
        answer = given.get("answer")
        expected = scope.template(answer, f"{place}.answer") if answer else None
        tests = scope.tests(entry, path)
        seconds = entry.get("seconds")

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(DiameterGateway, "diameter")
            received = sending.exchange(instance, gateway, seconds)
            env = instance.env
            tree = received.tree
            inbound = {"response": tree, "session_id": tree["avp"].get(SESSION_ID)}
            env.i[NOUN] = inbound
            env.v["__INBOUND"] = {NOUN: inbound}
            if not instance.is_checked:
                return
            if expected is not None:
                check_answer(expected.render(env), tree, instance)
            if tests is not None:
                tests.run(inbound, env, instance)

        return execute


def check_answer(expected: Any, tree: Tree, instance: Instance) -> None:
    """Compare an answer with the `answer` object of a definition."""
    if not isinstance(expected, Mapping):
        abort("diameter.Request: answer must be an object")
    if "result_code" in expected:
        avp = tree["avp"]
        got = avp.get("Result-Code")
        if got is None:
            got = (avp.get("Experimental-Result") or {}).get("Experimental-Result-Code")
        match_arguments(
            {"result_code": expected["result_code"]},
            {"result_code": got, "result_code_name": _RESULT_NAMES.get(got)},
            instance,
        )
    if expected.get("avps"):
        match_avps(expected["avps"], tree["avps"], instance)


def _check(given: Mapping[str, Any], path: str, scope: Scope) -> None:
    check_members(given, _MEMBERS, path, scope)
    name, code = given.get("name"), given.get("code")
    if name is None and code is None:
        scope.refuse(f"{path}.name", "must be a command, such as Credit-Control-Request")
    elif code is None and not isinstance(name, str):
        scope.refuse(f"{path}.name", "must be a text")
    elif code is None and isinstance(name, str) and not name.startswith("{"):
        check_command(name, f"{path}.name", scope)
    check_list(given.get("avps"), f"{path}.avps", scope)
    answer = given.get("answer")
    if isinstance(answer, Mapping):
        check_members(answer, _ANSWER_MEMBERS, f"{path}.answer", scope)
        check_avps(answer.get("avps"), f"{path}.answer.avps", scope)
    elif answer is not None and not isinstance(answer, str):
        scope.refuse(f"{path}.answer", "must be an object")


def check_command(name: str, path: str, scope: Scope) -> None:
    """Refuse a command that the dictionary has not."""
    dictionary = standard()
    if dictionary.command(name) is None:
        known = [f"{command.name}-Request" for command in dictionary.commands.values()]
        scope.refuse(path, f"no command is named {name!r}" + scope.hint(name, known))


def check_members(
    given: Mapping[str, Any], known: tuple[str, ...], path: str, scope: Scope
) -> None:
    """Refuse members that are not known."""
    for member in given:
        if member not in known and not member.startswith("_") and member != "comment":
            scope.refuse(f"{path}.{member}", "unknown member" + scope.hint(member, known))
