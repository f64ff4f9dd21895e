"""OriginationAttemptAuthorized: tell that a call may be made.

For systems that have an operation for each detection point. Opens a dialogue. The members
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
from tsvc.protocols.party_number import CALLED_PARTY_NUMBER, LOCATION_NUMBER

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("dialledDigits", 1, CALLED_PARTY_NUMBER),
    m("callingPartyBusinessGroupID", 2, Octets(1, 20)),
    m("callingPartySubaddress", 3, Octets(1, 21)),
    m("callingFacilityGroup", 4, FACILITY_GROUP),
    m("callingFacilityGroupMember", 5, ANY_INTEGER),
    m("travellingClassMark", 6, LOCATION_NUMBER),
    m("extensions", 7, EXTENSIONS),
    m("carrier", 8, Octets(1, 128)),
    m("componentType", 9, COMPONENT_TYPE),
    m("component", 10, COMPONENT),
    m("componentCorrelationID", 11, ANY_INTEGER),
)

ORIGINATION_ATTEMPT_AUTHORIZED = declare(
    Operation(
        name="OriginationAttemptAuthorized",
        code=1,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell that a call may be made",
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
        can_begin=True,
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
