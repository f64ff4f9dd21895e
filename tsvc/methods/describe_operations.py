"""DescribeOperations: the catalogue of operation types, for GUIs and completion."""

from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema import fields
from tsvc.schema.fields import Params
from tsvc.schema.load import LoadedParams


class DescribeParams(Params):
    """Optionally the one type to describe."""

    type = fields.String()


@method
class DescribeOperations(Method):
    """Answers {operations[]}."""

    name = "DescribeOperations"
    Params = DescribeParams

    def call(self, service: Service, params: LoadedParams) -> object:
        return service.describe_operations(params.get("type"))
