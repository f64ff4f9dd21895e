"""ListWorkers: the processes that execute large runs."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams

_OF_ALL = "in all runs; null at an agent, whose coordinator knows"


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
    started = member.integer(f"instances that it has started, {_OF_ALL}", is_null=True)
    finished = member.integer(f"those that are over, {_OF_ALL}", is_null=True)
    late = member.integer(f"those that started late, {_OF_ALL}", is_null=True)
    losses = member.integer(f"how often a run has lost it, {_OF_ALL}", is_null=True)
    in_progress = member.integer(f"instances in progress now, {_OF_ALL}", is_null=True)
    cpu = member.number(
        f"how much of a core it takes; 0 while no run is in progress, {_OF_ALL}",
        is_null=True,
    )


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
                    "started": 120_000,
                    "finished": 119_980,
                    "late": 12,
                    "losses": 0,
                    "in_progress": 20,
                    "cpu": 0.41,
                }
            ]
        },
    )

    def call(self, service: Service, params: LoadedParams) -> object:
        return {"workers": service.list_workers()}
