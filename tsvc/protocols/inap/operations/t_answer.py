"""TAnswer: tell the terminating side of the answer.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    COMPONENT,
    COMPONENT_TYPE,
    DP_SPECIFIC_COMMON_PARAMETERS,
    FACILITY_GROUP,
)

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("calledPartyBusinessGroupID", 1, Octets(1, 20)),
    m("calledPartySubaddress", 2, Octets(1, 21)),
    m("calledFacilityGroup", 3, FACILITY_GROUP),
    m("calledFacilityGroupMember", 4, ANY_INTEGER),
    m("extensions", 5, EXTENSIONS),
    m("componentType", 6, COMPONENT_TYPE),
    m("component", 7, COMPONENT),
    m("componentCorrelationID", 8, ANY_INTEGER),
)

T_ANSWER = declare(
    Operation(
        name="TAnswer",
        code=12,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell the terminating side of the answer",
        argument=ARGUMENT,
        errors=(
            "missingCustomerRecord",
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
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
