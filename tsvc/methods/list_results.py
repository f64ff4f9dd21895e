"""ListResults: archived runs, latest first."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class ListParams(Params):
    """How many, before which result_id, of which run_id."""

    limit = fields.Integer(1, 1000, load_default=50)
    before = fields.Integer(1, LARGEST_ID, allow_none=True)
    run_id = RunId(allow_none=True)


@method
class ListResults(Method):
    """Answers {results[]}: summaries with their result_id."""

    name = "ListResults"
    Params = ListParams

    def call(self, service: Service, params: LoadedParams) -> object:
        run_id = params.get("run_id")
        if run_id is not None:
            run_id = check_run_id(params, RequestError)
        return service.list_results(params["limit"], params.get("before"), run_id)
