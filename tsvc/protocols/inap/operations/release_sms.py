"""ReleaseSMS: refuse the short message, with an RP cause.

The argument is a bare OCTET STRING, `rPCause`.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Octets, m
from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare

ARGUMENT = Choice(m("rPCause", None, Octets(1, 1)))

RELEASE_SMS = declare(
    Operation(
        name="ReleaseSMS",
        code=66,
        operation_class=4,
        sent_by=SCP,
        variants=SMS,
        summary="refuse the short message, with an RP cause",
        argument=ARGUMENT,
        example={"rPCause_hex": "15"},
    )
)
