"""Start: the beginning of every flow."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.call import CallFacts
from tsvc.flow.fields import NodeSchema
from tsvc.flow.node import Node, NodeRun, Site, register


@register
class Start(Node):
    """The entry point; does nothing itself."""

    type = "Start"
    summary = "The entry point of a flow: every flow has exactly one."
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Next",),)
    exit_help: ClassVar[Mapping[str, str]] = {"Next": "always"}
    example: ClassVar[Mapping[str, object]] = {"exits": [3]}

    class Config(NodeSchema):
        """No members."""

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "Start":
        """Return the node."""
        return cls()

    def run(self, call: CallFacts) -> NodeRun:
        """Take the only exit."""
        yield from ()
        return 0
