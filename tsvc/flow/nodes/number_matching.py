"""NumberMatching: branch on whether a buffer matches a pattern."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tsvc.flow.buffers import read_buffer
from tsvc.flow.call import CallFacts
from tsvc.flow.fields import Array, BufferName, NodeSchema, NumberPattern
from tsvc.flow.node import Node, NodeRun, SchemaClass, Site, register
from tsvc.flow.patterns import Pattern
from tsvc.values import dataclass


class Exit(IntEnum):
    """The exits, in the order of the document."""

    FOUND = 0
    NOT_FOUND = 1
    EMPTY = 2


class NumberMatchingSchema(NodeSchema):
    """The patterns, and the buffer that is compared."""

    match_rules = Array(
        NumberPattern(), "pattern", required=True, help="one of these has to match"
    )
    source_buffer = BufferName(
        is_written=False, required=True, help="the buffer that is looked at"
    )


@register
@dataclass(frozen=True, slots=True)
class NumberMatching(Node):
    """Compare a buffer with patterns."""

    patterns: tuple[Pattern, ...]
    source_buffer: str

    type: ClassVar[str] = "NumberMatching"
    summary: ClassVar[str] = "Branches on whether the number in a buffer matches a pattern."
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Found", "Not Found", "Empty"),)
    Config: ClassVar[SchemaClass] = NumberMatchingSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Found": "at least one pattern matches the whole number",
        "Not Found": "no pattern matches",
        "Empty": "the buffer is empty or was never written",
    }
    example: ClassVar[Mapping[str, object]] = {
        "config": {"match_rules": ["1??", "20[0-4]"], "source_buffer": "user.input"},
        "exits": [3, 4, 4],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "NumberMatching":
        """Return the node."""
        return cls(config["match_rules"], config["source_buffer"])

    def run(self, call: CallFacts) -> NodeRun:
        """Compare the buffer with the patterns."""
        yield from ()
        number = read_buffer(call, self.source_buffer)
        if not number:
            return Exit.EMPTY
        is_found = any(pattern.matches(number) for pattern in self.patterns)
        return Exit.FOUND if is_found else Exit.NOT_FOUND
