"""A service without sockets: what goes through ask() is what a client would send and get."""

import json
from itertools import count
from pathlib import Path
from typing import Any

from tsvc.config.tables import Application, Config, Engine, Results, Rpc, Scp
from tsvc.config.tables import Service as ServiceConfig
from tsvc.engine.service import Service
from tsvc.server.dispatch import Dispatcher

GUARD_S = 60.0  # a hang guard, never a measurement


class InProcess:
    """Service and Dispatcher on a state folder, with a loopback SIGTRAN instance called LOOP."""

    def __init__(self, folder: Path, *, flows: tuple[Path, ...] = (), **engine: Any) -> None:
        config = Config(
            service=ServiceConfig(state_dir=folder),
            rpc=Rpc(),
            engine=Engine(**engine),
            results=Results(),
            scp=Scp(flows=flows),
            applications={"LOOP": Application("LOOP", "sigtran", {}, "test")},
        )
        self.service = Service(config)
        self.service.start()
        self.dispatcher = Dispatcher(self.service, config.rpc)
        self._ids = count(1)

    def stop(self) -> None:
        self.service.stop()

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the whole response."""
        request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
        response = json.loads(self.dispatcher.dispatch(json.dumps(request).encode()))
        assert isinstance(response, dict)
        return response

    def call(self, method: str, **params: Any) -> Any:
        """Return the result; a refusal fails."""
        response = self.ask(method, **params)
        assert "error" not in response, response["error"]
        return response["result"]

    def execute(self, operations: list[dict[str, Any]], **params: Any) -> str:
        """Start a run and return its run_id."""
        run_id = str(params.pop("run_id", f"run {next(self._ids)}"))
        assert self.call("ExecuteTest", run_id=run_id, operations=operations, **params) == "ok"
        return run_id

    def finish(self, run_id: str) -> dict[str, Any]:
        """Return the result of a run when it is completed."""
        result = self.call("QueryTest", run_id=run_id, wait_s=GUARD_S)
        assert result["completed"] == 1, "hangs"
        return dict(result)

    def run(self, operations: list[dict[str, Any]], **params: Any) -> dict[str, Any]:
        """Execute to the end and return the result."""
        return self.finish(self.execute(operations, **params))
