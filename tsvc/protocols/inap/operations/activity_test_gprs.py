"""ActivityTestGPRS: ask whether a GPRS dialogue still exists.

No argument, empty result.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.inap.operation import GPRS, SCP, Operation, declare

ACTIVITY_TEST_GPRS = declare(
    Operation(
        name="ActivityTestGPRS",
        code=70,
        operation_class=3,
        sent_by=SCP,
        variants=GPRS,
        summary="ask whether a GPRS dialogue still exists",
    )
)
