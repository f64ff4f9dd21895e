"""SetBuffer: write a text, or the text of another buffer, into a buffer."""

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.buffers import MAX_TEXT_LENGTH, read_buffer
from tsvc.flow.call import CallFacts
from tsvc.flow.fields import BufferName, NodeSchema
from tsvc.flow.node import Node, NodeRun, SchemaClass, Site, register
from tsvc.schema.fields import String
from tsvc.values import dataclass


class SetBufferSchema(NodeSchema):
    """The buffer that is written, and its text."""

    buffer = BufferName(is_written=True, required=True, help="the buffer that is written")
    value = String(0, MAX_TEXT_LENGTH, help="what is written; empty: the buffer becomes empty")
    source_buffer = BufferName(is_written=False, help="the buffer that is copied")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def one_source(self, values: dict[str, Any], original: dict[str, Any], **_: Any) -> None:
        """Refuse none or both of value and source_buffer."""
        if "value" in original and "source_buffer" in original:
            raise ValidationError("can't be given together with value", "source_buffer")
        if "value" not in original and "source_buffer" not in original:
            raise ValidationError("is required, or source_buffer instead", "value")


@register
@dataclass(frozen=True, slots=True)
class SetBuffer(Node):
    """Write a buffer; `source_buffer` None: write `value`."""

    buffer: str
    value: str
    source_buffer: str | None

    type: ClassVar[str] = "SetBuffer"
    summary: ClassVar[str] = "Writes a text, or what another buffer holds, into a buffer."
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Next",),)
    Config: ClassVar[SchemaClass] = SetBufferSchema
    exit_help: ClassVar[Mapping[str, str]] = {"Next": "always"}
    notes: ClassVar[tuple[str, ...]] = ("Exactly one of `value` and `source_buffer` is given.",)
    example: ClassVar[Mapping[str, object]] = {
        "config": {"buffer": "user.caller", "source_buffer": "system.network_calling_party"},
        "exits": [3],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "SetBuffer":
        """Return the node."""
        return cls(config["buffer"], config.get("value", ""), config.get("source_buffer"))

    def run(self, call: CallFacts) -> NodeRun:
        """Write."""
        yield from ()
        source = self.source_buffer
        call.buffers[self.buffer] = self.value if source is None else read_buffer(call, source)
        return 0
