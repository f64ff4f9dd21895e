"""GetResult: one archived run, whole."""

from tsvc.archive.store import LARGEST_ID
from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class ResultParams(Params):
    """Which one, and whether its definition is wanted too."""

    result_id = fields.Integer(1, LARGEST_ID, required=True)
    definition = fields.Boolean(load_default=False)


@method
class GetResult(Method):
    """Answers what QueryTest answered, whenever the run was.

    Asked for it, also `definition`: the params that ExecuteTest checked, defaults filled in.
    """

    name = "GetResult"
    Params = ResultParams

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.get_result(params["result_id"], has_definition=params["definition"])
