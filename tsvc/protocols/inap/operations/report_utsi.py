"""ReportUTSI: report information that the user sent to the service.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import USI_INFORMATION, USI_SERVICE_INDICATOR

ARGUMENT = Sequence(
    m("uSIServiceIndicator", 0, USI_SERVICE_INDICATOR, required=True),
    m("legID", 1, LEG_ID),
    m("uSIInformation", 2, USI_INFORMATION, required=True),
    m("extensions", 3, EXTENSIONS),
)

REPORT_UTSI = declare(
    Operation(
        name="ReportUTSI",
        code=101,
        operation_class=4,
        sent_by=SSP,
        variants=CS2,
        summary="report information that the user sent to the service",
        argument=ARGUMENT,
        example={
            "uSIServiceIndicator": {"local_hex": "01"},
            "legID": {"receivingSideID_hex": "01"},
            "uSIInformation_hex": "0102",
        },
    )
)
