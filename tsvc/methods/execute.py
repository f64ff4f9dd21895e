"""ExecuteTest: create and start a Test Run."""

from tsvc.engine.definition.judge import AnyMembers
from tsvc.engine.service import Service
from tsvc.errors import DefinitionError
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class ExecuteTest(Method):
    """Answers `ok` as soon as the run is started; never waits for it."""

    name = "ExecuteTest"
    Params = AnyMembers
    needs_run_id = True
    params_error = DefinitionError

    def check_run_id(self, service: Service, run_id: str) -> None:
        service.require_free(run_id)

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.execute(params["run_id"], params)
