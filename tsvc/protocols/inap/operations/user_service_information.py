"""User service information: from the user to the service (UTSI), and the reverse (STUI).

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Enumerated, Sequence, SequenceOf, m
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import CS2, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import USI_INFORMATION, USI_SERVICE_INDICATOR

INFORMATION = Sequence(
    m("uSIServiceIndicator", 0, USI_SERVICE_INDICATOR, required=True),
    m("legID", 1, LEG_ID),
    m("uSIInformation", 2, USI_INFORMATION, required=True),
    m("extensions", 3, EXTENSIONS),
)
REQUESTED_UTSI = Sequence(
    m("uSIServiceIndicator", 0, USI_SERVICE_INDICATOR, required=True),
    m(
        "uSImonitorMode",
        1,
        Enumerated({0: "monitoringActive", 1: "monitoringInactive"}),
        required=True,
    ),
)

declare(
    Operation(
        name="RequestReportUTSI",
        code=98,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="ask for information that the user sends to the service",
        argument=Sequence(
            m("requestedUTSIList", 0, SequenceOf(REQUESTED_UTSI, 1, 127), required=True),
            m("extensions", 1, EXTENSIONS),
            m("legID", 2, LEG_ID),
        ),
        errors=(*USUAL_ERRORS, "unknownLegID"),
        example={
            "requestedUTSIList": [
                {"uSIServiceIndicator": {"local_hex": "01"}, "uSImonitorMode": 0}
            ],
            "legID": {"sendingSideID_hex": "01"},
        },
    )
)

declare(
    Operation(
        name="ReportUTSI",
        code=101,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report information that the user sent to the service",
        argument=INFORMATION,
        example={
            "uSIServiceIndicator": {"local_hex": "01"},
            "legID": {"receivingSideID_hex": "01"},
            "uSIInformation_hex": "0102",
        },
    )
)

declare(
    Operation(
        name="SendSTUI",
        code=100,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="send information of the service to the user",
        argument=INFORMATION,
        errors=(*USUAL_ERRORS, "unknownLegID"),
        example={
            "uSIServiceIndicator": {"local_hex": "01"},
            "legID": {"sendingSideID_hex": "01"},
            "uSIInformation_hex": "0102",
        },
    )
)
