"""QueryAllTests: all runs that are in progress or not yet collected."""

from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.engine.result.result_example import NOW, SUMMARY
from tsvc.engine.result.result_schema import RunInTable
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


class Runs(AnswerMembers):
    """The runs of the daemon."""

    time_now = member.moment("wall time of the answer")
    tests = member.each(RunInTable, "runs in progress, and completed ones nobody has collected")


@method
class QueryAllTests(Method):
    """Answers {time_now, tests[]}."""

    name = "QueryAllTests"
    summary = "All runs that are in progress or not yet collected, in short; collects none."
    Result = Runs
    example = Example({}, {"time_now": NOW, "tests": [{**SUMMARY, "progress": 1.0}]})

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.query_all()
