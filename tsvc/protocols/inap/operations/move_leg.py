"""MoveLeg: move a leg to another call segment; empty result.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import Null, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

ARGUMENT = Sequence(
    m("legIDToMove", 0, LEG_ID, required=True),
    m("targetCallSegment", 1, CALL_SEGMENT, only=CS2),
    m("extensions", 2, EXTENSIONS),
    m("detachSignallingPath", 3, Null(), only=CS2),
    m("exportSignallingPath", 4, Null(), only=CS2),
)

MOVE_LEG = declare(
    Operation(
        name="MoveLeg",
        code=93,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="move a leg to another call segment",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        example={"legIDToMove": {"sendingSideID_hex": "01"}},
    )
)
