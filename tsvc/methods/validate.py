"""ValidateTest: every check of ExecuteTest, starting nothing."""

from tsvc.engine.definition.judge import AnyMembers
from tsvc.engine.service import Service
from tsvc.errors import DefinitionError
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class ValidateTest(Method):
    """Answers {valid, problems[], operations[]}; a run_id is not needed and not looked at."""

    name = "ValidateTest"
    Params = AnyMembers
    params_error = DefinitionError

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.validate(params)
