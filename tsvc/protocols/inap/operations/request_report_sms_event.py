"""RequestReportSMSEvent: ask for events of the short message.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE
from tsvc.protocols.inap.parameters_gprs import EVENT_TYPE_SMS

SMS_EVENT = Sequence(
    m("eventTypeSMS", 0, EVENT_TYPE_SMS, required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
)
ARGUMENT = Sequence(
    m("sMSEvents", 0, SequenceOf(SMS_EVENT, 1, 10), required=True), m("extensions", 10, EXTENSIONS)
)

REQUEST_REPORT_SMS_EVENT = declare(
    Operation(
        name="RequestReportSMSEvent",
        code=63,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="ask for events of the short message",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={
            "sMSEvents": [
                {"eventTypeSMS": 2, "monitorMode": 1},
                {"eventTypeSMS": 3, "monitorMode": 1},
            ]
        },
    )
)
