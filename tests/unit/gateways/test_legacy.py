"""Classes from outside: loading, their life, both ways to call them, what they may return."""

import sys
import textwrap
import threading
import time
from types import MappingProxyType

import gevent
import pytest

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config import Application
from tsvc.engine.gateways import GatewayConfigError, GatewayTable
from tsvc.errors import GatewayError
from tsvc.gateways._base import GatewayContext, GatewayState
from tsvc.gateways._db_statements import Shape
from tsvc.protocols.pi.codec import Status

GUARD_S = 30.0  # a hang guard, never a measurement

SITE = """
import gevent
import threading
import time

made = []


class Pi:
    kind = "pi"

    def __init__(self, name, config):
        self.name, self.config, self.events, self.threads = name, config, [], set()
        made.append(self)

    def start(self):
        self.threads.add(threading.get_ident())
        if self.config.get("is_broken"):
            raise ValueError("no way in")
        if self.config.get("is_chatty"):
            raise ValueError(f"refused: {self.config}")

    def request(self, command, parameters):
        self.threads.add(threading.get_ident())
        if command == "RAISE":
            raise ConnectionError("the line is dead")
        if command == "SILENT":
            raise KeyError
        if command == "RESULT":
            return parameters["value"]
        if command == "WAIT":
            self.wait(parameters["seconds"])
        return {"status": "ack", "info": command, "fields": {"N": len(made)}}

    def wait(self, seconds):
        (gevent.sleep if self.config.get("is_green") else time.sleep)(seconds)

    def stop(self, grace_s):
        self.events.append("stop")

    def kill(self):
        self.events.append("kill")


class Db:
    kind = "db"
    statements = ("Rows", "Row", "Nothing", "Count", "Wrong")

    def __init__(self, name, config):
        pass

    def query(self, name, values):
        from decimal import Decimal

        return {
            "Rows": [{"a": Decimal("1.50"), "b": b"\\x01"}, values],
            "Row": {"a": 1},
            "Nothing": None,
            "Count": 3,
            "Wrong": "text",
        }[name]


class DbWithSql(Db):
    def sql(self, sql, values):
        return [{"sql": sql, **values}]


class Rest:
    kind = "rest"

    def __init__(self, name, config):
        pass

    def request(self, method, path, headers, content):
        if path == "/tuple":
            return 404, {"X-A": "1"}, "nothing here"
        if path == "/wrong":
            return "200"
        shown = {"method": method, "path": path, "headers": headers, "content": content.decode()}
        return {"code": 200, "headers": {"Server": "old"}, "content": shown}


class Osd:
    kind = "osd"

    def __init__(self, name, config):
        pass

    def call(self, action, operation, parameters):
        if operation == "Fail":
            return {"fault": {"code": "1", "string": "no such subscriber", "detail": None}}
        if operation == "Wrong":
            return {}
        if operation == "Bare":
            return {"fault": None}
        if operation == "Odd":
            return {"returned": {}, "code": "ok"}
        return {"returned": {"action": action, **parameters}}


class Sick(Pi):
    def status(self):
        return {"state": "down", "detail": "the licence is over"}


class NoKind:
    pass


class WrongKind:
    kind = "pie"


class Sigtran:
    kind = "sigtran"


not_a_class = 5
"""


@pytest.fixture(autouse=True)
def site(tmp_path, monkeypatch):
    """The module of SITE, imported anew for each test by the name that it returns."""
    name = f"legacy_site_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(SITE))
    (tmp_path / f"{name}_raises.py").write_text("1 / 0")
    (tmp_path / f"{name}_imports.py").write_text("import tsvc_is_not_this")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    for one in [one for one in sys.modules if one.startswith(name)]:
        del sys.modules[one]


@pytest.fixture
def make(site):
    """Make the gateway of a class of the site, started and up unless told otherwise."""
    tables = []

    def make(class_name, is_up=True, **members):
        table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
        tables.append(table)
        module = f"{site}:{class_name}"
        application = Application("OLD", module, MappingProxyType(members), "test.toml")
        table.build({"OLD": application})
        table.start()
        gateway = next(iter(table._gateways.values()))
        wait_for(lambda: (gateway.status().state is GatewayState.UP) if is_up else True)
        return gateway

    yield make
    for table in tables:
        table.stop(0.0)


def made(site):
    return sys.modules[site].made


def wait_for(condition):
    deadline = time.monotonic() + GUARD_S
    while not condition():
        assert time.monotonic() < deadline, "hangs"
        gevent.sleep(0.005)


def problem(module):
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    with pytest.raises(GatewayConfigError) as caught:
        table.build({"OLD": Application("OLD", module, {}, "test.toml")})
    (found,) = caught.value.problems
    assert found.path == 'application."OLD".module'
    return found.text.removeprefix("test.toml: ")


# -- loading --------------------------------------------------------------------------------------


def test_what_can_not_be_loaded_is_said(site):
    known = "db, diameter, osd, pi, rest, sigtran, smpp"
    for module, text in {
        "pie": "no gateway kind is named 'pie'; did you mean \"pi\"?",
        "a.b:": "'a.b:' is neither a kind nor \"package.module:Class\"",
        "../evil:Class": "'../evil:Class' is neither a kind nor \"package.module:Class\"",
        "tsvc_is_not_this:Class": "no module 'tsvc_is_not_this' on the Python path",
        f"{site}.sub:Class": f"no module '{site}.sub' on the Python path",
        f"{site}_imports:Class": "no module 'tsvc_is_not_this' on the Python path,"
        f" which {site}_imports imports",
        f"{site}_raises:Class": f"{site}_raises: ZeroDivisionError: division by zero",
        f"{site}:Rests": f'module {site} has no class Rests; did you mean "Rest"?',
        f"{site}:not_a_class": f"{site}:not_a_class is no class",
        f"{site}:NoKind": f"{site}:NoKind has no attribute kind, it must be one of {known}",
        f"{site}:WrongKind": f"{site}:WrongKind has kind 'pie', it must be one of {known};"
        ' did you mean "pi"?',
        f"{site}:Sigtran": f"{site}:Sigtran: sigtran takes a subclass of Gateway only;"
        " plain classes: db, osd, pi, rest",
    }.items():
        assert problem(module) == text


def test_a_subclass_of_gateway_is_taken_as_it_is(site, tmp_path):
    (tmp_path / f"{site}_own.py").write_text(
        "from tsvc.gateways.pi import PiGateway\n\n\nclass Own(PiGateway):\n    pass\n"
    )
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    members = {"remote_host": "127.0.0.1"}
    table.build({"OLD": Application("OLD", f"{site}_own:Own", members, "test.toml")})
    (gateway,) = table.of_kind("pi")
    assert type(gateway).__name__ == "Own"
    with pytest.raises(GatewayConfigError, match="remote_host"):
        table.build({"OLD": Application("OLD", f"{site}_own:Own", {}, "test.toml")})


def test_members_of_the_adapter_are_checked(site):
    table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
    members = {"objects": 0, "call_timeout_s": "x"}
    with pytest.raises(GatewayConfigError) as caught:
        table.build({"OLD": Application("OLD", f"{site}:Pi", members, "test.toml")})
    assert sorted(one.path for one in caught.value.problems) == [
        'application."OLD".call_timeout_s',
        'application."OLD".objects',
    ]


# -- life -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("blocking", [False, True])
def test_an_object_from_its_making_to_its_end(make, site, blocking):
    gateway = make("Pi", blocking=blocking, host="h", password="geheim")
    assert gateway.kind == "pi"
    assert gateway.request("QRY", {}).as_dict()["info"] == "QRY"
    (one,) = made(site)
    assert (one.name, one.config) == ("OLD", {"host": "h", "password": "geheim"})
    assert len(one.threads) == 1, "made and used in one thread"
    assert (one.threads == {threading.get_ident()}) is not blocking
    gateway.stop(1.0)
    wait_for(lambda: one.events == ["stop"])
    assert gateway.status().state is GatewayState.DOWN
    with pytest.raises(GatewayError, match="OLD is down"):
        gateway.request("QRY", {})


@pytest.mark.parametrize("blocking", [False, True])
def test_a_start_that_fails(make, site, blocking):
    gateway = make("Pi", is_up=False, is_broken=True, blocking=blocking)
    wait_for(lambda: gateway.status().detail == "no way in")
    assert gateway.status().state is GatewayState.CONNECTING
    wait_for(lambda: len(made(site)) >= 2)
    gateway.kill()
    gateway.kill()
    wait_for(lambda: all(one.events == ["kill"] for one in made(site)))
    gateway.start()
    gateway.start()
    wait_for(lambda: gateway.status().detail == "no way in")


def test_secrets_in_what_an_object_raises_are_not_shown(make):
    secrets = {"password": "geheim", "api_token": "t0ken", "user": "admin"}
    gateway = make("Pi", is_up=False, is_chatty=True, **secrets)
    wait_for(lambda: "admin" in gateway.status().detail)
    assert "geheim" not in gateway.status().detail
    assert "t0ken" not in gateway.status().detail


def test_an_object_that_says_it_is_not_well(make):
    gateway = make("Sick", is_up=False)
    wait_for(lambda: gateway.status().detail == "the licence is over")
    assert gateway.status().state is GatewayState.CONNECTING


@pytest.mark.parametrize("blocking", [False, True])
def test_an_object_that_raises_is_replaced(make, site, blocking):
    gateway = make("Pi", blocking=blocking)
    with pytest.raises(GatewayError, match=r"^OLD: the line is dead$"):
        gateway.request("RAISE", {})
    with pytest.raises(GatewayError, match=r"^OLD: KeyError$"):
        gateway.request("SILENT", {})
    assert gateway.request("QRY", {}).status is Status.ACK
    assert len(made(site)) == 3
    wait_for(lambda: [one.events for one in made(site)[:2]] == [["kill"], ["kill"]])


@pytest.mark.parametrize("mode", [{"is_green": True}, {"blocking": True}])
def test_a_call_that_is_given_up_answers_nobody(make, site, mode):
    gateway = make("Pi", call_timeout_s=0.1, **mode)
    with pytest.raises(GatewayError, match=r"OLD: no result within 0\.1 s"):
        gateway.request("WAIT", {"seconds": 0.5})
    assert gateway.request("QRY", {}).as_dict()["info"] == "QRY"
    first, second = made(site)
    wait_for(lambda: first.events == ["kill"])
    assert second.events == []


@pytest.mark.parametrize("mode", [{"is_green": True}, {"blocking": True}])
def test_a_killed_greenlet(make, site, mode):
    gateway = make("Pi", **mode)
    slow = gevent.spawn(gateway.request, "WAIT", {"seconds": 0.3})
    wait_for(lambda: gateway.status().counters["in_use"])
    gevent.sleep(0.02)
    slow.kill()
    assert gateway.request("QRY", {}).as_dict()["info"] == "QRY"
    wait_for(lambda: made(site)[0].events == ["kill"])


def test_threads_that_hang_are_bounded(make):
    gateway = make("Pi", blocking=True, call_timeout_s=0.05, objects=1)
    refused = 0
    for _ in range(4):
        try:
            gateway.request("WAIT", {"seconds": 1.0})
        except GatewayError as error:
            refused += "hang in calls" in str(error)
    assert refused == 2
    assert gateway.status().counters["threads"] == 2
    wait_for(lambda: gateway.status().counters["threads"] <= 1)
    wait_for(lambda: gateway.status().state is GatewayState.UP)
    assert gateway.request("QRY", {}).status is Status.ACK


def test_objects_work_side_by_side_and_the_loop_goes_on(make, site):
    gateway = make("Pi", blocking=True, objects=3)
    calls = [gevent.spawn(gateway.request, "WAIT", {"seconds": 0.2}) for _ in range(3)]
    wait_for(lambda: gateway.status().counters["in_use"] == 3)
    for _ in range(10):
        gevent.sleep(0.001)
    assert not any(call.ready() for call in calls)
    gevent.joinall(calls, timeout=GUARD_S, raise_error=True)
    assert len(made(site)) == 3


def test_no_object_is_free(make):
    gateway = make("Pi", is_green=True, backlog_timeout_s=0.05)
    slow = gevent.spawn(gateway.request, "WAIT", {"seconds": GUARD_S})
    wait_for(lambda: gateway.status().counters["in_use"])
    with pytest.raises(GatewayError, match=r"no free connection within 0\.05 s"):
        gateway.request("QRY", {})
    slow.kill()


# -- results, by kind -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"status": "NACK", "info": "88-no"}, ("NACK", "88-no", {})),
        (("ACK", "B=1"), ("ACK", "B=1", {})),
        ({"status": "ack", "fields": {"B": 1}}, ("ACK", "", {"B": 1})),
    ],
)
def test_pi_results(make, value, wanted):
    told = []
    reply = make("Pi").request("RESULT", {"value": value}, lambda *one: told.append(one))
    tree = reply.as_dict()
    assert (tree["status"], tree["info"], tree["fields"]) == wanted
    assert [is_sent for is_sent, _ in told] == [True, False]


@pytest.mark.parametrize("value", [None, 5, {}, {"status": "maybe"}, ("ACK",)])
def test_pi_results_that_are_none(make, value):
    with pytest.raises(
        GatewayError, match=r"OLD: request\(\) returned .*, not a dict with status"
    ):
        make("Pi").request("RESULT", {"value": value})


def test_db_results(make):
    gateway = make("Db")

    def perform(name, **values):
        return gateway.perform(gateway.statement(name), values).tree()

    rows = [{"a": "1.50", "b": "01"}, {"x": 5}]
    assert perform("Rows", x=5) == {"rows": rows, "count": 2}
    assert perform("Row") == {"rows": {"a": 1}, "count": 1, "value": 1}
    assert perform("Nothing") == {"rows": None, "count": 0}
    assert perform("Count") == {"rows": [], "count": 3}
    with pytest.raises(GatewayError, match=r"query\(\) returned 'text', not rows"):
        perform("Wrong")
    with pytest.raises(GatewayError, match='no statement Rowsy; did you mean "Rows"'):
        perform("Rowsy")
    with pytest.raises(GatewayError, match=r"no method sql\(\)"):
        gateway.query("SELECT 1", Shape.ROWS)
    other = make("DbWithSql")
    answer = other.perform(other.query("SELECT :a", Shape.ROWS), {"a": 1})
    assert answer.rows == [{"sql": "SELECT :a", "a": 1}]


def test_rest_results(make):
    gateway = make("Rest")
    headers = [("X-A", "1", False)]
    request = gateway.request(
        "POST", "a b", {"q": "ä"}, headers=headers, content_type="text/plain", body=b"hi"
    )
    response = gateway.send(request)
    assert (response.code, response.field("server")) == (200, "old")
    assert b'"path": "/a%20b?q=%C3%A4"' in response.body
    assert b'"headers": {"Content-Type": "text/plain", "X-A": "1"}' in response.body
    told = []
    response = gateway.send(gateway.request("GET", "/tuple"), lambda *one: told.append(one))
    assert (response.code, response.body, response.field("x-a")) == (404, b"nothing here", "1")
    assert told[1] == (False, response.octets)
    with pytest.raises(GatewayError, match=r"request\(\) returned '200'"):
        gateway.send(gateway.request("GET", "/wrong"))


def test_osd_results(make):
    gateway = make("Osd")
    told = []
    code, answer = gateway.call("a", "ns", "Do", {"x": 1}, lambda *one: told.append(one))
    assert (code, answer.as_dict()) == (
        200,
        {"element": "DoResponse", "returned": {"action": "a", "x": 1}},
    )
    assert [is_sent for is_sent, _ in told] == [True, False]
    code, answer = gateway.call("a", "ns", "Fail", {})
    assert (code, answer.fault.code, answer.fault.string) == (500, "1", "no such subscriber")
    code, answer = gateway.call("a", "ns", "Bare", {})
    assert (code, answer.fault.code, answer.fault.string) == (500, "", "")
    for operation in ("Wrong", "Odd"):
        with pytest.raises(GatewayError, match="not a dict with returned or fault"):
            gateway.call("a", "ns", operation, {})
