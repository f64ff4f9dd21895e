"""ResumeInstance: resumes a halted instance."""

from typing import Any

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import RUN_ID
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, OneRun, method
from tsvc.schema import fields
from tsvc.schema.load import LoadedParams
from tsvc.schema.style import integer_of


class InstanceId(fields.String):
    """A string; the integer that QueryTest shows as idx is accepted too."""

    def read(self, value: Any) -> str:
        """Return the string."""
        number = integer_of(value)
        return super().read(value) if number is None else str(number)


class ResumeParams(OneRun):
    """run_id and instance_id."""

    instance_id = InstanceId(required=True, help="the instance, as `halted` of a result names it")


class Resumed(AnswerMembers):
    """The answer: the instance continues."""

    resumed = member.flag("always 1; what can't be resumed is refused")


@method
class ResumeInstance(Method):
    """Answers {resumed: 1}."""

    name = "ResumeInstance"
    summary = "Lets an instance go on that a `halt` operation keeps."
    Params = ResumeParams
    Result = Resumed
    kinds = ("run_id.unknown", "instance.not_halted")
    example = Example({"run_id": RUN_ID, "instance_id": "0"}, {"resumed": 1})
    needs_run_id = True

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.resume(params["run_id"], params["instance_id"])
