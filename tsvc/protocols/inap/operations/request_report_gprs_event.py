"""RequestReportGPRSEvent: ask for events of a GPRS session.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_cs2 import MONITOR_MODE
from tsvc.protocols.inap.parameters_gprs import EVENT_TYPE_GPRS, PDP_ID

GPRS_EVENT = Sequence(
    m("gPRSEventType", 0, EVENT_TYPE_GPRS, required=True),
    m("monitorMode", 1, MONITOR_MODE, required=True),
)
ARGUMENT = Sequence(
    m("gPRSEvent", 0, SequenceOf(GPRS_EVENT, 1, 10), required=True), m("pDPID", 1, PDP_ID)
)

REQUEST_REPORT_GPRS_EVENT = declare(
    Operation(
        name="RequestReportGPRSEvent",
        code=81,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="ask for events of a GPRS session",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownPDPID",
        ),
        example={
            "gPRSEvent": [
                {"gPRSEventType": 12, "monitorMode": 0},
                {"gPRSEventType": 13, "monitorMode": 1},
            ]
        },
    )
)
