"""RequestFirstStatusMatchReport: ask for the first time that a line or trunk has a status.

Empty result.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import BEARER_CAPABILITY, EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import DURATION, RESOURCE_ID, RESOURCE_STATUS
from tsvc.protocols.party_number import GENERIC_DIGITS

ARGUMENT = Sequence(
    m("resourceID", 0, RESOURCE_ID),
    m("resourceStatus", 1, RESOURCE_STATUS),
    m("correlationID", 2, GENERIC_DIGITS),
    m("monitorDuration", 3, DURATION),
    m("extensions", 4, EXTENSIONS),
    m("bearerCapability", 5, BEARER_CAPABILITY),
)

REQUEST_FIRST_STATUS_MATCH_REPORT = declare(
    Operation(
        name="RequestFirstStatusMatchReport",
        code=39,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask for the first time that a line or trunk has a status",
        argument=ARGUMENT,
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
        example={"resourceID": {"trunkGroupID": 7}, "resourceStatus": 1},
    )
)
