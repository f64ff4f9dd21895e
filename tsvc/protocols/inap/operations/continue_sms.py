"""ContinueSMS: let the short message go on.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare

CONTINUE_SMS = declare(
    Operation(
        name="ContinueSMS",
        code=65,
        operation_class=4,
        sent_by=SCP,
        variants=SMS,
        summary="let the short message go on",
    )
)
