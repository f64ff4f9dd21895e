"""ConnectGPRS: set the access point of a PDP context.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import ACCESS_POINT_NAME, PDP_ID

ARGUMENT = Sequence(
    m("accessPointName", 0, ACCESS_POINT_NAME, required=True), m("pdpID", 1, PDP_ID)
)

CONNECT_GPRS = declare(
    Operation(
        name="ConnectGPRS",
        code=74,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="set the access point of a PDP context",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "unknownPDPID",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"accessPointName_hex": "03746573"},
    )
)
