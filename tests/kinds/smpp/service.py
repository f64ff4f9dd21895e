"""A service with an SMSC and an ESME that is bound to it; operations of definitions."""

import json
from itertools import count

import gevent
import pytest
from support.esme import GUARD_S, PlainEsme

from tsvc.config.tables import Application, Config, Results, Rpc
from tsvc.config.tables import Service as ServiceConfig
from tsvc.engine.service import Service
from tsvc.server.dispatch import Dispatcher

SEND = "smpp.smsc_to_esme.Request"
REGISTER = "smpp.smsc_from_esme.Register"
EXPECT = "smpp.smsc_from_esme.Request"


class Smsc:
    """A service whose only application is an SMSC."""

    def __init__(self, folder, **members):
        applications = {"SMSC": Application("SMSC", "smpp", {"port": 0, **members}, "test")}
        config = Config(
            service=ServiceConfig(state_dir=folder),
            rpc=Rpc(),
            results=Results(),
            applications=applications,
        )
        self.service = Service(config)
        self.service.start()
        self._dispatcher = Dispatcher(self.service, config.rpc)
        self._ids = count(1)

    @property
    def gateway(self):
        return self.service.gateways.of_kind("smpp")[0]

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return json.loads(self._dispatcher.dispatch(json.dumps(request).encode()))

    def call(self, method, **params):
        response = self.ask(method, **params)
        assert "error" not in response, response["error"]
        return response["result"]

    def execute(self, *operations, **params):
        run_id = f"run {next(self._ids)}"
        params = {"distribution": {"type": "single"}, **params}
        assert self.call("ExecuteTest", run_id=run_id, operations=list(operations), **params)
        return run_id

    def finish(self, run_id):
        result = self.call("QueryTest", run_id=run_id, wait_s=GUARD_S)
        assert result["completed"] == 1, "hangs"
        return result

    def problems(self, *operations):
        found = self.call("ValidateTest", operations=list(operations))["problems"]
        return {one["path"]: one["text"] for one in found if one["severity"] == "error"}

    def until(self, condition):
        with gevent.Timeout(GUARD_S):
            while not condition():
                gevent.sleep(0.002)


@pytest.fixture
def smsc(tmp_path):
    made = Smsc(tmp_path)
    yield made
    made.service.stop()


@pytest.fixture
def esme(smsc):
    with PlainEsme(smsc.gateway.port) as one:
        assert one.bind().command_status == 0
        yield one


def send(parameters, *tests, **arguments):
    given = {"pdu": "deliver_sm", "parameters": parameters, **arguments}
    return {"type": SEND, "arguments": given, "tests": list(tests)}


def register(address="777", pdu="submit_sm"):
    return {"type": REGISTER, "arguments": {"pdu": pdu, "destination_addr": address}}


def expect(parameters=None, *tests, **arguments):
    given = {"pdu": "submit_sm", **arguments}
    if parameters is not None:
        given["parameters"] = parameters
    return {"type": EXPECT, "arguments": given, "tests": list(tests)}


def checks(result):
    log = result["first_call_summary"]["check_log"]
    return [(entry["level"], entry["text"]) for entry in log]


def reason(result):
    return result["first_call_summary"]["reason"]


def is_registered(smsc):
    return lambda: len(smsc.gateway.registrations) > 0
