"""QueryAllTests: all runs that are in progress or not yet collected."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class QueryAllTests(Method):
    """Answers {time_now, tests[]}."""

    name = "QueryAllTests"

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.query_all()
