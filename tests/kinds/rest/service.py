"""A service with HTTP applications, asked as a client would."""

import json
from itertools import count

import gevent

from tsvc.config.tables import Application, Config, Engine, Results, Rpc
from tsvc.config.tables import Service as ServiceConfig
from tsvc.engine.service import Service
from tsvc.server.dispatch import Dispatcher

GUARD_S = 30.0


class HttpService:
    """applications: {name: (kind, members)}. A loopback SIGTRAN instance is there too."""

    def __init__(self, folder, applications):
        made = {"LOOP": Application("LOOP", "sigtran", {}, "test")}
        for name, (kind, members) in applications.items():
            made[name] = Application(name, kind, members, "test")
        config = Config(
            service=ServiceConfig(state_dir=folder),
            rpc=Rpc(),
            engine=Engine(),
            results=Results(),
            applications=made,
        )
        self.service = Service(config)
        self.service.start()
        self._dispatcher = Dispatcher(self.service, config.rpc)
        self._ids = count(1)
        with gevent.Timeout(GUARD_S):
            while not all(one["state"] == "up" for one in self.service.gateways.status()):
                gevent.sleep(0.005)

    def stop(self):
        self.service.stop()

    def ask(self, method, **params):
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return json.loads(self._dispatcher.dispatch(json.dumps(request).encode()))

    def run(self, *operations, **params):
        """Execute to the end and return the result."""
        run_id = f"run {next(self._ids)}"
        params = {"operations": list(operations), "ssp_ac": "camel2", **params}
        answer = self.ask("ExecuteTest", run_id=run_id, **params)
        assert answer.get("result") == "ok", answer
        result = self.ask("QueryTest", run_id=run_id, wait_s=GUARD_S)["result"]
        assert result["completed"] == 1, "hangs"
        return result

    def refused(self, *operations, **params):
        """Return {path: texts} of what is wrong with a definition."""
        answer = self.ask("ExecuteTest", run_id="refused", operations=list(operations), **params)
        fields = answer["error"]["data"]["fields"]
        return {path.removeprefix("params."): texts for path, texts in fields.items()}


def first(result):
    return result["first_call_summary"]


def failures(result):
    return [one["text"] for one in first(result)["check_log"] if one["level"].lower() != "pass"]
