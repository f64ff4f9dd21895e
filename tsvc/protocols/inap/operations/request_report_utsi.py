"""RequestReportUTSI: ask for information that the user sends to the service.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import USI_SERVICE_INDICATOR

REQUESTED_UTSI = Sequence(
    m("uSIServiceIndicator", 0, USI_SERVICE_INDICATOR, required=True),
    m(
        "uSImonitorMode",
        1,
        Enumerated({0: "monitoringActive", 1: "monitoringInactive"}),
        required=True,
    ),
)
ARGUMENT = Sequence(
    m("requestedUTSIList", 0, SequenceOf(REQUESTED_UTSI, 1, 127), required=True),
    m("extensions", 1, EXTENSIONS),
    m("legID", 2, LEG_ID),
)

REQUEST_REPORT_UTSI = declare(
    Operation(
        name="RequestReportUTSI",
        code=98,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="ask for information that the user sends to the service",
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
        example={
            "requestedUTSIList": [
                {"uSIServiceIndicator": {"local_hex": "01"}, "uSImonitorMode": 0}
            ],
            "legID": {"sendingSideID_hex": "01"},
        },
    )
)
