"""ValidateTest: makes every check of ExecuteTest, without starting a run."""

from tsvc.engine.compiler.judge import AnyMembers
from tsvc.engine.compiler.parameters import TestParameters
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_schema import PlacedProblem
from tsvc.engine.service import Service
from tsvc.errors import DefinitionError
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


class Validity(AnswerMembers):
    """The answer: the problems of a definition."""

    valid = member.truth("whether a run could be created: no problem is an error")
    problems = member.each(PlacedProblem, "all that is wrong or doubtful")
    operations = member.texts("types of the operations that could be compiled, canonical")


@method
class ValidateTest(Method):
    """Answers {valid, problems[], operations[]}; a run_id is not needed and is ignored."""

    name = "ValidateTest"
    summary = "Every check of a definition that ExecuteTest makes, starting nothing."
    Params = AnyMembers
    Definition = TestParameters
    Result = Validity
    example = Example(
        {"operations": []},
        {
            "valid": False,
            "problems": [
                {
                    "path": "params.operations",
                    "text": "must not be empty",
                    "severity": "error",
                    "pointer": "/operations",
                }
            ],
            "operations": [],
        },
    )
    params_error = DefinitionError

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.validate(params)
