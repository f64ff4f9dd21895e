"""DisconnectForwardConnection: take down the resource or temporary connection. No argument.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1)
"""

from tsvc.protocols.inap.operation import NOT_CAMEL1, SCP, Operation, declare

DISCONNECT_FORWARD_CONNECTION = declare(
    Operation(
        name="DisconnectForwardConnection",
        code=18,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="take down the connection to a resource or an assisting SSP",
        errors=("systemFailure", "taskRefused", "unexpectedComponentSequence"),
    )
)
