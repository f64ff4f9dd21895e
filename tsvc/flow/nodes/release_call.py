"""ReleaseCall: end the call with a cause."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.call import CallFacts, Release
from tsvc.flow.fields import NodeSchema
from tsvc.flow.node import Node, NodeRun, Serves, Site, register
from tsvc.schema.fields import Integer


@register
class ReleaseCall(Node):
    """Release the caller; the flow is over."""

    type = "ReleaseCall"
    summary = "Releases the caller with a cause; nothing follows."
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = ((),)
    exit_help: ClassVar[Mapping[str, str]] = {}
    example: ClassVar[Mapping[str, object]] = {"config": {"cause": 17}, "exits": []}

    class Config(NodeSchema):
        """The cause."""

        cause = Integer(1, 127, default=None, help="cause value; absent: the site's release cause")

    def __init__(self, cause: int | None) -> None:
        self._release = Release(cause)

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "ReleaseCall":
        """Return the node."""
        return cls(config["cause"])

    def run(self, call: CallFacts) -> NodeRun:
        """Release the caller; the engine ends the run here, so no exit is ever returned."""
        yield self._release
        raise AssertionError("a run went on after Release")
