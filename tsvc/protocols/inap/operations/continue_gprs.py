"""ContinueGPRS: let the GPRS session or PDP context go on.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID

ARGUMENT = Sequence(m("pDPID", 0, PDP_ID))

CONTINUE_GPRS = declare(
    Operation(
        name="ContinueGPRS",
        code=75,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="let the GPRS session or PDP context go on",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "unknownPDPID",
            "unexpectedDataValue",
        ),
        example={"pDPID_hex": "01"},
    )
)
