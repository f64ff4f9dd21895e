"""SelectFacility: select a line or trunk for the call.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, Text, m
from tsvc.protocols.inap.operation import CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.inap.parameters_cs2 import (
    ANY_INTEGER,
    CALL_SEGMENT,
    ENTRY,
    FACILITY_GROUP,
    IP_RELATED_INFORMATION,
)
from tsvc.protocols.party_number import CALLED_PARTY_NUMBER, GENERIC_DIGITS, REDIRECTING_NUMBER

ARGUMENT = Sequence(
    m("alertingPattern", 0, Octets(3, 3)),
    m("destinationNumberRoutingAddress", 1, CALLED_PARTY_NUMBER),
    m("iSDNAccessRelatedInformation", 2, Octets(1, 128)),
    m("calledFacilityGroup", 3, FACILITY_GROUP),
    m("calledFacilityGroupMember", 4, ANY_INTEGER),
    m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
    m("extensions", 6, EXTENSIONS),
    m("displayInformation", 7, Text(1, 127), only=CS2),
    m("serviceInteractionIndicators", 8, Octets(1, 127)),
    m("iNServiceCompatibilityResponse", 9, ENTRY, only=CS2),
    m("forwardGVNS", 10, Octets(1, 128), only=CS2),
    m("backwardGVNS", 11, Octets(1, 128), only=CS2),
    m("serviceInteractionIndicatorsTwo", 12, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
    m("correlationID", 13, GENERIC_DIGITS, only=CS2),
    m("scfID", 14, Octets(1, 128), only=CS2),
    m("callSegmentID", 15, CALL_SEGMENT, only=CS2),
    m("legToBeCreated", 16, LEG_ID, only=CS2),
    m("ipRelatedInformation", 17, IP_RELATED_INFORMATION, only=CS2),
)

SELECT_FACILITY = declare(
    Operation(
        name="SelectFacility",
        code=30,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="select a line or trunk for the call",
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
        example={"destinationNumberRoutingAddress_digits": "6421000002"},
    )
)
