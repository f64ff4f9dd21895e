"""OriginationAttempt: tell that somebody begins to make a call.

For systems that have an operation for each detection point. Opens a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    COMPONENT,
    COMPONENT_TYPE,
    DP_SPECIFIC_COMMON_PARAMETERS,
    FACILITY_GROUP,
)
from tsvc.protocols.party_number import LOCATION_NUMBER

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("callingPartyBusinessGroupID", 1, Octets(1, 20)),
    m("callingPartySubaddress", 2, Octets(1, 21)),
    m("callingFacilityGroup", 3, FACILITY_GROUP),
    m("callingFacilityGroupMember", 4, ANY_INTEGER),
    m("carrier", 5, Octets(1, 128)),
    m("travellingClassMark", 6, LOCATION_NUMBER),
    m("extensions", 7, EXTENSIONS),
    m("componentType", 8, COMPONENT_TYPE),
    m("component", 9, COMPONENT),
    m("componenttCorrelationID", 10, ANY_INTEGER),
)

ORIGINATION_ATTEMPT = declare(
    Operation(
        name="OriginationAttempt",
        code=81,
        operation_class=2,
        sent_by=SSP,
        variants=CS2,
        summary="tell that somebody begins to make a call",
        argument=ARGUMENT,
        errors=(
            "missingCustomerRecord",
            "missingParameter",
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
