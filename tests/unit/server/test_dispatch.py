import io
import json
from dataclasses import replace

import gevent
import pytest
from support.waiting import hang

from tsvc import log
from tsvc.config.tables import Rpc
from tsvc.engine.limits.run_limits import NOBODY, client
from tsvc.errors import DefinitionError, RunIdInUse
from tsvc.methods.method import Method
from tsvc.registry import Registry
from tsvc.schema.fields import Integer, RunParams
from tsvc.server.dispatch import Dispatcher


class Query(Method):
    name = "Query"
    Params = RunParams
    needs_run_id = True

    def call(self, service, params):
        return [service, dict(params), [problem.path for problem in params.warnings]]


class Execute(Method):
    name = "Execute"
    needs_run_id = True
    params_error = DefinitionError

    class Params(RunParams):
        total = Integer()

    def check_run_id(self, service, run_id):
        if run_id == "taken":
            raise RunIdInUse("params.run_id is in use")

    def call(self, service, params):
        return "ok"


class Free(Method):
    name = "Free"

    def call(self, service, params):
        return dict(params)


class Slow(Method):
    name = "Slow"
    deadline_s = 0.02

    def call(self, service, params):
        try:
            hang()
        except Exception:  # noqa: BLE001 - a method that hides errors can't hide its deadline
            return "hidden"


class Broken(Method):
    name = "Broken"

    def call(self, service, params):
        raise ValueError("detail that is not for the wire")


class ForeignTimeout(Method):
    name = "ForeignTimeout"

    def call(self, service, params):
        with gevent.Timeout(0.001):
            hang()


class Exiting(Method):
    name = "Exiting"

    def call(self, service, params):
        raise SystemExit("detail that a package's kind says at its end")


class Unencodable(Method):
    name = "Unencodable"

    def call(self, service, params):
        return {1, 2}


class Whose(Method):
    name = "Whose"

    def call(self, service, params):
        return client()


METHODS = Registry("method")
for cls in (Query, Execute, Free, Slow, Broken, ForeignTimeout, Exiting, Unencodable, Whose):
    METHODS.register(cls.name, cls())


@pytest.fixture
def dispatcher():
    return Dispatcher("the service", Rpc(), METHODS)


@pytest.fixture
def lines():
    stream = io.StringIO()
    log.setup("debug", "text", stream=stream)
    return lambda: stream.getvalue().splitlines()


def call(dispatcher, method, params=None, **envelope):
    document = {"jsonrpc": "2.0", "method": method, "params": params, "id": 1, **envelope}
    return json.loads(dispatcher.dispatch(json.dumps(document).encode()))


def refusal(dispatcher, method, params=None, **envelope):
    answer = call(dispatcher, method, params, **envelope)
    assert answer["result"] is None
    error = answer["error"]
    return error["code"], error["data"]["kind"], error["message"]


def test_success(dispatcher):
    answer = call(dispatcher, "Query", {"run_id": "r", "x_note": 1})
    assert answer == {
        "jsonrpc": "2.0",
        "result": ["the service", {"run_id": "r", "x_note": 1}, []],
        "id": 1,
    }


def test_the_id_is_echoed_on_every_refusal_that_has_one(dispatcher):
    for method, envelope in [("Nope", {}), ("Query", {}), ("Free", {"jsonrpc": "1.0"})]:
        assert call(dispatcher, method, id="abc", **envelope)["id"] == "abc"
    assert call(dispatcher, "Free", id=None)["id"] is None
    assert json.loads(dispatcher.dispatch(b"{"))["id"] is None


@pytest.mark.parametrize("name", ["Nope", "query", "", "Query ", "x" * 100_000])
def test_unknown_method_is_named(dispatcher, name):
    code, kind, message = refusal(dispatcher, name)
    assert (code, kind) == (1001, "method.unknown")
    assert name[:60] in message
    assert len(message) < 200


@pytest.mark.parametrize("params", [None, {}, {"run_id": None}, {"run_id": ""}])
@pytest.mark.parametrize("method", ["Query", "Execute"])
def test_run_id_missing(dispatcher, method, params):
    assert refusal(dispatcher, method, params)[0] == 2000


@pytest.mark.parametrize(("method", "code"), [("Query", 1000), ("Execute", 2002)])
@pytest.mark.parametrize("run_id", [5, ["r"], "x" * 257])
def test_run_id_of_the_wrong_kind(dispatcher, method, code, run_id):
    assert refusal(dispatcher, method, {"run_id": run_id})[0] == code


def test_a_run_id_in_use_goes_before_a_wrong_definition(dispatcher):
    assert refusal(dispatcher, "Execute", {"run_id": "taken", "total": "x"})[0] == 2001
    assert refusal(dispatcher, "Execute", {"run_id": "free", "total": "x"})[0] == 2002


def test_wrong_params_are_named(dispatcher):
    answer = call(dispatcher, "Execute", {"run_id": "r", "totl": 1})
    assert answer["error"]["data"]["fields"] == {
        "params.totl": ['unknown member; did you mean "total"?']
    }
    assert refusal(dispatcher, "Query", {"run_id": "r", "a": 1})[0] == 1000


@pytest.mark.parametrize("params", [[], "x", 1, True])
def test_params_of_the_wrong_kind(dispatcher, params):
    assert refusal(dispatcher, "Query", params)[:2] == (1000, "envelope.invalid")


def test_unknown_params_may_be_tolerated():
    dispatcher = Dispatcher("s", replace(Rpc(), unknown_params="warn"), METHODS)
    answer = call(dispatcher, "Query", {"run_id": "r", "newer": 1})
    assert answer["result"] == ["s", {"run_id": "r"}, ["params.newer"]]


def test_ids_as_strings():
    dispatcher = Dispatcher("s", replace(Rpc(), id_as_string=True), METHODS)
    assert call(dispatcher, "Free")["id"] == "1"
    assert call(dispatcher, "Nope")["id"] == "1"
    assert call(dispatcher, "Free", id=None)["id"] is None


def test_deadline(dispatcher):
    code, kind, message = refusal(dispatcher, "Slow")
    assert (code, kind, message) == (1000, "request.deadline", "Slow took longer than 0.02 s")


@pytest.mark.parametrize("method", ["Broken", "ForeignTimeout", "Unencodable", "Exiting"])
def test_our_bugs_are_incidents(dispatcher, lines, method):
    answer = call(dispatcher, method)
    error = answer["error"]
    assert (error["code"], error["data"]["kind"]) == (1000, "internal")
    assert answer["id"] == 1
    assert "detail" not in json.dumps(answer)
    assert "Traceback" not in json.dumps(answer)
    (line,) = [line for line in lines() if error["data"]["incident"] in line]
    assert "Traceback" in line


TOKENS = ("first-token", "second-töken")


@pytest.mark.parametrize("token", TOKENS)
def test_tokens(token):
    dispatcher = Dispatcher("s", replace(Rpc(), auth_tokens=TOKENS), METHODS)
    assert call(dispatcher, "Free", {"auth_token": token, "x_a": 1})["result"] == {"x_a": 1}


@pytest.mark.parametrize("token", [None, "", "first-toke", "first-tokens", 5, ["first-token"]])
def test_wrong_tokens(token, lines):
    dispatcher = Dispatcher("s", replace(Rpc(), auth_tokens=TOKENS), METHODS)
    # A stranger does not even learn whether a method exists.
    assert refusal(dispatcher, "Nope", {"auth_token": token})[:2] == (1000, "auth.denied")
    assert refusal(dispatcher, "Nope")[:2] == (1000, "auth.denied")
    assert not any("toke" in line for line in lines())


def test_a_token_nobody_asked_for_is_dropped(dispatcher):
    assert call(dispatcher, "Free", {"auth_token": "t"})["result"] == {}


def test_the_token_is_not_in_an_incident(lines):
    dispatcher = Dispatcher("s", replace(Rpc(), auth_tokens=TOKENS), METHODS)
    call(dispatcher, "Broken", {"auth_token": TOKENS[0]})
    assert lines()
    assert not any(TOKENS[0] in line for line in lines())


def test_requests_are_counted_by_method_and_code(dispatcher):
    for run_id in ("r", "s"):
        call(dispatcher, "Query", {"run_id": run_id})
    call(dispatcher, "Query")
    call(dispatcher, "Execute", {"run_id": "taken"})
    call(dispatcher, "Broken")
    for number in range(5):
        call(dispatcher, f"NoSuch{number}")
    dispatcher.dispatch(b"{")
    assert dispatcher.traffic.requests == {
        ("Query", 0): 2,
        ("Query", 2000): 1,
        ("Execute", 2001): 1,
        ("Broken", 1000): 1,
        ("(unknown)", 1001): 5,
        ("(unreadable)", 1000): 1,
    }
    assert set(dispatcher.traffic.seconds) == {
        "Query", "Execute", "Broken", "(unknown)", "(unreadable)",
    }  # fmt: skip
    assert dispatcher.traffic.in_progress == 0


def whose(dispatcher, address, **params):
    document = {"jsonrpc": "2.0", "method": "Whose", "params": params, "id": 1}
    answer = json.loads(dispatcher.dispatch(json.dumps(document).encode(), address))
    assert client() == NOBODY, "nothing of it is left"
    return answer["result"]


def test_a_request_counts_for_the_address_it_comes_from(dispatcher):
    assert whose(dispatcher, "192.0.2.1") == "192.0.2.1"
    assert whose(dispatcher, "192.0.2.1", auth_token="no use here") == "192.0.2.1"


def test_a_request_with_a_token_counts_for_the_token():
    dispatcher = Dispatcher("s", replace(Rpc(), auth_tokens=TOKENS), METHODS)
    first = whose(dispatcher, "192.0.2.1", auth_token=TOKENS[0])
    assert whose(dispatcher, "192.0.2.2", auth_token=TOKENS[0]) == first
    other = whose(dispatcher, "192.0.2.1", auth_token=TOKENS[1])
    assert len({first, other, "192.0.2.1"}) == 3
    assert not any(token in name for token in TOKENS for name in (first, other))
