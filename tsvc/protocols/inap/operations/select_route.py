"""SelectRoute: select a route for the call.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.inap.parameters_cs2 import (
    CALL_SEGMENT,
    ENTRY,
    IP_RELATED_INFORMATION,
    ROUTE_LIST,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    GENERIC_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m("destinationRoutingAddress", 0, SequenceOf(CALLED_PARTY_NUMBER, 1, 3), required=True),
    m("alertingPattern", 1, Octets(3, 3)),
    m("correlationID", 2, GENERIC_DIGITS),
    m("iSDNAccessRelatedInformation", 3, Octets(1, 128)),
    m("originalCalledPartyID", 4, REDIRECTING_NUMBER),
    m("routeList", 5, ROUTE_LIST),
    m("scfID", 6, Octets(1, 128)),
    m("travellingClassMark", 7, LOCATION_NUMBER),
    m("extensions", 8, EXTENSIONS),
    m("carrier", 9, Octets(1, 128)),
    m("serviceInteractionIndicators", 10, Octets(1, 127)),
    m("iNServiceCompatibilityResponse", 11, ENTRY, only=CS2),
    m("forwardGVNS", 12, Octets(1, 128), only=CS2),
    m("backwardGVNS", 13, Octets(1, 128), only=CS2),
    m("serviceInteractionIndicatorsTwo", 14, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
    m("callSegmentID", 15, CALL_SEGMENT, only=CS2),
    m("legToBeCreated", 16, LEG_ID, only=CS2),
    m("ipRelatedInformation", 17, IP_RELATED_INFORMATION, only=CS2),
)

SELECT_ROUTE = declare(
    Operation(
        name="SelectRoute",
        code=29,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="select a route for the call",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"destinationRoutingAddress_digits": "6421000002"},
    )
)
