"""AuthorizeTermination: let the SSP go on at the terminating side.

Source: Q.1248.2 (IN-SSF-SCF-ops-args)
"""

from tsvc.protocols.asn1 import Octets, Sequence, Text, m
from tsvc.protocols.inap.operation import CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID, SERVICE_INTERACTION_INDICATORS_TWO
from tsvc.protocols.inap.parameters_cs2 import ENTRY
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m("alertingPattern", 0, Octets(3, 3)),
    m("callingPartyNumber", 1, CALLING_PARTY_NUMBER),
    m("destinationNumberRoutingAddress", 2, CALLED_PARTY_NUMBER),
    m("displayInformation", 3, Text(1, 127)),
    m("iSDNAccessRelatedInformation", 4, Octets(1, 128)),
    m("originalCalledPartyID", 5, REDIRECTING_NUMBER),
    m("travellingClassMark", 6, LOCATION_NUMBER),
    m("extensions", 7, EXTENSIONS),
    m("iNServiceCompatibilityResponse", 8, ENTRY),
    m("forwardGVNS", 9, Octets(1, 128)),
    m("backwardGVNS", 10, Octets(1, 128)),
    m("legID", 11, LEG_ID),
    m("serviceInteractionIndicatorsTwo", 12, SERVICE_INTERACTION_INDICATORS_TWO),
    m("scfID", 13, Octets(1, 128)),
)

AUTHORIZE_TERMINATION = declare(
    Operation(
        name="AuthorizeTermination",
        code=87,
        operation_class=2,
        sent_by=SCP,
        variants=CS2,
        summary="let the SSP go on at the terminating side",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"callingPartyNumber_digits": "6421000001"},
    )
)
