"""ProportionalDistribution: distribute calls over exits at random."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, ClassVar

from marshmallow import ValidationError, validates_schema

from tsvc.flow.call import CallFacts
from tsvc.flow.fields import Array, Entry, ExitIndex, NodeSchema
from tsvc.flow.node import NodeRun, OpenNode, SchemaClass, Site, register
from tsvc.schema.fields import Number

MAX_PROPORTION = 1_000_000


class ShareSchema(NodeSchema):
    """One share of the calls."""

    proportion = Number(0, MAX_PROPORTION, required=True, help="the weight")
    exit_idx = ExitIndex(required=True, help="the exit of this share")


class ProportionalDistributionSchema(NodeSchema):
    """The shares."""

    rules = Array(Entry(ShareSchema), "rule", required=True, help="the shares")

    @validates_schema(skip_on_field_errors=False)
    def something_is_left(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse shares that are all zero."""
        rules = values.get("rules")
        if rules and not any(rule["proportion"] for rule in rules):
            raise ValidationError("at least one proportion must be above 0", "rules")


@register
class ProportionalDistribution(OpenNode):
    """Draw an exit."""

    type: ClassVar[str] = "ProportionalDistribution"
    summary: ClassVar[str] = "Spreads calls over exits by chance, in given proportions."
    Config: ClassVar[SchemaClass] = ProportionalDistributionSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Exit 0": "drawn, as any other",
        "Exit n": "drawn; over many calls as often as the proportions of its rules say",
    }
    notes: ClassVar[tuple[str, ...]] = (
        "Proportions are weights: they need not sum to 100. A proportion of 0 is never drawn, and"
        " several rules may name one exit.",
    )
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "rules": [{"proportion": 70, "exit_idx": 0}, {"proportion": 30, "exit_idx": 1}],
        },
        "exits": [3, 4],
    }

    def __init__(self, shares: Iterable[tuple[float, int]]) -> None:
        drawn = [(proportion, exit_index) for proportion, exit_index in shares if proportion]
        self._bounds = list(accumulate(proportion for proportion, _ in drawn))
        self._exits = [exit_index for _, exit_index in drawn]

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> "ProportionalDistribution":
        """Return the node."""
        return cls((rule["proportion"], rule["exit_idx"]) for rule in config["rules"])

    def run(self, call: CallFacts) -> NodeRun:
        """Draw."""
        yield from ()
        drawn = bisect_right(self._bounds, call.random() * self._bounds[-1])
        return self._exits[min(drawn, len(self._exits) - 1)]  # rounding can reach the last bound
