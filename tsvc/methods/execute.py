"""ExecuteTest: create and start a Test Run."""

from typing import Any

from tsvc.engine.definition.reading import AnyMembers, read_definition
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

    def check_run_id(self, service: Any, run_id: str) -> None:
        service.require_free(run_id)

    def call(self, service: Any, params: LoadedParams) -> object:
        definition, problems = read_definition(service, params)
        if definition is None:
            raise DefinitionError.of(problems)
        return service.execute(params["run_id"], definition)
