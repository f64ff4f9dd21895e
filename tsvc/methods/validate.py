"""ValidateTest: every check of ExecuteTest, starting nothing."""

from typing import Any

from tsvc.engine.definition.reading import AnyMembers, read_definition
from tsvc.errors import DefinitionError
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class ValidateTest(Method):
    """Answers {valid, problems[], operations[]}; a run_id is not needed and not looked at."""

    name = "ValidateTest"
    Params = AnyMembers
    params_error = DefinitionError

    def call(self, service: Any, params: LoadedParams) -> object:
        given = {name: value for name, value in params.items() if name != "run_id"}
        definition, problems = read_definition(service, given)
        if definition is None:
            found = [problem.as_dict() for problem in problems]
            return {"valid": False, "problems": found, "operations": []}
        return service.validate(definition)
