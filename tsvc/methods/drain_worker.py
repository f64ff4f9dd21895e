"""DrainWorker: assign no more runs to a worker."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class DrainParams(Params):
    """The worker to drain."""

    worker = fields.String(
        1, required=True, help="its name, or that of an agent's machine: all of its workers"
    )


class Drained(AnswerMembers):
    """The worker that gets no more runs."""

    worker = member.text("the name that was given")


@method
class DrainWorker(Method):
    """Answers {worker}. Runs in progress on that worker continue."""

    name = "DrainWorker"
    summary = "Gives a worker no more runs; what it plays goes on to its end."
    Params = DrainParams
    Result = Drained
    kinds = ("worker.unknown",)
    example = Example({"worker": "w1"}, {"worker": "w1"})

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.drain_worker(params["worker"])
