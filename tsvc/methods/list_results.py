"""ListResults: archived runs, latest first."""

from typing import ClassVar

from tsvc.archive.store import LARGEST_ID
from tsvc.archive.wanted import Wanted
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import NOW, RESULT_ID, SUMMARY
from tsvc.engine.result.result_schema import ListedResult
from tsvc.engine.run import VERDICTS
from tsvc.engine.service import Service
from tsvc.errors import RequestError
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params, RunId, check_run_id
from tsvc.schema.load import LoadedParams


class ListParams(Params):
    """The number of results, the result_id before which they are, and a filter of runs."""

    class Meta(Params.Meta):
        include: ClassVar = {
            "from": fields.Number(
                allow_none=True, help="only runs that began then or later; of the epoch", unit="s"
            )
        }

    limit = fields.Integer(1, 1000, default=50, help="how many at most")
    before = fields.Integer(
        1,
        LARGEST_ID,
        allow_none=True,
        help="only results of a lower number: the last of the page before",
    )
    run_id = RunId(allow_none=True, help="only runs of this id")
    name = fields.String(allow_none=True, help="only runs of a definition with this `name`")
    verdict = fields.Choice(VERDICTS, allow_none=True, help="only runs that ended so")
    to = fields.Number(
        allow_none=True, help="only runs that began before then; of the epoch", unit="s"
    )
    text = fields.String(
        allow_none=True, help="only runs with this in run_id, name or client, in any case"
    )


class Results(AnswerMembers):
    """A page of the archive."""

    time_now = member.moment("wall time of the answer")
    complete = member.flag(
        "0: the archive can't be read now, and only those are listed that wait for it"
    )
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
        {"limit": 1},
        {
            "time_now": NOW,
            "complete": 1,
            "results": [{"result_id": RESULT_ID, **SUMMARY, "archived": 1}],
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        run_id = params.get("run_id")
        if run_id is not None:
            run_id = check_run_id(params, RequestError)
        wanted = Wanted(
            params["limit"],
            params.get("before"),
            run_id,
            params.get("name"),
            params.get("verdict"),
            params.get("from"),
            params.get("to"),
            params.get("text"),
        )
        return service.list_results(wanted)
