"""ExecuteTest: create and start a Test Run."""

from tsvc.engine.compiler.judge import AnyMembers
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.result import member
from tsvc.engine.result.result_example import DEFINITION, RUN_ID
from tsvc.engine.service import Service
from tsvc.errors import DefinitionError
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


@method
class ExecuteTest(Method):
    """Answers `ok` as soon as the run is started; never waits for it."""

    name = "ExecuteTest"
    summary = "Creates a run of a definition and starts it; answers at once, never waits for it."
    Params = AnyMembers
    Definition = TestParameters
    Result = member.choice(("ok",), "the run is started: its locks are held")
    kinds = (
        "run_id.in_use",
        "definition.invalid",
        "lock.expression",
        "draining",
        "overload",
        "gateway.down",
        "lock.taken",
        "archive.down",
        "start.refused",
        "cluster.globals",
        "cluster.worker",
        "cluster.gateway",
        "cluster.clock",
    )
    example = Example({"run_id": RUN_ID, **DEFINITION}, "ok")
    needs_run_id = True
    params_error = DefinitionError

    def check_run_id(self, service: Service, run_id: str) -> None:
        service.require_free(run_id)

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.execute(params["run_id"], params)
