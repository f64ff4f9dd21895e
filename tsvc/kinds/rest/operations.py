"""`rest.SendRequest`, `rest.ExpectResponse` and both in one, `rest.Request`.

Each also with a label, `rest.<label>.SendRequest`: `rest_<label>` then selects the server.
"""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from types import MappingProxyType
from typing import Any

from tsvc import turns
from tsvc.kinds.rest.calls import RestCall, RestCalls, teller
from tsvc.kinds.rest.content import form_problem, tree_of
from tsvc.kinds.rest.fast_path.looked_at import declare as declare_replayable
from tsvc.kinds.rest.gateway import RestGateway
from tsvc.kinds.rest.request import RequestArguments, RequestMaker
from tsvc.matching.tests import TestList
from tsvc.operations import attributes
from tsvc.operations.operation import (
    INBOUND,
    OUTBOUND,
    Entry,
    Execute,
    Family,
    Instance,
    OperationType,
    Scope,
    abort,
    declare,
    declare_family,
    note_received,
    tap_of,
)
from tsvc.schema import fields
from tsvc.transport.http.message import Response

NOUN = "REST"  # name of a response in $i and __INBOUND
_LARGE = 1 << 14  # octets of content
_LABEL = re.compile(r"[A-Za-z0-9_-]+")
_TESTS = (
    "checks of rest.code, rest.content, rest.content_type, rest.content_json, rest.content_xml, …"
)
_EXAMPLE = MappingProxyType(
    {
        "path": "/balance",
        "method": "POST",
        "content_type": "application/json",
        "content": {"msisdn": "6421000001"},
        "http_headers": [{"name": "X-Request-Id", "value": "17"}],
    }
)
_EXAMPLE_TESTS = (
    {"kpath": "rest.code", "type": "integer", "value": 200},
    {"kpath": "rest.content_json.balance", "type": "integer", "value": 1450},
)


_LOWEST_REFUSAL = 400  # of status codes: RFC 9110 §15
_OUTCOME = ("code", "reason", "content")  # members of a response that show a refusal


class _RestType(OperationType):
    """A type that uses a REST gateway: the default gateway, or the one that a label selects."""

    noun: str
    received: tuple[str, ...] = (NOUN,)

    def __init__(self, label: str = "") -> None:
        self.name = f"rest.{label}.{self.noun}" if label else f"rest.{self.noun}"
        self.selection = f"rest_{label}" if label else "rest"
        self.example: Mapping[str, Any] = {"type": self.name, **self.sample()}

    @classmethod
    def sample(cls) -> dict[str, Any]:
        """Return the members of the example."""
        return {"arguments": dict(_EXAMPLE)}


class SendRequest(_RestType):
    """Send a request without waiting; ExpectResponse takes its response."""

    noun = "SendRequest"
    family = OUTBOUND
    received = ()
    summary = "send an HTTP request and go on; rest.ExpectResponse takes the response"
    Arguments = RequestArguments

    class Attributes(Entry):
        arguments = fields.Object(required=True)

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        selection = self.selection
        scope.need(selection, path)
        maker = RequestMaker(entry["arguments"], path, scope, selection)
        declare_replayable(entry, path, scope, maker)

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(RestGateway, selection)
            request = maker.request(instance, gateway)
            calls = RestCalls.ensure(instance)
            jar = RestCalls.jar(instance, gateway)
            instance.trace(1, f"REST {request.name}", lambda: {"target": request.shown_target})
            calls.add(RestCall(instance, selection, gateway, request, jar))
            gateway.let_go_out()

        return execute


class ExpectResponse(_RestType):
    """Take the response to the oldest request; wait for it if necessary."""

    noun = "ExpectResponse"
    family = INBOUND
    summary = "expect the response to the oldest HTTP request that still waits for one"

    class Attributes(Entry):
        tests = fields.List(fields.Object(), help=_TESTS)
        malformed = attributes.malformed("what the Content-Type says")

    @classmethod
    def sample(cls) -> dict[str, Any]:
        return {"tests": [dict(test) for test in _EXAMPLE_TESTS]}

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        selection, is_kept = self.selection, scope.reads_inbound
        scope.need(selection, path)
        declare_replayable(entry, path, scope)
        tests = scope.tests(entry, path)
        malformed = entry["malformed"]
        is_looked_at = scope.looks_at(entry, *_OUTCOME)

        def execute(instance: Instance) -> None:
            calls = RestCalls.of(instance)
            call = calls.take(selection) if calls is not None else None
            if call is None or calls is None:
                abort("expected a REST response, but no request waits for one")
            try:
                response = call.wait()
            except BaseException:
                call.kill()
                raise
            method = call.name.partition(" ")[0]
            seconds = call.seconds
            _received(instance, response, method, seconds, tests, malformed, is_kept, is_looked_at)

        return execute


class Request(_RestType):
    """Send a request and take its response."""

    noun = "Request"
    family = OUTBOUND
    summary = "send an HTTP request and look at its response"
    Arguments = RequestArguments

    class Attributes(Entry):
        arguments = fields.Object(required=True)
        tests = fields.List(fields.Object(), help=_TESTS)
        malformed = attributes.malformed("what the Content-Type says")

    @classmethod
    def sample(cls) -> dict[str, Any]:
        return {"arguments": dict(_EXAMPLE), "tests": [dict(test) for test in _EXAMPLE_TESTS]}

    def compile(self, entry: Mapping[str, Any], path: str, scope: Scope) -> Execute:
        selection, is_kept = self.selection, scope.reads_inbound
        scope.need(selection, path)
        maker = RequestMaker(entry["arguments"], path, scope, selection)
        declare_replayable(entry, path, scope, maker)
        tests = scope.tests(entry, path)
        malformed = entry["malformed"]
        is_looked_at = scope.looks_at(entry, *_OUTCOME)

        def execute(instance: Instance) -> None:
            gateway = instance.context.gateway(RestGateway, selection)
            request = maker.request(instance, gateway)
            instance.trace(1, f"REST {request.name}", lambda: {"target": request.shown_target})
            started = instance.clock.now()
            response = gateway.send(
                request,
                tap_of(instance, "rest", gateway),
                RestCalls.jar(instance, gateway),
                teller(instance),
            )
            seconds = instance.clock.now() - started
            method = request.method
            _received(instance, response, method, seconds, tests, malformed, is_kept, is_looked_at)

        return execute


def _turns(instance: Instance, response: Response) -> AbstractContextManager[None]:
    """Return a context in which others run while a large response is read."""
    is_large = len(response.body) > _LARGE
    return turns.given(instance.tick) if is_large else nullcontext()


def _received(
    instance: Instance,
    response: Response,
    method: str,
    seconds: float,
    tests: TestList | None,
    malformed: str,
    is_kept: bool,
    is_looked_at: bool,
) -> None:
    """Log, store, judge and test a response, whatever its code."""
    instance.note_latency(NOUN, seconds)
    instance.entry(True, f"Received {NOUN} response {response.code}", None, None)
    tree = None
    if is_kept or (tests is not None and instance.is_checked):
        with _turns(instance, response):
            tree = tree_of(response)
        note_received(instance, NOUN, tree)
    instance.trace(2, f"{NOUN} {response.code}", lambda: tree or tree_of(response))
    if not instance.is_checked:
        return
    with _turns(instance, response):
        problem = form_problem(response, method, tree)
    if problem:
        attributes.judge_form([problem], malformed, "response", instance)
    if response.code >= _LOWEST_REFUSAL and not is_looked_at:
        instance.note_refusal(f"HTTP {response.code}")
    if tests is not None and tree is not None:
        tests.run({"rest": tree}, instance.env, instance)


_TYPES: Mapping[str, type[_RestType]] = {
    type_.noun: type_ for type_ in (SendRequest, ExpectResponse, Request)
}


def _labelled(name: str) -> OperationType | None:
    """Return the type named rest.<label>.<noun>, None if the name has another form."""
    family, _, rest = name.partition(".")
    label, _, noun = rest.partition(".")
    type_ = _TYPES.get(noun)
    if family != "rest" or type_ is None or not _LABEL.fullmatch(label):
        return None
    return type_(label)


for _type in _TYPES.values():
    declare(_type())
    declare_family(Family("rest.", _labelled, _type("<label>")))
