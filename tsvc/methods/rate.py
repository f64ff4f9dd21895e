"""RateTest: another rate for a linear run in progress."""

from tsvc.engine.definition.parameters import Rate
from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema.fields import RunParams
from tsvc.schema.load import LoadedParams


class RateParams(RunParams):
    """run_id, and cps as in a distribution."""

    cps = Rate(required=True)


@method
class RateTest(Method):
    """Answers {run_id, asked}: the rate from now on. The grid goes on, nothing jumps."""

    name = "RateTest"
    Params = RateParams
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.change_rate(params["run_id"], params["cps"])
