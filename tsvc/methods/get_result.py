"""GetResult: the whole result of one archived run."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.result.result_example import RESULT, RESULT_ID
from tsvc.engine.result.result_schema import ArchivedResult
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class ResultParams(Params):
    """The result to return, optionally with its definition."""

    result_id = fields.Integer(
        1, LARGEST_ID, required=True, help="number of the result in the archive"
    )
    definition = fields.Boolean(default=False, help="whether the answer has the definition too")


@method
class GetResult(Method):
    """Answers the same result as QueryTest, however long ago the run was.

    On request also `definition`: the params that ExecuteTest checked, with defaults filled in.
    """

    name = "GetResult"
    summary = "The result of a run from the archive, whole, whenever the run was."
    Params = ResultParams
    Result = ArchivedResult
    kinds = ("run_id.unknown", "archive.down")
    example = Example({"result_id": RESULT_ID}, RESULT)

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.get_result(params["result_id"], has_definition=params["definition"])
