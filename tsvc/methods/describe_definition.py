"""DescribeDefinition: the JSON Schema of definition files, for editors and for `tsvc schema`."""

from collections.abc import Mapping
from typing import Any

import gevent

from tsvc.engine.compiler.json_schema import definition_schema
from tsvc.engine.result import member
from tsvc.memo import Memo
from tsvc.methods.catalogue import CatalogueMethod, CatalogueParams
from tsvc.methods.method import Example, method


@method
class DescribeDefinition(CatalogueMethod):
    """Answers a JSON Schema (2020-12). Blocks: for a second the first time, while others run."""

    name = "DescribeDefinition"
    summary = "The JSON Schema of definition files, for editors."
    Params = CatalogueParams
    Result = member.named(
        "a JSON Schema (2020-12): what `tsvc schema` prints; with `etag` and `unchanged`, as the "
        "other catalogues have them"
    )
    example = Example(
        {},
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "tsvc test definition",
            "type": "object",
            "properties": {"turbo": {"type": "boolean", "default": False}},
            "etag": "0f343b0931126a20f133d67c2b018a3b",
            "unchanged": 0,
        },
    )

    def __init__(self) -> None:
        super().__init__()
        # The types are fixed once the daemon runs.
        self._schemas: Memo[str, dict[str, Any]] = Memo(
            "schema of definitions", 1, lambda _: definition_schema(lambda: gevent.sleep(0))
        )

    def make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return self._schemas[self.name]
