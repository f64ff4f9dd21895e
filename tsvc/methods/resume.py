"""ResumeInstance: let a halted instance go on."""

from typing import Any

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import RunParams, integer_of
from tsvc.schema.load import LoadedParams


class InstanceId(fields.String):
    """A string; the integer that QueryTest shows as idx is taken too."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        number = integer_of(value)
        if number is not None:
            return str(number)
        return super()._deserialize(value, attr, data, **kwargs)


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
