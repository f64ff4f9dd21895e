"""OSuspended: tell that the called party has suspended the call, to the originating side.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import DP_SPECIFIC_COMMON_PARAMETERS

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("legID", 1, LEG_ID),
    m("extensions", 2, EXTENSIONS),
)

O_SUSPENDED = declare(
    Operation(
        name="OSuspended",
        code=84,
        operation_class=2,
        sent_by=SSP,
        variants=CS2,
        summary="tell that the called party has suspended the call, to the originating side",
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
            }
        },
    )
)
