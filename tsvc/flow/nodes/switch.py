"""Switch: take the exit that is set in the flow."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.call import CallFacts
from tsvc.flow.fields import ExitIndex, NodeSchema
from tsvc.flow.node import NodeRun, OpenNode, Site, register


@register
class Switch(OpenNode):
    """Take one exit, always the same."""

    type: ClassVar[str] = "Switch"
    summary: ClassVar[str] = "Takes the exit that it is set to: a selector worked by hand."
    exit_help: ClassVar[Mapping[str, str]] = {
        "Exit 0": "`exit_idx` is 0",
        "Exit n": "`exit_idx` is n",
    }
    example: ClassVar[Mapping[str, object]] = {"config": {"exit_idx": 1}, "exits": [3, 4]}

    class Config(NodeSchema):
        """The position."""

        exit_idx = ExitIndex(required=True, help="the exit that every call takes")

    def __init__(self, exit_index: int) -> None:
        self._exit_index = exit_index

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "Switch":
        """Return the node."""
        return cls(config["exit_idx"])

    def run(self, call: CallFacts) -> NodeRun:
        """Take the exit."""
        yield from ()
        return self._exit_index
