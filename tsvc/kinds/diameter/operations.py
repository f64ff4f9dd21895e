"""Diameter operations: a request to the server with its answer, and requests of the server.

This module holds `diameter.Request`; `inbound` holds the operations for the server's requests.
"""

import re
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from tsvc.expr import is_expression
from tsvc.kinds.diameter import inbound
from tsvc.kinds.diameter.avps import (
    SESSION_ID,
    AvpPlan,
    DiameterMembers,
    ExpectedAvp,
    SentAvp,
    avps_of,
    check_avps,
    match_avps,
)
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.inbound import NOUN, check_command, check_result_code
from tsvc.kinds.diameter.sending import STEERING, Sending
from tsvc.matching import match_arguments
from tsvc.operations import attributes
from tsvc.operations.eligibility import Argument
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
from tsvc.protocols.diameter.capabilities import result_text
from tsvc.protocols.diameter.dictionary import Dictionary, standard
from tsvc.protocols.diameter.tree import Tree, encode_avp
from tsvc.schema import fields
from tsvc.words import quoted

_HEAD = ("name", "code", "application_id", "proxiable", "retransmitted")


class ExpectedAnswer(DiameterMembers):
    """`answer` to a request."""

    result_code = fields.Anything(
        help="expected Result-Code or Experimental-Result-Code, or its name"
    )
    avps = avps_of(ExpectedAvp)

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        super().check_declared(given, path, scope)
        check_result_code(given, path, scope)


class DiameterRequest(OperationType):
    """Send a request and wait for its answer, whose Result-Code is a value to test."""

    name = "diameter.Request"
    aliases = ("diameter.to_server.Request",)
    received = (NOUN,)
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

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(fields.Object(), help="checks of places below response, the answer")
        seconds = fields.Number(
            0, unit="s", help="longest wait, else the gateway's request_timeout_s"
        )
        malformed = attributes.malformed("the form of an answer")
        check_identity = fields.Choice(
            ("fail", "note"),
            default="fail",
            help="what an answer is that does not repeat the identifiers, the session and the"
            " numbers of its request: a failed check, a note",
        )

    class Arguments(DiameterMembers):
        name = fields.String(help="command, such as Credit-Control-Request or CCR")
        code = fields.Integer(help="command code, of one without a name")
        application_id = fields.Integer(
            help="else that of Auth-Application-Id, else the command's"
        )
        proxiable = fields.Boolean(help="the P bit, default 1")
        retransmitted = fields.Boolean(help="the T bit, default 0")
        avps = avps_of(SentAvp)
        answer = fields.Nested(ExpectedAnswer)

        def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
            name, code = given.get("name"), given.get("code")
            if code is None and name is None:
                text = "must be a command, such as Credit-Control-Request"
                scope.refuse(f"{path}.name", text)
            elif code is None and not isinstance(name, str):
                scope.refuse(f"{path}.name", "must be a text")
            elif code is None and not str(name).startswith("{"):
                check_command(str(name), f"{path}.name", scope)
            super().check_declared(given, path, scope)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("diameter", path)
        given = entry["arguments"]
        place = f"{path}.arguments"
        self.Arguments.check(given, place, scope)
        head = {name: given[name] for name in _HEAD if name in given}
        plan = AvpPlan(given.get("avps"), f"{place}.avps", scope)
        sending = Sending(scope.template_to_send(head, place), plan)
        answer = given.get("answer")
        expected = scope.expected_template(answer, f"{place}.answer") if answer else None
        awaited = answer.get("avps") if isinstance(answer, Mapping) else None
        check_avps(
            scope,
            (f"{place}.avps", given.get("avps"), False),
            (f"{place}.answer.avps", awaited, True),
        )
        if plan.is_listed and not _sees_session(entry):
            _declare_replayable(entry, path, plan, scope)
        tests = scope.tests(entry, path)
        seconds = entry.get("seconds")
        malformed, identity = entry["malformed"], entry["check_identity"]
        is_looked_at = is_expression(answer) or scope.looks_at(entry, *_OUTCOME)
        if isinstance(answer, Mapping):
            is_looked_at = is_looked_at or any(one in repr(answer) for one in _OUTCOME)

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(DiameterGateway, "diameter")
            received = sending.exchange(instance, gateway, seconds)
            env = instance.env
            tree = received.tree
            inbound = {"response": tree, "session_id": tree["avp"].get(SESSION_ID)}
            note_received(instance, NOUN, inbound)
            if not instance.is_checked:
                return
            # Before the other checks: an AVP that can't be read looks like an absent one.
            attributes.judge_form(received.notes, malformed, "answer", instance)
            for member, wanted, got in received.differences:
                if identity == "fail":
                    instance.entry(False, f"identity: {member}", wanted, got)
                else:
                    instance.trace(
                        1, f"identity: {member}: sent {quoted(wanted)}, got {quoted(got)}"
                    )
            code = _result_of(tree)
            if isinstance(code, int) and code // 1000 not in _SUCCESSES and not is_looked_at:
                instance.note_refusal(f"Result-Code {result_text(code, gateway.dictionary)}")
            if expected is not None:
                check_answer(expected.render(env), tree, instance, gateway.dictionary)
            if tests is not None:
                tests.run(inbound, env, instance)

        return execute


# Paths in an answer that use only names of AVPs and members that all answers have.
_PLACES = re.compile(
    r"!?response\.(?:avp(?:\.[\w-]+)+|avps\.\[name=[\w-]+\](?:\.[\w\[\]=-]+)*|code|name|is_error)"
)


def _sees_session(entry: Mapping[str, Any]) -> bool:
    """Return True if a check may read the Session-Id of an answer, which differs in each instance.

    The fast path is not used for an answer with the Session-Id elsewhere than in its AVP.
    """
    answer = entry["arguments"].get("answer") or {}
    kpaths = [str(test.get("kpath")) for test in entry.get("tests") or ()]
    if not isinstance(answer, Mapping):
        return True
    expected = answer.get("avps") or []
    return (
        any(SESSION_ID in kpath or not _PLACES.fullmatch(kpath) for kpath in kpaths)
        or not isinstance(expected, list)
        or any(map(_is_session, expected))
    )


def _is_session(avp: Any) -> bool:
    name = str(avp.get("name", "")).removeprefix("!") if isinstance(avp, Mapping) else "{"
    known = standard().avp(name)
    return name.startswith("{") or (known.name == SESSION_ID if known else "code" in avp)


def _declare_replayable(entry: Mapping[str, Any], path: str, plan: AvpPlan, scope: Scope) -> None:
    """Declare that a request may be replayed. AVPs that steer it must be the same in all
    instances, because they are read more than once."""
    arguments = entry["arguments"]
    sent = [
        Argument(avp, partial(_encoded, path=f"{path}.arguments"))
        for avp in plan.given
        if avp.get("name") not in STEERING
    ]
    steering = [avp for avp in plan.given if avp.get("name") in STEERING]
    others = {**entry, "arguments": {**arguments, "avps": steering}}
    scope.eligibility.allow("diameter", path, others, sent=sent)


def _encoded(avp: Any, dictionary: Dictionary, path: str) -> bytes:
    return encode_avp(avp, dictionary, path)


# Members that show a refusal; RFC 6733 §7.1: 1xxx are informational, 2xxx mean success.
_OUTCOME = ("result_code", "Result-Code", "Experimental-Result")
_SUCCESSES = (1, 2)


def _result_of(tree: Tree) -> Any:
    """Return the Result-Code of an answer, or the one of an Experimental-Result."""
    avp = tree["avp"]
    got = avp.get("Result-Code")
    if got is None:
        got = (avp.get("Experimental-Result") or {}).get("Experimental-Result-Code")
    return got


def check_answer(expected: Any, tree: Tree, instance: Instance, dictionary: Dictionary) -> None:
    """Compare an answer with the `answer` object of a definition."""
    if not isinstance(expected, Mapping):
        abort("diameter.Request: answer must be an object")
    if "result_code" in expected:
        got = _result_of(tree)
        names = dictionary.by_name["Result-Code"].names
        match_arguments(
            {"result_code": expected["result_code"]},
            {"result_code": got, "result_code_name": names.get(got)},
            instance,
        )
    if expected.get("avps"):
        match_avps(expected["avps"], tree["avps"], instance)


for _type in (DiameterRequest(), inbound.Register(), inbound.ExpectRequest()):
    declare(_type)
