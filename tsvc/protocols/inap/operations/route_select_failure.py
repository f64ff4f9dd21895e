"""RouteSelectFailure: tell that no route was found.

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
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("dialledDigits", 1, CALLED_PARTY_NUMBER),
    m("callingPartyBusinessGroupID", 2, Octets(1, 20)),
    m("callingPartySubaddress", 3, Octets(1, 21)),
    m("callingFacilityGroup", 4, FACILITY_GROUP),
    m("callingFacilityGroupMember", 5, ANY_INTEGER),
    m("failureCause", 6, CAUSE),
    m("originalCalledPartyID", 7, REDIRECTING_NUMBER),
    m("prefix", 8, GENERIC_DIGITS),
    m("redirectingPartyID", 9, REDIRECTING_NUMBER),
    m("redirectionInformation", 10, Octets(2, 2)),
    m("routeList", 11, ROUTE_LIST),
    m("travellingClassMark", 12, LOCATION_NUMBER),
    m("extensions", 13, EXTENSIONS),
    m("carrier", 14, Octets(1, 128)),
)

ROUTE_SELECT_FAILURE = declare(
    Operation(
        name="RouteSelectFailure",
        code=4,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell that no route was found",
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
