"""Supervision of a dialogue: whether it still exists, and how long its guard timer runs.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.asn1 import Enumerated, Integer, Sequence, m
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
