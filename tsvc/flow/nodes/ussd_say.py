"""UssdSay: show a text on a mobile while the session goes on."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tsvc.flow.buffers import Template
from tsvc.flow.call import CallFacts, SayUssd, UssdShown
from tsvc.flow.fields import NodeSchema, UssdText
from tsvc.flow.node import Node, NodeRun, Serves, Site, register


class Exit(IntEnum):
    """The exits, in the order of the document."""

    SHOWN = 0
    ERROR = 1


@register
class UssdSay(Node):
    """Shows a text and goes on when the mobile confirms it."""

    type: ClassVar[str] = "UssdSay"
    summary: ClassVar[str] = "Shows a mobile a text and goes on."
    serves: ClassVar[Serves | None] = "USSD sessions"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Shown", "Error"),)
    exit_help: ClassVar[Mapping[str, str]] = {
        "Shown": "the mobile has shown the text",
        "Error": "the mobile could not show the text, or did not answer in time",
    }
    notes: ClassVar[tuple[str, ...]] = ("On the wire it is UnstructuredSSNotify.",)
    example: ClassVar[Mapping[str, object]] = {
        "config": {"text": "One moment, {system.network_calling_party}"},
        "exits": [3, None],
    }

    class Config(NodeSchema):
        """The text."""

        text = UssdText(required=True, help="what is shown")

    def __init__(self, text: Template) -> None:
        self._text = text

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "UssdSay":
        """Return the node."""
        return cls(config["text"])

    def run(self, call: CallFacts) -> NodeRun:
        """Show the text."""
        answer = yield SayUssd(self._text.filled(call))
        return Exit.SHOWN if isinstance(answer, UssdShown) else Exit.ERROR
