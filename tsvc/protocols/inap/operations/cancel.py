"""Cancel: stop one invocation of user interaction, or all requests. The argument is a bare choice.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Choice, Integer, Null, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, NOT_CAMEL1, SCP, Operation, declare

_INVOKE_ID = Integer(-128, 127)

ARGUMENT = Choice(
    m("invokeID", 0, _INVOKE_ID),
    m("allRequests", 1, Null()),
    m(
        "callSegmentToCancel",
        2,
        Sequence(m("invokeID", 0, _INVOKE_ID), m("callSegmentID", 1, Integer(1, 127))),
        only=CAMEL4,
    ),
)

CANCEL = declare(
    Operation(
        name="Cancel",
        short_name="CAN",
        code=53,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="stop an invocation of user interaction, or all requests",
        argument=ARGUMENT,
        errors=("cancelFailed", "missingParameter", "taskRefused", "unknownCSID"),
        example={"allRequests": 1},
    )
)
