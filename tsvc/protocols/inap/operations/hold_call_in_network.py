"""HoldCallInNetwork: keep the call waiting during its set-up.

The argument is a bare choice.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Choice, Null, Octets, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare

ARGUMENT = Choice(m("holdcause", 0, Octets()), m("empty", 1, Null()))

HOLD_CALL_IN_NETWORK = declare(
    Operation(
        name="HoldCallInNetwork",
        code=21,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="keep the call waiting during its set-up",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"empty": 1},
    )
)
