"""TermAttemptAuthorized: tell that a call may be taken.

For systems that have an operation for each detection point. Opens a dialogue. The members
are those of CS-4; CS-1 and CS-2 have fewer of them.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, m
from tsvc.protocols.inap.operation import CS, SSP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.inap.parameters_cs2 import DP_SPECIFIC_COMMON_PARAMETERS, ROUTE_LIST
from tsvc.protocols.party_number import LOCATION_NUMBER, REDIRECTING_NUMBER

ARGUMENT = Sequence(
    m("dpSpecificCommonParameters", 0, DP_SPECIFIC_COMMON_PARAMETERS, required=True),
    m("calledPartyBusinessGroupID", 1, Octets(1, 20)),
    m("calledPartySubaddress", 2, Octets(1, 21)),
    m("callingPartyBusinessGroupID", 3, Octets(1, 20)),
    m("originalCalledPartyID", 4, REDIRECTING_NUMBER),
    m("redirectingPartyID", 5, REDIRECTING_NUMBER),
    m("redirectionInformation", 6, Octets(2, 2)),
    m("routeList", 7, ROUTE_LIST),
    m("travellingClassMark", 8, LOCATION_NUMBER),
    m("extensions", 9, EXTENSIONS),
    m("callingPartySubaddress", 10, Octets(1, 21)),
)

TERM_ATTEMPT_AUTHORIZED = declare(
    Operation(
        name="TermAttemptAuthorized",
        code=9,
        operation_class=2,
        sent_by=SSP,
        variants=CS,
        summary="tell that a call may be taken",
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
