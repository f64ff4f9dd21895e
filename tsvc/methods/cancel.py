"""CancelTest: end a run properly and collect it."""

from tsvc.engine.result.result_example import RESULT, RUN_ID
from tsvc.engine.result.result_schema import CancelledResult
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, OneRun, method
from tsvc.schema.load import LoadedParams


@method
class CancelTest(Method):
    """Answers the result of QueryTest, and `cancelled`."""

    name = "CancelTest"
    summary = (
        "Ends a run and collects its result: starts no more, closes every dialogue and session "
        "the proper way, within `engine.cancel_grace_s`."
    )
    Params = OneRun
    Result = CancelledResult
    kinds = ("run_id.unknown",)
    example = Example({"run_id": RUN_ID}, {**RESULT, "cancelled": 0})
    needs_run_id = True
    is_urgent = True
    deadline_s = 3660.0  # engine.cancel_grace_s decides, which may be an hour

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.cancel(params["run_id"])
