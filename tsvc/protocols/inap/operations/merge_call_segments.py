"""MergeCallSegments: join two call segments.

Empty result.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Null, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

ARGUMENT = Sequence(
    m("sourceCallSegment", 0, CALL_SEGMENT, required=True),
    m("targetCallSegment", 1, CALL_SEGMENT),
    m("extensions", 2, EXTENSIONS),
    m("mergeSignallingPaths", 3, Null()),
)

MERGE_CALL_SEGMENTS = declare(
    Operation(
        name="MergeCallSegments",
        code=91,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="join two call segments",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"sourceCallSegment": 2, "targetCallSegment": 1},
    )
)
