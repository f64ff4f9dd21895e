"""DialledNumber: branch on how the number that was dialled begins."""

from typing import Any, ClassVar

from tsvc.flow.call import CallFacts
from tsvc.flow.node import NodeRun, Site, register
from tsvc.flow.nodes._prefix_rules import PrefixNode, PrefixTable


@register
class DialledNumber(PrefixNode):
    """Take the exit of the longest prefix that the number that was dialled has."""

    type: ClassVar[str] = "DialledNumber"
    summary: ClassVar[str] = "Branches on the longest prefix that the number that was dialled has."

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "DialledNumber":
        """Return the node."""
        return cls(PrefixTable(config["rules"]))

    def run(self, call: CallFacts) -> NodeRun:
        """Look the number up."""
        yield from ()
        return self._table.exit_of(call.called_number)
