"""DescribeFlowOperations: the catalogue of flow operation types, for editors of flows."""

from collections.abc import Mapping
from typing import Any

from tsvc import turns
from tsvc.engine.result import member
from tsvc.engine.result.member import AnswerMembers
from tsvc.methods.catalogue import CatalogueAnswer, CatalogueMethod, CatalogueParams
from tsvc.methods.method import Example, method
from tsvc.schema.describe import describe_members


class FlowTypeMembers(AnswerMembers):
    """One of `operations`."""

    type = member.text("the type")
    summary = member.text("what it does, in a sentence")
    config = member.named(
        "members of its `config` by name, described as DescribeOperations describes attributes"
    )
    exit_rule = member.text("how many exits it has")
    exits = member.anything("exits by the layouts that it may have: arrays of names, in order")
    exit_help = member.named("when an exit is left by, by its name")
    notes = member.texts("what else there is to know")
    example = member.named("`config` and `exits` of one")


class FlowCatalogue(CatalogueAnswer):
    """Flow operation types."""

    operations = member.each(FlowTypeMembers, "the types in the order of names", is_optional=True)


@method
class DescribeFlowOperations(CatalogueMethod):
    """Answers {operations[], etag}."""

    name = "DescribeFlowOperations"
    summary = "The catalogue of flow operation types, for editors of flows."
    Params = CatalogueParams
    Result = FlowCatalogue
    example = Example(
        {},
        {
            "operations": [
                {
                    "type": "Wait",
                    "summary": "Waits.",
                    "config": {"seconds": {"type": "number", "required": True, "unit": "s"}},
                    "exit_rule": "1 exit",
                    "exits": [["success"]],
                    "exit_help": {"success": "the time is over"},
                    "notes": [],
                    "example": {"config": {"seconds": 5}, "exits": [3]},
                }
            ],
            "etag": "0f343b0931126a20f133d67c2b018a3b",
            "unchanged": 0,
        },
    )

    def make(self, params: Mapping[str, Any]) -> dict[str, Any]:
        from tsvc.flow.node import NODES  # a daemon without flows has not imported it

        return {
            "operations": [
                {
                    "type": node.type,
                    "summary": node.summary,
                    "config": describe_members(node.Config()),
                    "exit_rule": node.exit_rule(),
                    "exits": [list(layout) for layout in node.layouts],
                    "exit_help": dict(node.exit_help),
                    "notes": list(node.notes),
                    "example": dict(node.example),
                }
                for node in turns.over(NODES)
            ]
        }
