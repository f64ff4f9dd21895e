"""DescribeDefinition: the JSON Schema of definition files, for editors and for `tsvc schema`."""

from typing import Any

import gevent

from tsvc.engine.definition.json_schema import definition_schema
from tsvc.engine.outcome import member
from tsvc.engine.service import Service
from tsvc.memo import Memo
from tsvc.methods.method import Example, Method, method
from tsvc.schema.load import LoadedParams


@method
class DescribeDefinition(Method):
    """Answers a JSON Schema (2020-12). Blocks: for a second the first time, while others run."""

    name = "DescribeDefinition"
    summary = "The JSON Schema of definition files, for editors."
    Result = member.named("a JSON Schema (2020-12): what `tsvc schema` prints")
    example = Example(
        {},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "tsvc test definition",
            "type": "object",
            "properties": {"turbo": {"type": "boolean", "default": False}},
        },
    )

    def __init__(self) -> None:
        super().__init__()
        # The types are fixed once the daemon runs.
        self._schemas: Memo[str, dict[str, Any]] = Memo(
            "schema of definitions", 1, lambda _: definition_schema(lambda: gevent.sleep(0))
        )

    def call(self, service: Service, params: LoadedParams) -> object:
        return self._schemas[self.name]
