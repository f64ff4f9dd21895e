"""RequestEveryStatusChangeReport: ask for every change of a line or trunk.

Empty result.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import DURATION, RESOURCE_ID
from tsvc.protocols.party_number import GENERIC_DIGITS

ARGUMENT = Sequence(
    m("resourceID", 0, RESOURCE_ID, required=True),
    m("correlationID", 1, GENERIC_DIGITS),
    m("monitorDuration", 2, DURATION),
    m("extensions", 3, EXTENSIONS),
)

REQUEST_EVERY_STATUS_CHANGE_REPORT = declare(
    Operation(
        name="RequestEveryStatusChangeReport",
        code=38,
        operation_class=1,
        sent_by=SCP,
        variants=CS,
        summary="ask for every change of a line or trunk",
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
        example={"resourceID": {"trunkGroupID": 7}, "monitorDuration": 60},
    )
)
