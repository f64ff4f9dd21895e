"""UssdEnd: answer the request that began the session; the flow is over."""

from collections.abc import Mapping
from typing import Any, ClassVar

from tsvc.flow.buffers import Template
from tsvc.flow.call import CallFacts, EndUssd
from tsvc.flow.fields import NodeSchema, UssdText
from tsvc.flow.node import Node, NodeRun, Serves, Site, register


@register
class UssdEnd(Node):
    """Answer and end the session; the flow is over."""

    type: ClassVar[str] = "UssdEnd"
    summary: ClassVar[str] = "Ends a USSD session with a last text, or with none."
    serves: ClassVar[Serves | None] = "USSD sessions"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = ((),)
    exit_help: ClassVar[Mapping[str, str]] = {}
    notes: ClassVar[tuple[str, ...]] = (
        "On the wire it is the result of ProcessUnstructuredSSRequest. At a null exit a session is"
        " ended as by UssdEnd without a text.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {"text": "Balance 12.50"},
        "exits": [],
    }

    class Config(NodeSchema):
        """The text."""

        text = UssdText(default=None, help="what is shown at last; absent: nothing")

    def __init__(self, text: Template | None) -> None:
        self._text = text

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "UssdEnd":
        """Return the node."""
        return cls(config["text"])

    def run(self, call: CallFacts) -> NodeRun:
        """End the session; no event comes back."""
        yield EndUssd(None if self._text is None else self._text.filled(call))
        raise AssertionError("a run goes on after its end")  # the engine has closed it
