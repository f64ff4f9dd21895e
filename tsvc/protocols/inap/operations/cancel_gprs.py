"""CancelGPRS: take back what was asked of a GPRS session.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID

ARGUMENT = Sequence(m("pDPID", 0, PDP_ID))

CANCEL_GPRS = declare(
    Operation(
        name="CancelGPRS",
        code=73,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="take back what was asked of a GPRS session",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unknownPDPID",
        ),
        example={"pDPID_hex": "01"},
    )
)
