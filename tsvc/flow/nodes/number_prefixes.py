"""CallingParty and DialledNumber: branch on how a number begins; the longest prefix decides."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from marshmallow import validates_schema

from tsvc.flow.call import CallFacts
from tsvc.flow.fields import Array, Entry, ExitIndex, NodeSchema, digits, refuse_repeated
from tsvc.flow.node import NodeRun, OpenNode, SchemaClass, Site, register

DEFAULT_EXIT = 0


class PrefixRuleSchema(NodeSchema):
    """One prefix."""

    prefix = digits(required=True, help="how the number begins")
    exit_idx = ExitIndex(required=True, help="the exit for such a number")


class PrefixRulesSchema(NodeSchema):
    """The prefixes."""

    rules = Array(
        Entry(PrefixRuleSchema), "rule", required=True, help="the prefixes, in any order"
    )

    @validates_schema(skip_on_field_errors=False)
    def prefixes_differ(self, values: dict[str, Any], **_: Any) -> None:
        """Refuse a prefix that is given twice."""
        refuse_repeated(values, "rules", "prefix")


class PrefixTable:
    """Exit indexes by prefix."""

    def __init__(self, rules: Iterable[Mapping[str, Any]]) -> None:
        self._exits: dict[str, int] = {rule["prefix"]: rule["exit_idx"] for rule in rules}
        self._lengths = sorted({len(prefix) for prefix in self._exits}, reverse=True)

    def exit_of(self, number: str) -> int:
        """Return the exit of the longest matching prefix, otherwise the default exit."""
        for length in self._lengths:  # a shorter number matches no longer prefix
            exit_index = self._exits.get(number[:length])
            if exit_index is not None:
                return exit_index
        return DEFAULT_EXIT


class PrefixNode(OpenNode):
    """The declarations that both types share."""

    first_exit: ClassVar[str] = "Default"
    Config: ClassVar[SchemaClass] = PrefixRulesSchema
    exit_help: ClassVar[Mapping[str, str]] = {
        "Default": "no prefix fits, or the network gave no number",
        "Exit n": "the longest prefix that fits names this exit",
    }
    notes: ClassVar[tuple[str, ...]] = ("A rule may name exit 0 too.",)
    example: ClassVar[Mapping[str, object]] = {
        "config": {
            "rules": [{"prefix": "02", "exit_idx": 1}, {"prefix": "0210", "exit_idx": 2}],
        },
        "exits": [3, 4, 5],
    }

    def __init__(self, table: PrefixTable) -> None:
        self._table = table

    @classmethod
    def build(cls, config: dict[str, Any], site: Site) -> Self:
        """Return the node."""
        return cls(PrefixTable(config["rules"]))


@register
class CallingParty(PrefixNode):
    """Takes the exit of the longest prefix that matches the caller's number."""

    type: ClassVar[str] = "CallingParty"
    summary: ClassVar[str] = "Branches on the longest prefix that the caller's number has."

    def run(self, call: CallFacts) -> NodeRun:
        """Look the number up."""
        yield from ()
        return self._table.exit_of(call.calling_number)


@register
class DialledNumber(PrefixNode):
    """Takes the exit of the longest prefix that matches the dialled number."""

    type: ClassVar[str] = "DialledNumber"
    summary: ClassVar[str] = "Branches on the longest prefix that the number that was dialled has."

    def run(self, call: CallFacts) -> NodeRun:
        """Look the number up."""
        yield from ()
        return self._table.exit_of(call.called_number)
