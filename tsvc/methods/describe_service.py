"""DescribeService: version, uptime, gateways and their state, limits, counters."""

from typing import Any

from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class DescribeService(Method):
    """Answers what `tsvc status` shows."""

    name = "DescribeService"

    def call(self, service: Any, params: LoadedParams) -> object:
        return service.describe()
