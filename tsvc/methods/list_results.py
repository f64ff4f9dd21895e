"""ListResults: archived runs, latest first."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.outcome import member
from tsvc.engine.outcome.member import AnswerMembers
from tsvc.engine.outcome.result_example import NOW, RESULT_ID, SUMMARY
from tsvc.engine.outcome.result_schema import ListedResult
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class ListParams(Params):
    """How many, before which result_id, of which run_id."""

    limit = fields.Integer(1, 1000, default=50, help="how many at most")
    before = fields.Integer(
        1,
        LARGEST_ID,
        allow_none=True,
        help="only results of a lower number: the last of the page before",
    )
    run_id = RunId(allow_none=True, help="only runs of this id")


class Results(AnswerMembers):
    """A page of the archive."""

    time_now = member.moment("wall time of the answer")
    results = member.each(ListedResult, "runs in short, latest first")


@method
class ListResults(Method):
    """Answers {results[]}: summaries with their result_id."""

    name = "ListResults"
    summary = "Runs of the archive in short, latest first, a page at a time."
    Params = ListParams
    Result = Results
    kinds = ("run_id.missing", "archive.down")
    example = Example(
        {"limit": 1}, {"time_now": NOW, "results": [{"result_id": RESULT_ID, **SUMMARY}]}
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        run_id = params.get("run_id")
        if run_id is not None:
            run_id = check_run_id(params, RequestError)
        return service.list_results(params["limit"], params.get("before"), run_id)
