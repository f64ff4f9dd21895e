"""SendSTUI: send information of the service to the user.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import USI_INFORMATION, USI_SERVICE_INDICATOR

ARGUMENT = Sequence(
    m("uSIServiceIndicator", 0, USI_SERVICE_INDICATOR, required=True),
    m("legID", 1, LEG_ID),
    m("uSIInformation", 2, USI_INFORMATION, required=True),
    m("extensions", 3, EXTENSIONS),
)

SEND_STUI = declare(
    Operation(
        name="SendSTUI",
        code=100,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="send information of the service to the user",
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
            "uSIServiceIndicator": {"local_hex": "01"},
            "legID": {"sendingSideID_hex": "01"},
            "uSIInformation_hex": "0102",
        },
    )
)
