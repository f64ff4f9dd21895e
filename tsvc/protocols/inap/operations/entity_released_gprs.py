"""EntityReleasedGPRS: report that the session or a PDP context is gone.

Empty result.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import GPRS, SSP, Operation, declare
from tsvc.protocols.inap.parameters_gprs import PDP_ID

ARGUMENT = Sequence(m("gPRSCause", 0, Octets(1, 1), required=True), m("pDPID", 1, PDP_ID))

ENTITY_RELEASED_GPRS = declare(
    Operation(
        name="EntityReleasedGPRS",
        code=76,
        operation_class=1,
        sent_by=SSP,
        variants=GPRS,
        summary="report that the session or a PDP context is gone",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "taskRefused",
            "unknownPDPID",
        ),
        example={"gPRSCause_hex": "01"},
    )
)
