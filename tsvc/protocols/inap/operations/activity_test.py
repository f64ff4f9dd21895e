"""ActivityTest: the SCP asks whether the dialogue still exists. No argument, empty result.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.inap.operation import ALL, SCP, Operation, declare

ACTIVITY_TEST = declare(
    Operation(
        name="ActivityTest",
        code=55,
        operation_class=3,
        sent_by=SCP,
        variants=ALL,
        summary="ask whether the dialogue still exists",
    )
)
