"""DescribeDefinition: the JSON Schema of definition files, for editors and for `tsvc schema`."""

from typing import Any

import gevent

from tsvc.engine.definition.json_schema import definition_schema
from tsvc.engine.service import Service
from tsvc.methods.method import Method, method
from tsvc.schema.load import LoadedParams


@method
class DescribeDefinition(Method):
    """Answers a JSON Schema (2020-12). Blocks: for a second the first time, while others run."""

    name = "DescribeDefinition"

    def __init__(self) -> None:
        super().__init__()
        self._made: dict[str, Any] | None = None  # the types are fixed once the daemon runs

    def call(self, service: Service, params: LoadedParams) -> object:
        if self._made is None:
            self._made = definition_schema(lambda: gevent.sleep(0))
        return self._made
