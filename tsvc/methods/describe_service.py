"""DescribeService: version, uptime, gateways and their state, limits, counters."""

from tsvc.engine.description_schema import EXAMPLE, Description
from tsvc.engine.service import Service
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


@method
class DescribeService(Method):
    """Answers the description that `tsvc status` shows."""

    name = "DescribeService"
    summary = "What the service is and how it is: gateways, limits, counters."
    Result = Description
    example = Example({}, EXAMPLE)

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.describe()
