"""CreateCallSegmentAssociation: make an empty call segment association.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Integer, Sequence, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS

ARGUMENT = Sequence(m("extensions", 0, EXTENSIONS))
RESULT = Sequence(
    m("newCallSegmentAssociation", 0, Integer(1, 2147483647), required=True),
    m("extensions", 1, EXTENSIONS),
)

CREATE_CALL_SEGMENT_ASSOCIATION = declare(
    Operation(
        name="CreateCallSegmentAssociation",
        code=89,
        operation_class=1,
        sent_by=SCP,
        variants=CS2,
        summary="make an empty call segment association",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"extensions": [{"type": 1, "value_hex": "020105"}]},
    )
)
