"""Supervision: test whether the dialogue still exists, reset its guard timer, and cancel requests.

Cancel stops one invocation of user interaction, or all requests; its argument is a bare choice.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Choice, Enumerated, Integer, Null, Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.inap.errors import USUAL_BUT_FAILURE
from tsvc.protocols.inap.operation import ALL, CAMEL4, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS

declare(
    Operation(
        name="ActivityTest",
        short_name="AT",
        code=55,
        operation_class=3,
        sent_by=SCP,
        variants=ALL,
        summary="ask whether the dialogue still exists",
    )
)

declare(
    Operation(
        name="ResetTimer",
        short_name="RT",
        code=33,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="restart the SSP's guard timer with another time",
        argument=Sequence(
            m("timerID", 0, Enumerated({0: "tssf"})),
            m("timervalue", 1, Integer(0, 2147483647, unit="s"), required=True),
            m("extensions", 2, EXTENSIONS),
            m("callSegmentID", 3, Integer(1, 127), only=CAMEL4),
        ),
        errors=(*USUAL_BUT_FAILURE, "unknownCSID"),
        facts=(fact("timer", "timerID_name"), fact("set to", "timervalue", "s")),
        example={"timerID": 0, "timervalue": 60},
    )
)


_INVOKE_ID = Integer(-128, 127)

CANCELLED = Choice(
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
        argument=CANCELLED,
        errors=("cancelFailed", "missingParameter", "taskRefused", "unknownCSID"),
        example={"allRequests": 1},
    )
)
