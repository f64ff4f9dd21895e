"""QueryTest: the result of a run so far; a completed run is collected by reading it."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import RunParams
from tsvc.schema.load import LoadedParams

MAX_WAIT_S = 60


class QueryParams(RunParams):
    """run_id, and how long to wait for the run to complete."""

    wait_s = fields.Number(0, MAX_WAIT_S, load_default=0.0)


@method
class QueryTest(Method):
    """Answers at once, or when the run completes within wait_s."""

    name = "QueryTest"
    Params = QueryParams
    needs_run_id = True
    deadline_s = MAX_WAIT_S + 15.0

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.query(params["run_id"], params["wait_s"])
