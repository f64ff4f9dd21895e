"""`diameter.from_server.Register` and `.Request`: requests that the server sends by itself."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from tsvc.errors import GatewayError, LocalProtocolError
from tsvc.expr.environment import Environment
from tsvc.expr.values import Undefined, to_text
from tsvc.kinds.diameter.avps import (
    AvpPlan,
    DiameterMembers,
    ExpectedAvp,
    SentAvp,
    avps_of,
    check_avps,
    match_avps,
)
from tsvc.kinds.diameter.gateway import DiameterGateway
from tsvc.kinds.diameter.session import DiameterSession, session_of
from tsvc.kinds.diameter.sessions import ServerRequest
from tsvc.operations import attributes
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
from tsvc.protocols.diameter.answers import read_request
from tsvc.protocols.diameter.dictionary import Dictionary, standard
from tsvc.protocols.diameter.message import echoed
from tsvc.protocols.diameter.tree import Notes, Tree, encode_avps
from tsvc.protocols.diameter.types import integer_of
from tsvc.schema import fields
from tsvc.words import quoted

DEFAULT_WAIT_S, LONGEST_WAIT_S = 10.0, 120.0
SUCCESS = 2001
NOUN = "DIAMETER"  # name of a message in $i and __INBOUND
_HEAD = ("code", "seconds", "session_id")


class Register(OperationType):
    """`diameter.from_server.Register`."""

    name = "diameter.from_server.Register"
    family = INBOUND
    received = ()
    summary = "own the requests that the server will send in a session"
    example = MappingProxyType(
        {"type": name, "arguments": {"session_id": "tester.example.net;1;2"}}
    )

    class Attributes(Entry):
        arguments = fields.Object(default=dict)

    class Arguments(DiameterMembers):
        session_id = fields.String(help="absent: that of Session-Id_auto")

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("diameter", path)
        self.Arguments.check(entry["arguments"], f"{path}.arguments", scope)
        arguments = scope.arguments(entry["arguments"], path)

        def execute(instance: Instance) -> None:
            session = session_of(instance)
            session_id = arguments.render(instance.env).get("session_id")
            if session_id in (None, ""):
                session_id = session.own_session_id()
            try:
                session.register(to_text(session_id))
            except LocalProtocolError as error:
                abort(f"Register: {error}")
            instance.trace(1, f"waits for requests in session {session_id}")

        return execute


class SentAnswer(DiameterMembers):
    """`answer` to a request of the server."""

    result_code = fields.Anything(default=SUCCESS, help="number or name")
    avps = avps_of(SentAvp)

    def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
        super().check_declared(given, path, scope)
        check_result_code(given, path, scope)


class ExpectRequest(OperationType):
    """`diameter.from_server.Request`."""

    name = "diameter.from_server.Request"
    family = INBOUND
    received = (NOUN,)
    summary = "expect a request of the server in a registered session, and answer it"
    example = MappingProxyType({"type": name, "arguments": {"code": 258, "seconds": 10}})

    class Attributes(Entry):
        arguments = fields.Object(default=dict)
        tests = fields.List(fields.Object(), help="checks of places below request, what came")
        malformed = attributes.malformed("the form of a request")

    class Arguments(DiameterMembers):
        code = fields.Anything(help="expected command: 258, Re-Auth-Request, RAR, …")
        seconds = fields.Number(
            0, LONGEST_WAIT_S, default=DEFAULT_WAIT_S, unit="s", help="longest wait"
        )
        session_id = fields.String(help="absent: the session registered last")
        avps = avps_of(ExpectedAvp)
        answer = fields.Nested(SentAnswer)

        def check_declared(self, given: Mapping[str, Any], path: str, scope: Scope) -> None:
            code, seconds = given.get("code"), given.get("seconds")
            if isinstance(code, str) and not code.startswith("{") and not code.isdigit():
                check_command(code, f"{path}.code", scope)
            if isinstance(seconds, int | float) and not 0 <= seconds <= LONGEST_WAIT_S:
                scope.refuse(f"{path}.seconds", f"{seconds} is not in 0…{LONGEST_WAIT_S:g}")
            if isinstance(given.get("answer"), str):  # its AVPs are encoded early
                scope.refuse(f"{path}.answer", "must be an object")
            super().check_declared(given, path, scope)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        scope.need("diameter", path)
        given = entry["arguments"]
        place = f"{path}.arguments"
        self.Arguments.check(given, place, scope)
        wanted = {name: given[name] for name in _HEAD if name in given}
        head = scope.expected_template(wanted, place)
        avps = given.get("avps")
        expected = None
        if avps is not None:
            expected = scope.expected_template(avps, f"{place}.avps")
        answer = given.get("answer")
        if not isinstance(answer, Mapping):
            answer = {}  # absent, or refused already
        code = scope.template_to_send(
            answer.get("result_code", SUCCESS), f"{place}.answer.result_code"
        )
        plan = AvpPlan(answer.get("avps"), f"{place}.answer.avps", scope)
        check_avps(
            scope,
            (f"{place}.avps", avps, True),
            (f"{place}.answer.avps", answer.get("avps"), False),
        )
        tests = scope.tests(entry, path)
        malformed = entry["malformed"]

        def execute(instance: Instance) -> None:
            env = instance.env
            rendered: Any = head.render(env)
            for name, value in rendered.items():
                if isinstance(value, Undefined):  # otherwise any request would match
                    abort(f"{name}: {value}")
            session = session_of(instance)
            request, tree, notes = _receive(instance, session, rendered)
            inbound = {"request": tree, "session_id": tree["avp"].get("Session-Id")}
            note_received(instance, NOUN, inbound)
            _answer(instance, session, request, code.render(env), plan)
            if not instance.is_checked:
                return
            attributes.judge_form(notes, malformed, "request", instance)
            if expected is not None:
                match_avps(expected.render(env), tree["avps"], instance)
            if tests is not None:
                tests.run(inbound, env, instance)

        return execute


def _receive(
    instance: Instance, session: DiameterSession, head: Mapping[str, Any]
) -> tuple[ServerRequest, Tree, Notes]:
    """Return the expected request, and what is malformed in it; abort on anything else.

    Blocks: up to `seconds`.
    """
    dictionary = session.gateway.dictionary
    seconds = _seconds(head.get("seconds"))
    wanted = _code(head.get("code"), dictionary)
    name = "a request" if wanted is None else dictionary.command_name(wanted, is_request=True)
    session_id = head.get("session_id")
    registration = session.registration(None if session_id in (None, "") else str(session_id))
    started = instance.clock.now()
    found = registration.receive(seconds)
    if found is None:
        abort(f"expected {name}, nothing came within {seconds:g} s")
    if isinstance(found, str):
        abort(f"expected {name}: {found}")
    session.taken = found
    instance.note_latency(name, instance.clock.now() - started)
    if instance.keeps_messages:
        instance.note_message(
            "diameter",
            session.gateway.name,
            False,
            found.octets,
            session.gateway.grammar,
            found.connection.ends,
        )
    if wanted is not None and found.header.command_code != wanted:
        session.refuse_taken(f"the test expected {name}")
        abort(f"expected {name}, got {session.describe(found)}")
    tree, notes = read_request(found.octets, dictionary)
    instance.entry(True, f"Received {tree['name']}", None, None)
    instance.trace(2, f"received {tree['name']}", lambda: tree)
    return found, tree, notes


def _answer(
    instance: Instance,
    session: DiameterSession,
    request: ServerRequest,
    result_code: Any,
    plan: AvpPlan,
) -> None:
    """Answer a request: Session-Id, Result-Code and Origin, then the AVPs of the definition."""
    gateway = session.gateway
    dictionary = gateway.dictionary
    try:
        code = dictionary.by_name["Result-Code"].number(result_code)
        octets = _answer_avps(instance.env, gateway, request, code, plan)
        is_error = 3000 <= integer_of(code) < 4000
        sent = gateway.answer(request, octets, is_error=is_error)
    except (LocalProtocolError, ValueError) as error:
        session.refuse_taken("the test's answer can't be sent")
        abort(f"diameter.from_server.Request: {error}")
    except GatewayError as error:
        abort(str(error))
    session.taken = None
    if instance.keeps_messages:
        ends = request.connection.ends
        instance.note_message("diameter", gateway.name, True, sent, gateway.grammar, ends)
    instance.trace(2, "sent the answer", lambda: gateway.decode(sent))


def _answer_avps(
    env: Environment,
    gateway: DiameterGateway,
    request: ServerRequest,
    result_code: Any,
    plan: AvpPlan,
) -> bytes:
    """Return the AVPs of an answer; those of the definition replace the default ones."""
    dictionary = gateway.dictionary
    items = plan.items(env)
    given = {item.name for item in items}
    session_id, proxies = echoed(request.octets)
    usual = {
        "Result-Code": result_code,
        "Origin-Host": gateway.origin_host,
        "Origin-Realm": gateway.origin_realm,
    }
    if "Experimental-Result" in given:
        del usual["Result-Code"]
    avps = [{"name": name, "value": value} for name, value in usual.items() if name not in given]
    head = b"" if "Session-Id" in given else session_id
    own = encode_avps(avps, dictionary, "answer.avps")
    return b"".join([head, own, *(item.encode(env, dictionary) for item in items), proxies])


def _seconds(given: Any) -> float:
    """Return the longest wait; aborts if the value is no time."""
    if given is None:
        return DEFAULT_WAIT_S
    try:
        seconds = float(given)
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 <= seconds <= LONGEST_WAIT_S:
        abort(f"seconds: {quoted(given)} is not in 0…{LONGEST_WAIT_S:g}")
    return seconds


def _code(given: Any, dictionary: Dictionary) -> int | None:
    """Return the command code that is expected, None for any; aborts for an unknown name."""
    if given in (None, ""):
        return None
    try:
        return integer_of(given)
    except ValueError:
        command = dictionary.command(str(given))
    if command is None:
        abort(f"no command is named {quoted(given)}")
    return command.code


def check_result_code(given: Mapping[str, Any], path: str, scope: Scope) -> None:
    """Refuse an invalid `result_code`."""
    result = given.get("result_code")
    if isinstance(result, str) and not result.startswith("{"):
        known = standard().by_name["Result-Code"]
        try:
            known.number(result)
        except ValueError:
            hint = scope.hint(result, known.names.values())
            scope.refuse(f"{path}.result_code", f"{quoted(result)} is no result code{hint}")


def check_command(name: str, path: str, scope: Scope) -> None:
    """Refuse a command that the dictionary does not have."""
    dictionary = standard()
    if dictionary.command(name) is None:
        known = [f"{command.name}-Request" for command in dictionary.commands.values()]
        scope.refuse(path, f"no command is named {quoted(name)}" + scope.hint(name, known))
