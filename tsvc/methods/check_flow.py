"""CheckFlow: makes every check of a flow document, without starting it."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_schema import PlacedProblem
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class FlowParams(Params):
    """The flow document."""

    flow = fields.Object(required=True, help="a flow document")


class FlowValidity(AnswerMembers):
    """The answer: the problems of a flow document."""

    valid = member.truth("whether the embedded SCP could run it: no problem is an error")
    problems = member.each(PlacedProblem, "all that is wrong or doubtful")


@method
class CheckFlow(Method):
    """Answers {valid, problems[]}."""

    name = "CheckFlow"
    summary = "Every check of a flow document that its start makes, starting nothing."
    Params = FlowParams
    Result = FlowValidity
    example = Example(
        {"flow": {"operations": []}},
        {
            "valid": False,
            "problems": [
                {
                    "path": "flow.operations",
                    "text": "there must be exactly one Start, not 0",
                    "severity": "error",
                    "pointer": "/operations",
                }
            ],
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.check_flow(params["flow"])
