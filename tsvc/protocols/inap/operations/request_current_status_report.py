"""RequestCurrentStatusReport: ask whether a line or trunk is busy now.

The argument is a bare choice.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import RESOURCE_ID, RESOURCE_STATUS

ARGUMENT = RESOURCE_ID
RESULT = Sequence(
    m("resourceStatus", 0, RESOURCE_STATUS, required=True),
    m("resourceID", 1, RESOURCE_ID),
    m("extensions", 2, EXTENSIONS),
)

REQUEST_CURRENT_STATUS_REPORT = declare(
    Operation(
        name="RequestCurrentStatusReport",
        code=37,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask whether a line or trunk is busy now",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownResource",
        ),
        example={"trunkGroupID": 7},
    )
)
