"""AnalyseInformation: analyse the digits given.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, SequenceOf, m
from tsvc.protocols.inap.operation import CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, ENTRY
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    GENERIC_DIGITS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m("destinationRoutingAddress", 0, SequenceOf(CALLED_PARTY_NUMBER, 1, 3), required=True),
    m("alertingPattern", 1, Octets(3, 3)),
    m("iSDNAccessRelatedInformation", 2, Octets(1, 128)),
    m("originalCalledPartyID", 3, REDIRECTING_NUMBER),
    m("extensions", 4, EXTENSIONS),
    m("callingPartyNumber", 5, CALLING_PARTY_NUMBER),
    m("callingPartysCategory", 6, Octets(1, 1)),
    m("calledPartyNumber", 7, CALLED_PARTY_NUMBER),
    m("chargeNumber", 8, LOCATION_NUMBER),
    m("travellingClassMark", 9, LOCATION_NUMBER),
    m("carrier", 10, Octets(1, 128)),
    m("serviceInteractionIndicators", 11, Octets(1, 127)),
    m("iNServiceCompatibilityResponse", 12, ENTRY, only=CS2),
    m("forwardGVNS", 13, Octets(1, 128), only=CS2),
    m("backwardGVNS", 14, Octets(1, 128), only=CS2),
    m("serviceInteractionIndicatorsTwo", 15, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
    m("correlationID", 16, GENERIC_DIGITS, only=CS2),
    m("scfID", 17, Octets(1, 128), only=CS2),
    m("callSegmentID", 18, CALL_SEGMENT, only=CS2),
    m("legToBeCreated", 19, LEG_ID, only=CS2),
)

ANALYSE_INFORMATION = declare(
    Operation(
        name="AnalyseInformation",
        code=28,
        operation_class=2,
        sent_by=SCP,
        variants=CS,
        summary="analyse the digits given",
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
