"""ResetTimerGPRS: restart the guard timer of a GPRS session with another time.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import TIMER_ID, TIMER_VALUE

ARGUMENT = Sequence(m("timerID", 0, TIMER_ID), m("timervalue", 1, TIMER_VALUE, required=True))

RESET_TIMER_GPRS = declare(
    Operation(
        name="ResetTimerGPRS",
        code=82,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="restart the guard timer of a GPRS session with another time",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownPDPID",
        ),
        example={"timervalue": 30},
    )
)
