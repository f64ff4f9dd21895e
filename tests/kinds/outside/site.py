"""A site's own classes, and gateways of them: fixtures of the tests of classes from outside."""

import sys
import textwrap
from types import MappingProxyType

import pytest
from support.waiting import until

from tsvc.clock import SYSTEM_CLOCK
from tsvc.config.tables import Application
from tsvc.engine.gateway_table import GatewayTable
from tsvc.gateways.gateway import GatewayContext, GatewayState

SITE = """
import gevent
import threading
import time

made = []
goes_on = threading.Event()


class Pi:
    kind = "pi"

    def __init__(self, name, config):
        self.name, self.config, self.events, self.threads = name, config, [], set()
        self.holds = 0
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
        if command == "HOLD":
            self.hold()
        return {"status": "ack", "info": command, "fields": {"N": len(made)}}

    def hold(self):
        # Until the test says so.
        self.holds += 1
        while not goes_on.is_set():
            (gevent.sleep if self.config.get("is_green") else time.sleep)(0.01)

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
    """The name of a module with the text SITE, which is imported again in each test."""
    name = f"legacy_site_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(SITE))
    (tmp_path / f"{name}_raises.py").write_text("1 / 0")
    (tmp_path / f"{name}_imports.py").write_text("import tsvc_is_not_this")
    monkeypatch.syspath_prepend(tmp_path)
    yield name
    release(name)
    for one in [one for one in sys.modules if one.startswith(name)]:
        del sys.modules[one]


@pytest.fixture
def make(site):
    """Make the gateway of a class of the site; it is started, and up by default."""
    tables = []

    def make(class_name, is_up=True, **members):
        table = GatewayTable(GatewayContext(SYSTEM_CLOCK, lambda: 0.0))
        tables.append(table)
        module = f"{site}:{class_name}"
        application = Application("OLD", module, MappingProxyType(members), "test.toml")
        table.build({"OLD": application})
        table.start()
        gateway = next(iter(table._gateways.values()))
        until(lambda: (gateway.status().state is GatewayState.UP) if is_up else True)
        return gateway

    yield make
    for table in tables:
        table.stop(0.0)


def made(site):
    return sys.modules[site].made


def release(site):
    """Release the calls of HOLD, which then return."""
    if site in sys.modules:
        sys.modules[site].goes_on.set()
