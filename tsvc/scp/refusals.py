"""The errors and rejects that answer wrong components of a peer.

All components of a message are checked before the SCP acts on any: an error or a reject ends the
dialogue, in the END that carries it. The module checks the form, as a test checks what it receives
(the same declarations, the same `malformations`). It also finds what is wrong at any time of a
call:

    invoke    unrecognizedOperation      unknown in the variant, or not the peer's to send
              linkedResponseUnexpected   linked to what has no linked operations
              unexpectedLinkedOperation  linked to what has others
              mistypedParameter          its argument is malformed
              error unexpectedComponentSequence: not requested (class 1 and 2)
    result    returnResultUnexpected     a segment: no result of INAP or CAP needs several messages
              mistypedParameter
    error     unrecognizedError, unexpectedError (none of the operation's own), mistypedParameter

The component sublayer handles duplicate and unknown invoke ids and linked ids. A component at
the wrong time that has no error for this is found by Reader: `reports.OutOfPlace`.

Source: Q.773 §4.2.2 (problem codes), Q.774 §3.2.1 (06/97), TS 29.078 (errors of each operation)
"""

from collections.abc import Iterable
from typing import NamedTuple

from tsvc.memo import Memo
from tsvc.protocols.asn1 import Notes, Tree
from tsvc.protocols.asn1.base import malformations
from tsvc.protocols.inap.errors import ERROR_CODES, ERROR_NAMES, decode_error
from tsvc.protocols.inap.operation import OPERATIONS, Operation, by_code
from tsvc.protocols.tcap.components import (
    Code,
    Component,
    Invoke,
    ProblemType,
    Reject,
    ReturnError,
    ReturnResult,
)
from tsvc.scp.telephony import ACR, ACTIVITY_TEST, ERB, SRR

UNRECOGNIZED_OPERATION = 1
MISTYPED_PARAMETER = 2
LINKED_RESPONSE_UNEXPECTED = 6
UNEXPECTED_LINKED_OPERATION = 7
# Problems with a result, and with an error.
RETURN_RESULT_UNEXPECTED = 1
MISTYPED_RESULT = 2
UNRECOGNIZED_ERROR = 2
UNEXPECTED_ERROR = 3
MISTYPED_ERROR = 4

# Operations that an open dialogue may bring. An SSP may test the activity too (Q.1248 and later);
# the declaration names only the SCP.
_EXPECTED = frozenset({ERB.name, SRR.name, ACTIVITY_TEST.name})
_EXPECTED_OF_CHARGED = _EXPECTED | {ACR.name}
_PEERS = frozenset({"ssp", "srf"})
_LONGEST_KEPT = 64  # octets of a parameter: trees of long ones may take half a megabyte

Refusal = Reject | ReturnError


class Read(NamedTuple):
    """An argument or result that is never changed: most calls bring the same ones."""

    tree: Tree
    is_malformed: bool


def read_argument(operation: Operation, parameter: bytes | None, variant: str) -> Read:
    """Return the argument of an operation."""
    return _READ[operation.name, parameter, variant, True]


def read_result(operation: Operation, parameter: bytes | None, variant: str) -> Read:
    """Return the result of an operation."""
    return _READ[operation.name, parameter, variant, False]


def _read(key: tuple[str, bytes | None, str, bool]) -> Read:
    name, parameter, variant, is_argument = key
    operation = OPERATIONS.required(name)
    notes: Notes = []
    decode = operation.decode_argument if is_argument else operation.decode_result
    tree = decode(parameter, variant, notes)
    return Read(tree, bool(malformations(notes)))


_READ = Memo(
    "what SSPs say", 1024, _read, longest=_LONGEST_KEPT, size=lambda key: len(key[1] or b"")
)


def operation_of(code: Code, variant: str) -> Operation | None:
    """Return the operation of a code, None if the variant has none."""
    return by_code(variant, code) if isinstance(code, int) else None


def error(invoke: Invoke, name: str) -> ReturnError:
    """Return a ReturnError without a parameter."""
    return ReturnError(invoke.invoke_id, ERROR_CODES[name])


def reject(invoke: Invoke, problem: int) -> Reject:
    """Return a Reject with an invoke problem."""
    return Reject(invoke.invoke_id, ProblemType.INVOKE, problem)


def refusals(components: Iterable[Component], variant: str, reports_due: int = 0) -> list[Refusal]:
    """Return the refusals of a message's components; none: the SCP can act on all of them.

    reports_due: the number of granted call times that are not reported on yet.
    """
    found: list[Refusal] = []
    for component in components:
        match component:
            case Invoke():
                expected = _EXPECTED_OF_CHARGED if reports_due > 0 else _EXPECTED
                refusal = _of_invoke(component, variant, expected)
                reports_due -= component.code == ACR.code
            case ReturnResult():
                refusal = _of_result(component, variant)
            case ReturnError():
                refusal = _of_error(component, variant)
            case _:
                refusal = None
        if refusal is not None:
            found.append(refusal)
    return found


def _of_invoke(invoke: Invoke, variant: str, expected: frozenset[str]) -> Refusal | None:
    operation = operation_of(invoke.code, variant)
    if operation is None or not (operation.name in expected or operation.sent_by & _PEERS):
        return reject(invoke, UNRECOGNIZED_OPERATION)
    parent = None if invoke.linked_code is None else operation_of(invoke.linked_code, variant)
    if parent is not None and parent.name not in operation.linked_to:
        return reject(invoke, _linked_problem(parent))
    if read_argument(operation, invoke.parameter, variant).is_malformed:
        return reject(invoke, MISTYPED_PARAMETER)
    if operation.name in expected or operation.operation_class == 4:
        return None
    return error(invoke, "unexpectedComponentSequence")


def _linked_problem(parent: Operation) -> int:
    has_linked = any(parent.name in operation.linked_to for operation in OPERATIONS)
    return UNEXPECTED_LINKED_OPERATION if has_linked else LINKED_RESPONSE_UNEXPECTED


def _of_result(result: ReturnResult, variant: str) -> Reject | None:
    code = result.code
    operation = None if code is None else operation_of(code, variant)
    if code != result.operation_code:
        operation = None  # a result of another operation
    problem = None
    if not result.is_last:
        problem = RETURN_RESULT_UNEXPECTED
    elif operation is None or read_result(operation, result.parameter, variant).is_malformed:
        problem = MISTYPED_RESULT
    if problem is None:
        return None
    return Reject(result.invoke_id, ProblemType.RETURN_RESULT, problem)


def _of_error(returned: ReturnError, variant: str) -> Reject | None:
    code, asked = returned.code, returned.operation_code
    operation = None if asked is None else operation_of(asked, variant)
    name = ERROR_NAMES.get(code) if isinstance(code, int) else None
    notes: Notes = []
    problem = None
    if name is None or not isinstance(code, int):
        problem = UNRECOGNIZED_ERROR
    elif operation is None or name not in operation.errors:
        problem = UNEXPECTED_ERROR
    else:
        decode_error(code, returned.parameter, notes)
        if malformations(notes):
            problem = MISTYPED_ERROR
    if problem is None:
        return None
    return Reject(returned.invoke_id, ProblemType.RETURN_ERROR, problem)


def has_local_reject(components: Iterable[Component]) -> bool:
    """Return True if the own component sublayer has queued a reject for a message."""
    return any(isinstance(one, Reject) and one.is_local for one in components)
