"""Call segments and legs: the SCP makes, joins, splits, moves and releases them.

Source: TS 29.078 (CAP), Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    Text,
    m,
)
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import CAMEL4, CS2, SCP, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT
from tsvc.protocols.party_number import CAUSE

declare(
    Operation(
        name="CreateCallSegmentAssociation",
        code=89,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="make an empty call segment association",
        argument=Sequence(m("extensions", 0, EXTENSIONS)),
        result=Sequence(
            m("newCallSegmentAssociation", 0, Integer(1, 2147483647), required=True),
            m("extensions", 1, EXTENSIONS),
        ),
        errors=USUAL_BUT_RANGE,
        example={"extensions": [{"type": 1, "value_hex": "020105"}]},
    )
)

CALL_SEGMENT_PAIR = Sequence(
    m("sourceCallSegment", 0, CALL_SEGMENT), m("newCallSegment", 1, CALL_SEGMENT, required=True)
)
LEG_PAIR = Sequence(
    m("sourceLeg", 0, LEG_ID, required=True), m("newLeg", 1, LEG_ID, required=True)
)

declare(
    Operation(
        name="MoveCallSegments",
        code=92,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="move call segments to another association",
        argument=Sequence(
            m("targetCallSegmentAssociation", 0, Integer(1, 2147483647), required=True),
            m("callSegments", 1, SequenceOf(CALL_SEGMENT_PAIR, 1, 127), required=True),
            m("legs", 2, SequenceOf(LEG_PAIR, 1, 127), required=True),
            m("extensions", 3, EXTENSIONS),
        ),
        errors=(*USUAL_BUT_RANGE, "unknownLegID"),
        example={
            "targetCallSegmentAssociation": 3,
            "callSegments": [{"sourceCallSegment": 1, "newCallSegment": 2}],
            "legs": [
                {"sourceLeg": {"sendingSideID_hex": "01"}, "newLeg": {"sendingSideID_hex": "01"}}
            ],
        },
    )
)

declare(
    Operation(
        name="MergeCallSegments",
        code=91,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="join two call segments",
        argument=Sequence(
            m("sourceCallSegment", 0, CALL_SEGMENT, required=True),
            m("targetCallSegment", 1, CALL_SEGMENT),
            m("extensions", 2, EXTENSIONS),
            m("mergeSignallingPaths", 3, Null()),
        ),
        errors=USUAL_BUT_RANGE,
        example={"sourceCallSegment": 2, "targetCallSegment": 1},
    )
)

declare(
    Operation(
        name="SplitLeg",
        code=95,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="put a leg into a call segment of its own",
        argument=Sequence(
            m("legToBeSplit", 0, LEG_ID, required=True),
            m("newCallSegment", 1, CALL_SEGMENT),
            m("extensions", 2, EXTENSIONS),
            m("detachSignallingPath", 3, Null(), only=CS2),
        ),
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

declare(
    Operation(
        name="MoveLeg",
        code=93,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="move a leg to another call segment",
        argument=Sequence(
            m("legIDToMove", 0, LEG_ID, required=True),
            m("targetCallSegment", 1, CALL_SEGMENT, only=CS2),
            m("extensions", 2, EXTENSIONS),
            m("detachSignallingPath", 3, Null(), only=CS2),
            m("exportSignallingPath", 4, Null(), only=CS2),
        ),
        errors=(*USUAL_BUT_RANGE, "unknownLegID"),
        example={"legIDToMove": {"sendingSideID_hex": "01"}},
    )
)

declare(
    Operation(
        name="DisconnectLeg",
        code=90,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="release one leg of the call",
        argument=Sequence(
            m("legToBeReleased", 0, LEG_ID, required=True),
            m("releaseCause", 1, CAUSE),
            m("extensions", 2, EXTENSIONS),
        ),
        errors=(*USUAL_BUT_RANGE, "unknownLegID"),
        example={"legToBeReleased": {"sendingSideID_hex": "01"}, "releaseCause_cause": 16},
    )
)

declare(
    Operation(
        name="Reconnect",
        code=94,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="join the controlling leg with the legs on hold",
        argument=Sequence(
            m("notificationDuration", 0, Integer(0, 2047, unit="s")),
            m("alertingPattern", 1, Octets(3, 3)),
            m("displayInformation", 2, Text(1, 127)),
            m("extensions", 3, EXTENSIONS),
            m("callSegmentID", 4, CALL_SEGMENT),
        ),
        errors=USUAL_BUT_RANGE,
        example={"notificationDuration": 10, "callSegmentID": 1},
    )
)

# The argument is a bare choice.
declare(
    Operation(
        name="EntityReleased",
        code=96,
        operation_class=4,
        sent_by=SSP,
        variants=CS2 | CAMEL4,
        summary="report that a call segment or leg is gone",
        argument=ByVariant(
            {
                CAMEL4: Choice(
                    m(
                        "callSegmentFailure",
                        0,
                        Sequence(m("callSegmentID", 0, CALL_SEGMENT), m("cause", 2, CAUSE)),
                    ),
                    m("bCSM-Failure", 1, Sequence(m("legID", 0, LEG_ID), m("cause", 2, CAUSE))),
                ),
                CS2: Choice(
                    m(
                        "cSFailure",
                        0,
                        Sequence(
                            m("callSegmentID", 0, CALL_SEGMENT, required=True),
                            m("reason", 1, Octets(1, 255)),
                            m("cause", 2, CAUSE),
                        ),
                    ),
                    m(
                        "bCSMFailure",
                        1,
                        Sequence(
                            m("legID", 0, LEG_ID, required=True),
                            m("reason", 1, Octets(1, 255)),
                            m("cause", 2, CAUSE),
                        ),
                    ),
                ),
            }
        ),
        # callSegmentID 1 failed: raw, so that it is valid in every variant.
        example={"_hex": "a003800101"},
    )
)
