"""RateTest: changes the rate of a linear run in progress."""

from tsvc.engine.compiler.parameters import Rate
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import RUN_ID
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, OneRun, method
from tsvc.schema.load import LoadedParams


class RateParams(OneRun):
    """run_id, and cps as in a distribution."""

    cps = Rate(
        required=True,
        help="the rate from now on, as `distribution.cps`; a ramp without `initial` begins "
        "at the rate of now",
    )


class RateMembers(AnswerMembers):
    """The rate that the run has now."""

    run_id = member.text("the run")
    asked = member.number("starts per second asked for; of stages, the highest", "1/s")


@method
class RateTest(Method):
    """Answers {run_id, asked}: the rate from now on. The grid continues without a jump."""

    name = "RateTest"
    summary = "Another rate for a linear run in progress; planned starts that are past stay."
    Params = RateParams
    Result = RateMembers
    kinds = ("run_id.unknown", "run.completed", "run.not_linear", "run.not_starting")
    example = Example({"run_id": RUN_ID, "cps": 50}, {"run_id": RUN_ID, "asked": 50.0})
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.change_rate(params["run_id"], params["cps"])
