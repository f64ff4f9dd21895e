"""RequestReportFacilityEvent: ask for facility components that the user sends.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import ANY_INTEGER, COMPONENT_TYPE, DURATION

ARGUMENT = Sequence(
    m("componentTypes", 0, SequenceOf(COMPONENT_TYPE, 1, 3)),
    m("legID", 1, LEG_ID),
    m("componentCorrelationID", 2, ANY_INTEGER),
    m("monitorDuration", 3, DURATION, required=True),
    m("extensions", 4, EXTENSIONS),
)

REQUEST_REPORT_FACILITY_EVENT = declare(
    Operation(
        name="RequestReportFacilityEvent",
        code=103,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="ask for facility components that the user sends",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        example={"componentTypes": [1], "monitorDuration": 60},
    )
)
