"""Objects and arrays where an argument has one value: they could not be sent, and never match."""

from typing import Any

import pytest

from tsvc.kinds.sigtran.operations.arguments import check_names
from tsvc.protocols.asn1 import Containing, Sequence, SequenceOf, Structure
from tsvc.protocols.inap.operation import OPERATIONS as INAP
from tsvc.protocols.map.operation import OPERATIONS as MAP

GENBAND = [
    (
        "inap.ssp_from_scp.ApplyCharging",
        "aChBillingChargingCharacteristics",
        {"AChBillingChargingCharacteristics1": {"maxConversationTime": 600}},
    ),
    (
        "inap.scp_to_ssp.ApplyCharging",
        "aChBillingChargingCharacteristics",
        {"AChBillingChargingCharacteristics1": {"maxConversationTime": 600}},
    ),
    (
        "inap.ssp_to_scp.ApplyChargingReport",
        "callResultRefinement1",
        {"usedTime": 30, "cause_cause": 16},
    ),
]


@pytest.mark.parametrize(("type_", "name", "value"), GENBAND)
def test_what_genband_has_and_nobody_published(daemon, type_, name, value):
    entry = {"type": type_, "variant": "genband", "arguments": {name: value}}
    refused = daemon().refused(entry)
    assert list(refused) == [f"params.operations[0].arguments.{name}"]


class Trial:
    """Collects the paths that are refused."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def refuse(self, path: str, text: str) -> None:
        self.refused.append(path)

    def hint(self, name: str, known: Any) -> str:
        return ""


def leaves(type_: Any, nest: Any, is_above: frozenset[int] = frozenset()) -> Any:
    """Yield a function from a value to an argument, for each member that has no members."""
    for member in type_.members:
        inner = member.type.inner if isinstance(member.type, Containing) else member.type
        if id(inner) in is_above:
            continue

        def within(value: Any, name: str = member.name) -> Any:
            return nest({name: value})

        def element(value: Any, within: Any = within) -> Any:
            return within([value])

        if isinstance(inner, Structure):
            yield from leaves(inner, within, is_above | {id(inner)})
        elif isinstance(inner, SequenceOf) and isinstance(inner.element, Structure):
            yield from leaves(inner.element, element, is_above | {id(inner)})
        elif not isinstance(inner, SequenceOf) and type(inner).__name__ not in OTHERS:
            yield within


OTHERS = ("ExtensionValue", "ExtensionContainer", "OpenType")


@pytest.mark.parametrize("operation", [pytest.param(one, id=one.name) for one in (*INAP, *MAP)])
def test_no_value_of_any_operation_has_members(operation):
    found = 0
    for variant in sorted(operation.variants):
        for type_ in (operation.argument_in(variant), operation.result_in(variant)):
            for nest in leaves(type_, dict) if type_ is not None else ():
                for value in ({"whatever": 1}, [1]):
                    trial = Trial()
                    check_names(nest(value), type_, "arguments", trial, frozenset())
                    assert trial.refused, (variant, nest(value))
                    found += 1
    assert found or operation.argument is None or isinstance(operation.argument, Sequence)
