"""OAnswer: tell the originating side of the answer.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    DP_SPECIFIC_COMMON_PARAMETERS,
    FACILITY_GROUP,
    ROUTE_LIST,
)
from tsvc.protocols.party_number import LOCATION_NUMBER, REDIRECTING_NUMBER

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("callingPartyBusinessGroupID", 1, Octets(1, 20)),
    m("callingPartySubaddress", 2, Octets(1, 21)),
    m("callingFacilityGroup", 3, FACILITY_GROUP),
    m("callingFacilityGroupMember", 4, ANY_INTEGER),
    m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
    m("redirectingPartyID", 6, REDIRECTING_NUMBER),
    m("redirectionInformation", 7, Octets(2, 2)),
    m("routeList", 8, ROUTE_LIST),
    m("travellingClassMark", 9, LOCATION_NUMBER),
    m("extensions", 10, EXTENSIONS),
)

O_ANSWER = declare(
    Operation(
        name="OAnswer",
        code=7,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell the originating side of the answer",
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
