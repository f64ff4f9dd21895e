"""Chooses the variant of a dialogue: by its application context, otherwise the best fit."""

from collections.abc import Sequence
from typing import NamedTuple

from tsvc.kinds.sigtran.recording.arguments import Parameter
from tsvc.kinds.sigtran.recording.carriers import Unit
from tsvc.protocols import contexts
from tsvc.protocols.inap import operation as inap
from tsvc.protocols.map import operation as map_base
from tsvc.protocols.ros import Operation
from tsvc.protocols.tcap.components import Code, Invoke, ReturnResult
from tsvc.protocols.tcap.messages import Message

# Without an application context: the variants in this order, the first one with the best fit.
_GUESSES = (
    inap.DEFAULT_VARIANT,
    *sorted(inap.VARIANTS - {inap.DEFAULT_VARIANT}),
    *sorted(map_base.VERSIONS, reverse=True),
)
_UNKNOWN_OPERATION = 100  # deviations that an unknown operation counts as


class Exchanged(NamedTuple):
    """One message of a dialogue."""

    unit: Unit
    message: Message
    is_from_client: bool


def chosen_variant(exchanged: Sequence[Exchanged], context: bytes | None) -> tuple[str, bool]:
    """Return the variant of a dialogue, and True if its application context decides it."""
    decided = contexts.variant_of(context) or map_base.variant_of(context)
    if decided is not None:
        return decided, True
    return min(_GUESSES, key=lambda variant: _deviations(exchanged, variant)), False


def _deviations(exchanged: Sequence[Exchanged], variant: str) -> int:
    """Return the number of deviations of a dialogue's components from a variant."""
    count = 0
    invoked: dict[tuple[bool, int], Code] = {}
    for one in exchanged:
        for component in one.message.components:
            code: Code | None
            match component:
                case Invoke():
                    code = invoked[one.is_from_client, component.invoke_id] = component.code
                case ReturnResult():
                    code = invoked.get((not one.is_from_client, component.invoke_id))
                case _:
                    continue
            operation = operation_of(variant, code)
            if operation is None:
                count += _UNKNOWN_OPERATION
            else:
                is_result = isinstance(component, ReturnResult)
                parameter = Parameter(operation, variant, is_result=is_result)
                count += parameter.notes(component.parameter)
    return count


def operation_of(variant: str, code: object) -> Operation | None:
    """Return the operation of a code in a variant, None if there is none."""
    if not isinstance(code, int):
        return None
    if variant in map_base.VERSIONS:
        return map_base.by_code(variant, code)
    return inap.by_code(variant, code)


def roles_of(exchanged: Sequence[Exchanged], variant: str) -> tuple[str, str] | None:
    """Return the roles of the side that began the dialogue and of the other one: "ssp" and "scp",
    by the operations that they invoke; None for MAP, where each side may have either role."""
    if variant in map_base.VERSIONS:
        return None
    for one in exchanged:
        for component in one.message.components:
            operation = (
                operation_of(variant, component.code) if isinstance(component, Invoke) else None
            )
            if operation is not None:
                is_of_scp = operation.sent_by >= inap.SCP
                return ("scp", "ssp") if is_of_scp is one.is_from_client else ("ssp", "scp")
    return "ssp", "scp"
