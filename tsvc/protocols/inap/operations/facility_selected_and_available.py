"""FacilitySelectedAndAvailable: tell that a facility is selected.

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
    ROUTE_LIST,
)
from tsvc.protocols.party_number import CALLING_PARTY_NUMBER, LOCATION_NUMBER, REDIRECTING_NUMBER

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("calledPartyBusinessGroupID", 1, Octets(1, 20)),
    m("calledPartySubaddress", 2, Octets(1, 21)),
    m("callingPartyBusinessGroupID", 3, Octets(1, 20)),
    m("callingPartyNumber", 4, CALLING_PARTY_NUMBER),
    m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
    m("redirectingPartyID", 6, REDIRECTING_NUMBER),
    m("redirectionInformation", 7, Octets(2, 2)),
    m("routeList", 8, ROUTE_LIST),
    m("travellingClassMark", 9, LOCATION_NUMBER),
    m("extensions", 10, EXTENSIONS),
    m("componentType", 11, COMPONENT_TYPE),
    m("component", 12, COMPONENT),
    m("componentCorrelationID", 13, ANY_INTEGER),
)

FACILITY_SELECTED_AND_AVAILABLE = declare(
    Operation(
        name="FacilitySelectedAndAvailable",
        code=80,
        operation_class=2,
        sent_by=SSP,
        variants=CS2,
        summary="tell that a facility is selected",
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
