"""ValidateTest: every check of ExecuteTest, starting nothing."""

from typing import Any

from marshmallow import ValidationError

from tsvc.engine.parameters import TestParameters
from tsvc.errors import DefinitionError, Problem
from tsvc.methods._base import Method, method
from tsvc.rpc.fields import Params, flatten_messages
from tsvc.rpc.params import LoadedParams


class _AnyMembers(Params):
    """Takes whatever comes: wrong params are this method's result, not its error."""

    open_prefixes = ("",)


@method
class ValidateTest(Method):
    """Answers {valid, problems[], operations[]}."""

    name = "ValidateTest"
    Params = _AnyMembers
    params_error = DefinitionError

    def __init__(self) -> None:
        super().__init__()
        self._definition = TestParameters()

    def call(self, service: Any, params: LoadedParams) -> object:
        try:
            loaded = LoadedParams(self._definition.load(dict(params)))
        except ValidationError as error:
            problems = [
                Problem(path, text).as_dict()
                for path, texts in flatten_messages(error.messages, "").items()
                for text in texts
            ]
            return {"valid": False, "problems": problems, "operations": []}
        return service.validate(loaded)
