"""What is wrong with an operation that a peer invokes: the error or reject to answer it with.

All of a message is judged before any of it is acted upon: an error or a reject ends the dialogue.
"""

from collections.abc import Iterable

from tsvc.protocols.inap.errors import ERROR_CODES
from tsvc.protocols.inap.operation import Operation, by_code
from tsvc.protocols.tcap.components import Component, Invoke, ProblemType, Reject, ReturnError
from tsvc.scp.telephony import ACTIVITY_TEST, ERB, SRR

UNRECOGNIZED_OPERATION = 1
MISTYPED_PARAMETER = 2

# What an open dialogue may bring; other operations of class 4 can't be answered: ignored. An SSP
# may test our activity too (Q.1248 and later); the declaration names the SCP only.
_EXPECTED = frozenset({ERB.name, SRR.name, ACTIVITY_TEST.name})
_PEERS = frozenset({"ssp", "srf"})

Refusal = Reject | ReturnError


def operation_of(invoke: Invoke, variant: str) -> Operation | None:
    """Return the operation of an invoke, None if the variant has none of that code."""
    return by_code(variant, invoke.code) if isinstance(invoke.code, int) else None


def error(invoke: Invoke, name: str) -> ReturnError:
    """Return a ReturnError without a parameter."""
    return ReturnError(invoke.invoke_id, ERROR_CODES[name])


def reject(invoke: Invoke, problem: int) -> Reject:
    """Return a Reject with an invoke problem."""
    return Reject(invoke.invoke_id, ProblemType.INVOKE, problem)


def refusals(components: Iterable[Component], variant: str) -> list[Refusal]:
    """Return what the invokes among components are refused with; none: all can be acted upon."""
    found: list[Refusal] = []
    for component in components:
        refusal = _refusal(component, variant) if isinstance(component, Invoke) else None
        if refusal is not None:
            found.append(refusal)
    return found


def _refusal(invoke: Invoke, variant: str) -> Refusal | None:
    operation = operation_of(invoke, variant)
    if operation is None:
        return reject(invoke, UNRECOGNIZED_OPERATION)
    if operation.name in _EXPECTED:
        return None
    if not operation.sent_by & _PEERS:
        return reject(invoke, UNRECOGNIZED_OPERATION)
    if operation.operation_class == 4:
        return None
    return error(invoke, "unexpectedComponentSequence")


def has_local_reject(components: Iterable[Component]) -> bool:
    """Tell whether our component sublayer has queued a reject of something in a message."""
    return any(isinstance(one, Reject) and one.is_local for one in components)
