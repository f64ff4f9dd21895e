"""AnalysedInformation: tell that the digits are analysed.

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
    ROUTE_LIST,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
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
    m("originalCalledPartyID", 6, REDIRECTING_NUMBER),
    m("prefix", 7, GENERIC_DIGITS),
    m("redirectingPartyID", 8, REDIRECTING_NUMBER),
    m("redirectionInformation", 9, Octets(2, 2)),
    m("routeList", 10, ROUTE_LIST),
    m("travellingClassMark", 11, LOCATION_NUMBER),
    m("extensions", 12, EXTENSIONS),
    m("featureCode", 13, LOCATION_NUMBER),
    m("accessCode", 14, LOCATION_NUMBER),
    m("carrier", 15, Octets(1, 128)),
    m("componentType", 16, COMPONENT_TYPE),
    m("component", 17, COMPONENT),
    m("componentCorrelationID", 18, ANY_INTEGER),
)

ANALYSED_INFORMATION = declare(
    Operation(
        name="AnalysedInformation",
        code=3,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell that the digits are analysed",
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
