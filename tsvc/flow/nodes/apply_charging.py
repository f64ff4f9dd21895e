"""ApplyCharging: let the parties talk in portions of time until a budget is used up."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.call import CallFacts, Charge, ChargingFailed, Ended, Used
from tsvc.flow.fields import BufferName, NodeSchema, digits, octets
from tsvc.flow.node import Node, NodeRun, SchemaClass, Serves, Site, register
from tsvc.schema.fields import Boolean, Choice, Integer
from tsvc.values import dataclass

MAX_GRANT_S = 86_400  # what maxCallPeriodDuration can carry
MAX_GRANTS = 1000  # of one budget: a network that reports at once must not get grants for ever
LONGEST_CHARACTERISTICS = 160  # octets
LEGS = {"calling": 1, "called": 2}


class Exit(IntEnum):
    """The exits, in the order of the document."""

    EXHAUSTED = 0
    ENDED = 1
    BUSY_NO_ANSWER = 2
    ERROR = 3


class ApplyChargingSchema(NodeSchema):
    """The portions, who pays, and who is called."""

    grant_seconds = Integer(
        1, MAX_GRANT_S, required=True, unit="s", help="what is granted at a time"
    )
    budget_seconds = Integer(
        1, required=True, unit="s", help="all grants together; the last one is what is left"
    )
    at_end = Choice(
        ["exit", "release"],
        default="exit",
        help="what follows the last grant: exit 0, the parties talking still; or the network"
        " releases the call by itself, which is exit 1",
    )
    tone = Boolean(
        default=False, help="the parties are warned by a tone before the last grant ends"
    )
    party = Choice(LEGS, default="calling", help="who is charged")
    destination = digits(
        default=None, help="where to connect to; absent: where the caller dialled"
    )
    timeout_seconds = Integer(
        0, default=0, unit="s", help="how long that rings; 0: the site's default"
    )
    buffer = BufferName(
        is_written=True,
        default="user.charged_seconds",
        help="where the seconds of conversation are kept, as the network reported them last",
    )
    inap_characteristics_hex = octets(
        LONGEST_CHARACTERISTICS,
        default="",
        help="what a grant says in INAP, where that is the operator's own; absent: as in CAP v2",
    )

    @validates_schema(skip_on_field_errors=False)
    def grants_in_bounds(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse a budget of too many grants."""
        grant, budget = values.get("grant_seconds"), values.get("budget_seconds")
        if grant is not None and budget is not None and budget > grant * MAX_GRANTS:
            raise ValidationError(
                f"must be at most {grant * MAX_GRANTS}: {MAX_GRANTS} grants of {grant} s",
                "budget_seconds",
            )


@register
@dataclass(frozen=True, slots=True)
class ApplyCharging(Node):
    """Grants time with each report; `last` is granted last, the others are `usual`."""

    usual: Charge
    last: Charge
    usual_count: int
    buffer: str

    type: ClassVar[str] = "ApplyCharging"
    summary: ClassVar[str] = (
        "Connects the caller, grants the conversation in portions of time, and grants the next"
        " one with each report until the budget is used up."
    )
    serves: ClassVar[Serves | None] = "calls"
    layouts: ClassVar[tuple[tuple[str, ...], ...]] = (
        ("Exhausted", "Ended", "Busy/NoAnswer", "Error"),
    )
    Config: ClassVar[SchemaClass] = ApplyChargingSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Exhausted": "the last grant is used up; the parties talk until something releases them",
        "Ended": "one of the parties has hung up, or the network has released the call at the end"
        " of the last grant",
        "Busy/NoAnswer": "the destination was busy, did not answer or had no way to it",
        "Error": "the network refused to charge the call, or did not report in time; so does CAP"
        " v1, which has no charging",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "The network counts a grant from the answer, or from the report before, and reports when"
        " it is used up. While that goes on, the answer and both ends of the conversation are"
        " watched. A caller who hangs up before the answer ends the flow.",
        "Behind Exhausted the parties talk: ReleaseCall ends that, FurnishChargingInformation"
        " notes it, and another ApplyCharging grants more without connecting anything.",
        "In CAP v2 the tone goes with `at_end` `release` only.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {"grant_seconds": 60, "budget_seconds": 600, "tone": True},
        "exits": [3, 4, 5, 5],
    }

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "ApplyCharging":
        """Return the node; a ring time beyond the site's limit is cut with a warning."""
        ring_seconds = site.ring_seconds(config["timeout_seconds"], "timeout_seconds")
        site.note_digits(len(config["destination"] or ""), "destination")
        grant, budget = config["grant_seconds"], config["budget_seconds"]
        usual_count = (budget - 1) // grant

        def charge(seconds: int, *, is_last: bool) -> Charge:
            return Charge(
                seconds,
                LEGS[config["party"]],
                releases=is_last and config["at_end"] == "release",
                warns=is_last and config["tone"],
                inap_octets=config["inap_characteristics_hex"].lower(),
                destination=config["destination"],
                ring_seconds=ring_seconds,
            )

        return cls(
            usual=charge(grant, is_last=False),
            last=charge(budget - usual_count * grant, is_last=True),
            usual_count=usual_count,
            buffer=config["buffer"],
        )

    def run(self, call: CallFacts) -> NodeRun:
        """Grant until the budget is used up; every other report leads to an exit."""
        for number in range(self.usual_count + 1):
            event = yield self.usual if number < self.usual_count else self.last
            match event:
                case Used(seconds) | Ended(seconds) if seconds is not None:
                    call.buffers[self.buffer] = str(seconds)
            match event:
                case Used():
                    continue
                case Ended():
                    return Exit.ENDED
                case ChargingFailed():
                    return Exit.ERROR
                case _:
                    return Exit.BUSY_NO_ANSWER
        return Exit.EXHAUSTED
