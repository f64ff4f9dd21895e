"""Wait: let time pass before the next operation."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.call import CallFacts, Pause
from tsvc.flow.fields import NodeSchema
from tsvc.flow.node import Node, NodeRun, Site, register
from tsvc.schema.fields import Number

MAX_SECONDS = 3600


@register
class Wait(Node):
    """Lets the caller wait; the network is informed that the call is still in progress."""

    type: ClassVar[str] = "Wait"
    summary: ClassVar[str] = "Lets time pass; a caller who hangs up meanwhile ends the flow."
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Next",),)
    exit_help: ClassVar[Mapping[str, str]] = {"Next": "the time has passed"}
    notes: ClassVar[tuple[str, ...]] = ("The caller hears nothing from the flow meanwhile.",)
    example: ClassVar[Mapping[str, object]] = {"config": {"seconds": 2.5}, "exits": [3]}

    class Config(NodeSchema):
        """The time."""

        seconds = Number(0, MAX_SECONDS, required=True, unit="s", help="how long")

    def __init__(self, seconds: float) -> None:
        self._pause = Pause(seconds)

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "Wait":
        """Return the node."""
        return cls(config["seconds"])

    def run(self, call: CallFacts) -> NodeRun:
        """Wait until the time has passed."""
        yield self._pause
        return 0
