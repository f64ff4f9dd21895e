"""ListWorkers: the processes that play large runs."""

from tsvc.engine.outcome import member
from tsvc.engine.outcome.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


class WorkerMembers(AnswerMembers):
    """One worker."""

    name = member.text("its name")
    state = member.choice(
        ("starting", "ready", "drained", "down"),
        "`ready`: plays runs; `drained`: gets no new ones; `down`: it is started anew in a moment",
    )
    pid = member.integer("of its process; null while there is none", is_null=True)
    starts = member.count("how often it was started")
    clock_error_ms = member.number(
        "how far off its idea of the coordinator's clock may be; null while nobody knows",
        "ms",
        is_null=True,
    )
    reason = member.text("why it is not ready; empty if nothing happened")


class AllWorkers(AnswerMembers):
    """The workers of the daemon."""

    workers = member.each(WorkerMembers, "all of them; none: the daemon plays every run itself")


@method
class ListWorkers(Method):
    """Answers {workers[]}."""

    name = "ListWorkers"
    summary = "The processes beside the service that play large runs, and how they are."
    Result = AllWorkers
    example = Example(
        {},
        {
            "workers": [
                {
                    "name": "lab2/w1",
                    "state": "ready",
                    "pid": 4711,
                    "starts": 1,
                    "clock_error_ms": 0.31,
                    "reason": "",
                }
            ]
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        return {"workers": service.list_workers()}
