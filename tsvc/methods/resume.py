"""ResumeInstance: let a halted instance go on."""

from typing import Any

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import RunParams
from tsvc.schema.load import LoadedParams
from tsvc.schema.style import integer_of


class InstanceId(fields.String):
    """A string; the integer that QueryTest shows as idx is taken too."""

    def read(self, value: Any) -> str:
        """Return the string."""
        number = integer_of(value)
        return super().read(value) if number is None else str(number)


class ResumeParams(RunParams):
    """run_id and instance_id."""

    instance_id = InstanceId(required=True)


@method
class ResumeInstance(Method):
    """Answers {resumed: 1}."""

    name = "ResumeInstance"
    Params = ResumeParams
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.resume(params["run_id"], params["instance_id"])
