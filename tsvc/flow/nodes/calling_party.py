"""CallingParty: branch on how the caller's number begins."""

from typing import Any, ClassVar

from tsvc.flow.call import CallFacts
from tsvc.flow.node import NodeRun, Site, register
from tsvc.flow.nodes._prefix_rules import PrefixNode, PrefixTable


@register
class CallingParty(PrefixNode):
    """Take the exit of the longest prefix that the caller's number has."""

    type: ClassVar[str] = "CallingParty"
    summary: ClassVar[str] = "Branches on the longest prefix that the caller's number has."

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "CallingParty":
        """Return the node."""
        return cls(PrefixTable(config["rules"]))

    def run(self, call: CallFacts) -> NodeRun:
        """Look the number up."""
        yield from ()
        return self._table.exit_of(call.calling_number)
