"""OAbandon: tell that the caller has given up.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, DP_SPECIFIC_COMMON_PARAMETERS
from tsvc.protocols.party_number import CAUSE

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("callSegmentID", 1, CALL_SEGMENT, required=True),
    m("releaseCause", 2, CAUSE),
    m("extensions", 3, EXTENSIONS),
)

O_ABANDON = declare(
    Operation(
        name="OAbandon",
        code=83,
        operation_class=2,
        sent_by=SSP,
        variants=CS2,
        summary="tell that the caller has given up",
        argument=ARGUMENT,
        errors=(
            "missingCustomerRecord",
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        example={
            "dpSpecificCommonParameters": {
                "serviceAddressInformation": {
                    "serviceKey": 45,
                    "miscCallInfo": {"messageType": 0},
                },
                "callingPartyNumber_digits": "6421000001",
            },
            "callSegmentID": 1,
        },
    )
)
