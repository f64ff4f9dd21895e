"""Continue: let the SSP go on with the call as it stands. No argument.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.inap.operation import ALL, SCP, Operation, declare

CONTINUE = declare(
    Operation(
        name="Continue",
        code=31,
        operation_class=4,
        sent_by=SCP,
        variants=ALL,
        summary="go on with the call as it stands",
    )
)
