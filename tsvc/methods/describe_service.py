"""DescribeService: version, uptime, gateways and their state, limits, counters."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class DescribeService(Method):
    """Answers what `tsvc status` shows."""

    name = "DescribeService"

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.describe()
