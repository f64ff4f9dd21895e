"""SplitLeg: put a leg into a call segment of its own; empty result.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import Null, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

ARGUMENT = Sequence(
    m("legToBeSplit", 0, LEG_ID, required=True),
    m("newCallSegment", 1, CALL_SEGMENT),
    m("extensions", 2, EXTENSIONS),
    m("detachSignallingPath", 3, Null(), only=CS2),
)

SPLIT_LEG = declare(
    Operation(
        name="SplitLeg",
        code=95,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="put a leg into a call segment of its own",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "unexpectedComponentSequence",
            "unexpectedParameter",
            "unexpectedDataValue",
            "systemFailure",
            "taskRefused",
            "unknownLegID",
        ),
        example={"legToBeSplit": {"sendingSideID_hex": "01"}, "newCallSegment": 2},
    )
)
