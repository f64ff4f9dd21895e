"""ODisconnect: tell the originating side of the disconnect.

For systems that have an operation for each detection point. Sent within a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Integer, Octets, Sequence, m
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
from tsvc.protocols.party_number import CAUSE

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("callingPartyBusinessGroupID", 1, Octets(1, 20)),
    m("callingPartySubaddress", 2, Octets(1, 21)),
    m("callingFacilityGroup", 3, FACILITY_GROUP),
    m("callingFacilityGroupMember", 4, ANY_INTEGER),
    m("releaseCause", 5, CAUSE),
    m("routeList", 6, ROUTE_LIST),
    m("extensions", 7, EXTENSIONS),
    m("carrier", 8, Octets(1, 128)),
    m("connectTime", 9, Integer(0, 2147483647, unit="100 ms")),
    m("componentType", 10, COMPONENT_TYPE),
    m("component", 11, COMPONENT),
    m("componentCorrelationID", 12, ANY_INTEGER),
)

O_DISCONNECT = declare(
    Operation(
        name="ODisconnect",
        code=8,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell the originating side of the disconnect",
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
