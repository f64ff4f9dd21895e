"""ExecuteTest: create and start a Test Run."""

from typing import Any

from tsvc.engine.parameters import TestParameters
from tsvc.errors import DefinitionError
from tsvc.methods._base import Method, method
from tsvc.rpc.params import LoadedParams


@method
class ExecuteTest(Method):
    """Answers `ok` as soon as the run is started; never waits for it."""

    name = "ExecuteTest"
    Params = TestParameters
    needs_run_id = True
    params_error = DefinitionError

    def check_run_id(self, service: Any, run_id: str) -> None:
        service.require_free(run_id)

    def call(self, service: Any, params: LoadedParams) -> object:
        return service.execute(params["run_id"], params)
