"""MoveCallSegments: move call segments to another association.

Empty result.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Integer, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

CALL_SEGMENT_PAIR = Sequence(
    m("sourceCallSegment", 0, CALL_SEGMENT), m("newCallSegment", 1, CALL_SEGMENT, required=True)
)
LEG_PAIR = Sequence(
    m("sourceLeg", 0, LEG_ID, required=True), m("newLeg", 1, LEG_ID, required=True)
)
ARGUMENT = Sequence(
    m("targetCallSegmentAssociation", 0, Integer(1, 2147483647), required=True),
    m("callSegments", 1, SequenceOf(CALL_SEGMENT_PAIR, 1, 127), required=True),
    m("legs", 2, SequenceOf(LEG_PAIR, 1, 127), required=True),
    m("extensions", 3, EXTENSIONS),
)

MOVE_CALL_SEGMENTS = declare(
    Operation(
        name="MoveCallSegments",
        code=92,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="move call segments to another association",
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
        example={
            "targetCallSegmentAssociation": 3,
            "callSegments": [{"sourceCallSegment": 1, "newCallSegment": 2}],
            "legs": [
                {"sourceLeg": {"sendingSideID_hex": "01"}, "newLeg": {"sendingSideID_hex": "01"}}
            ],
        },
    )
)
