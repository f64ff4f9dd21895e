"""ResetTimerSMS: restart the guard timer of a short message with another time.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_gprs import TIMER_ID, TIMER_VALUE

ARGUMENT = Sequence(
    m("timerID", 0, TIMER_ID),
    m("timervalue", 1, TIMER_VALUE, required=True),
    m("extensions", 2, EXTENSIONS),
)

RESET_TIMER_SMS = declare(
    Operation(
        name="ResetTimerSMS",
        code=67,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="restart the guard timer of a short message with another time",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"timervalue": 30},
    )
)
