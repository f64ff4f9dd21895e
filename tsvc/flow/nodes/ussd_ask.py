"""UssdAsk: show a text on a mobile and store the user's entry."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from tsvc.flow.buffers import Template
from tsvc.flow.call import AskUssd, CallFacts, UssdInput
from tsvc.flow.fields import BufferName, NodeSchema, UssdText
from tsvc.flow.node import Node, NodeRun, SchemaClass, Serves, Site, register
from tsvc.values import dataclass


class Exit(IntEnum):
    """The exits, in the order of the document."""

    ENTERED = 0
    ERROR = 1


class UssdAskSchema(NodeSchema):
    """The question, and the buffer for the answer."""

    text = UssdText(required=True, help="what is shown")
    buffer = BufferName(is_written=True, default="user.input", help="where the entry is kept")


@register
@dataclass(frozen=True, slots=True)
class UssdAsk(Node):
    """Ask once."""

    text: Template
    buffer: str

    type: ClassVar[str] = "UssdAsk"
    summary: ClassVar[str] = "Shows a mobile a text and keeps what its user enters in a buffer."
    serves: ClassVar[Serves | None] = "USSD sessions"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Entered", "Error"),)
    Config: ClassVar[SchemaClass] = UssdAskSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Entered": "the entry is in the buffer, empty if there was nothing in it",
        "Error": "the mobile could not show the text, or did not answer in time; the buffer is as"
        " it was",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "On the wire it is UnstructuredSSRequest. A user who ends the session ends the flow.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {"text": "Enter PIN", "buffer": "user.pin"},
        "exits": [3, 4],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "UssdAsk":
        """Return the node."""
        return cls(config["text"], config["buffer"])

    def run(self, call: CallFacts) -> NodeRun:
        """Ask."""
        answer = yield AskUssd(self.text.filled(call))
        if not isinstance(answer, UssdInput):
            return Exit.ERROR
        call.buffers[self.buffer] = answer.text
        return Exit.ENTERED
