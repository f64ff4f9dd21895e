"""FurnishChargingInformation: put data into the charging record of the call."""

from collections.abc import Mapping
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.buffers import read_buffer
from tsvc.flow.call import CallFacts, Furnish
from tsvc.flow.fields import BufferName, NodeSchema, octets
from tsvc.flow.node import Node, NodeRun, SchemaClass, Serves, Site, register
from tsvc.flow.nodes.apply_charging import LEGS
from tsvc.schema.fields import Boolean, Choice
from tsvc.values import dataclass

LONGEST_DATA = 160  # octets of freeFormatData


class FurnishChargingInformationSchema(NodeSchema):
    """The data, and the charging record."""

    data_hex = octets(LONGEST_DATA, help="the octets that are written")
    source_buffer = BufferName(
        is_written=False, help="the buffer whose text is written, an octet a character"
    )
    party = Choice(LEGS, default="calling", help="whose charging record it is; not in INAP")
    append = Boolean(default=False, help="behind what is in the record already; CAP v3 and later")

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def one_source(self, values: dict[str, Any], original: dict[str, Any], **_: Any) -> None:
        """Refuse none or both of data_hex and source_buffer."""
        if "data_hex" in original and "source_buffer" in original:
            raise ValidationError("can't be given together with data_hex", "source_buffer")
        if "data_hex" not in original and "source_buffer" not in original:
            raise ValidationError("is required, or source_buffer instead", "data_hex")


@register
@dataclass(frozen=True, slots=True)
class FurnishChargingInformation(Node):
    """Writes data and goes on; `source_buffer` None: write `data_hex`."""

    data_hex: str
    source_buffer: str | None
    leg: int
    is_appended: bool

    type: ClassVar[str] = "FurnishChargingInformation"
    summary: ClassVar[str] = "Puts data into the charging record of the call."
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (("Next",),)
    Config: ClassVar[SchemaClass] = FurnishChargingInformationSchema
    exit_help: ClassVar[Mapping[str, str]] = {"Next": "always, and at once"}
    notes: ClassVar[tuple[str, ...]] = (
        "Exactly one of `data_hex` and `source_buffer` is given; an empty buffer writes nothing.",
        "In CAP the data are freeFormatData, in INAP the whole argument. A network that refuses"
        " them is counted, and the call goes on; CAP v1 can't be told at all.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {"data_hex": "01020304", "append": True},
        "exits": [3],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "FurnishChargingInformation":
        """Return the node."""
        return cls(
            config.get("data_hex", "").lower(),
            config.get("source_buffer"),
            LEGS[config["party"]],
            config["append"],
        )

    def run(self, call: CallFacts) -> NodeRun:
        """Write the data, if there are any."""
        data_hex = self.data_hex
        if self.source_buffer is not None:
            text = read_buffer(call, self.source_buffer)
            data_hex = text.encode("latin-1", "replace")[:LONGEST_DATA].hex()
        if data_hex:
            yield Furnish(data_hex, self.leg, self.is_appended)
        return 0
