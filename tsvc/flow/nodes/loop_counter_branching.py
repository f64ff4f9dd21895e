"""LoopCounterBranching: repeat a loop a given number of times."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tsvc.flow.buffers import read_buffer
from tsvc.flow.call import CallFacts
from tsvc.flow.fields import BufferName, NodeSchema
from tsvc.flow.node import Node, NodeRun, SchemaClass, Site, register
from tsvc.schema.fields import Integer
from tsvc.values import dataclass


class Exit(IntEnum):
    """The exits, in the order of the document."""

    BELOW_LIMIT = 0
    LIMIT_REACHED = 1


class LoopCounterBranchingSchema(NodeSchema):
    """The counter and its limit."""

    buffer = BufferName(is_written=True, required=True, help="the counter")
    limit = Integer(1, required=True, help="how often exit 0 is taken")


@register
@dataclass(frozen=True, slots=True)
class LoopCounterBranching(Node):
    """Compare, and count if the limit isn't reached."""

    buffer: str
    limit: int

    type: ClassVar[str] = "LoopCounterBranching"
    summary: ClassVar[str] = "Counts how often a call comes by and branches at a limit."
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Below Limit", "Limit Reached"),)
    Config: ClassVar[SchemaClass] = LoopCounterBranchingSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Below Limit": "the counter was below the limit; it is one more now",
        "Limit Reached": "the counter is at the limit or above; it stays as it is",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "A call takes exit 0 `limit` times, then exit 1. An empty buffer counts as 0, and so does"
        " one that holds something else than digits 0-9. SetBuffer with `0` starts again.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {"buffer": "user.counter1", "limit": 3},
        "exits": [3, 4],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "LoopCounterBranching":
        """Return the node."""
        return cls(config["buffer"], config["limit"])

    def run(self, call: CallFacts) -> NodeRun:
        """Compare and count."""
        yield from ()
        text = read_buffer(call, self.buffer)
        count = int(text) if text.isascii() and text.isdigit() else 0
        if count >= self.limit:
            return Exit.LIMIT_REACHED
        call.buffers[self.buffer] = str(count + 1)
        return Exit.BELOW_LIMIT
