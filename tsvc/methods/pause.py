"""PauseTest: no starts of a load or linear run for a while."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import RunParams
from tsvc.schema.load import LoadedParams


class PauseParams(RunParams):
    """run_id, and whether the run is to be paused or to go on."""

    paused = fields.Boolean(required=True)


@method
class PauseTest(Method):
    """Answers {run_id, paused}. The rest of a linear run's plan is later by the pause."""

    name = "PauseTest"
    Params = PauseParams
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.set_paused(params["run_id"], params["paused"])
