"""CancelTest: end a run properly and collect it."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema.fields import RunParams
from tsvc.schema.load import LoadedParams


@method
class CancelTest(Method):
    """Answers the result of QueryTest plus `cancelled`."""

    name = "CancelTest"
    Params = RunParams
    needs_run_id = True
    deadline_s = 3660.0  # engine.cancel_grace_s decides, which may be an hour

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.cancel(params["run_id"])
