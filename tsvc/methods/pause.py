"""PauseTest: pauses or resumes the starts of a load or linear run."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import RUN_ID
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, OneRun, method
from tsvc.schema import fields
from tsvc.schema.load import LoadedParams


class PauseParams(OneRun):
    """run_id, and whether to pause or to resume the run."""

    paused = fields.Boolean(required=True, help="true: start no more for now; false: go on")


class Paused(AnswerMembers):
    """The present state of the run."""

    run_id = member.text("the run")
    paused = member.flag("1: it makes no starts; 0: it does")


@method
class PauseTest(Method):
    """Answers {run_id, paused}. The rest of a linear run's plan moves by the pause."""

    name = "PauseTest"
    summary = (
        "Keeps a load or linear run from starting instances, or lets it go on; the rest of a "
        "linear run's plan is later by the pause."
    )
    Params = PauseParams
    Result = Paused
    kinds = ("run_id.unknown", "run.completed", "run.not_linear", "run.not_starting")
    example = Example({"run_id": RUN_ID, "paused": True}, {"run_id": RUN_ID, "paused": 1})
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.set_paused(params["run_id"], params["paused"])
