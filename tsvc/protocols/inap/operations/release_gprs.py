"""ReleaseGPRS: end the session or a PDP context, with a cause.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID

ARGUMENT = Sequence(m("gprsCause", 0, Octets(1, 1), required=True), m("pDPID", 1, PDP_ID))

RELEASE_GPRS = declare(
    Operation(
        name="ReleaseGPRS",
        code=79,
        operation_class=2,
        sent_by=SCP,
        variants=GPRS,
        summary="end the session or a PDP context, with a cause",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unknownPDPID",
        ),
        example={"gprsCause_hex": "01"},
    )
)
