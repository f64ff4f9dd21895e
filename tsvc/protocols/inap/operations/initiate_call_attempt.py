"""InitiateCallAttempt: set up a new call to one party.

Class 1 with a result in CAP v4; in INAP class 2: nothing answers it but an error.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import Boolean, ByVariant, Null, Octets, Sequence, SequenceOf, Text, m
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import CAMEL4, CS, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import (
    BEARER_CAPABILITY,
    CARRIER,
    EXTENSIONS,
    LEG_ID,
    SCF_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, ENTRY, IP_RELATED_INFORMATION
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    ISDN_ADDRESS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

CAP_ARGUMENT = Sequence(
    m("destinationRoutingAddress", 0, SequenceOf(CALLED_PARTY_NUMBER, 1, 1), required=True),
    m("extensions", 4, EXTENSIONS),
    m("legToBeCreated", 5, LEG_ID),
    m("newCallSegment", 6, CALL_SEGMENT),
    m("callingPartyNumber", 30, CALLING_PARTY_NUMBER),
    m("callReferenceNumber", 51, Octets(1, 8)),
    m("gsmSCFAddress", 52, ISDN_ADDRESS),
    m("suppress-T-CSI", 53, Null()),
)
CS_ARGUMENT = Sequence(
    m("destinationRoutingAddress", 0, SequenceOf(CALLED_PARTY_NUMBER, 1, 3), required=True),
    m("alertingPattern", 1, Octets(3, 3)),
    m("iSDNAccessRelatedInformation", 2, Octets(1, 128)),
    m("travellingClassMark", 3, LOCATION_NUMBER),
    m("extensions", 4, EXTENSIONS),
    m("serviceInteractionIndicators", 29, Octets(1, 127)),
    m("callingPartyNumber", 30, CALLING_PARTY_NUMBER),
    m("legToBeCreated", 5, LEG_ID, only=CS2),
    m("newCallSegment", 6, CALL_SEGMENT, only=CS2),
    m("iNServiceCompatibilityResponse", 7, ENTRY, only=CS2),
    m("serviceInteractionIndicatorsTwo", 8, SERVICE_INTERACTION_INDICATORS_TWO, only=CS2),
    m("carrier", 9, CARRIER, only=CS2),
    m("correlationID", 10, GENERIC_DIGITS, only=CS2),
    m("scfID", 11, SCF_ID, only=CS2),
    m("callReference", 12, Octets(1, 128), only=CS2),
    m("calledDirectoryNumber", 13, Octets(1, 128), only=CS2),
    m("bearerCapability", 60, BEARER_CAPABILITY, only=CS2),
    m("calledPartySubaddress", 61, Octets(1, 21), only=CS2),
    m("originalCalledPartyID", 14, REDIRECTING_NUMBER, only=CS2),
    m("callingPartysCategory", 15, Octets(1, 1), only=CS2),
    m("redirectingPartyID", 16, REDIRECTING_NUMBER, only=CS2),
    m("redirectionInformation", 17, Octets(2, 2), only=CS2),
    m("displayInformation", 18, Text(1, 127), only=CS2),
    m("forwardCallIndicators", 19, Octets(2, 2), only=CS2),
    m("genericNumbers", 20, SequenceOf(GENERIC_NUMBER, 1, 5), only=CS2),
    m("forwardGVNS", 21, Octets(1, 128), only=CS2),
    m("globalCallReference", 23, Octets(1, 128), only=CS2),
    m("cug-Interlock", 24, Octets(4, 4), only=CS2),
    m("cug-OutgoingAccess", 25, Null(), only=CS2),
    m("incomingSignallingBufferCopy", 26, Boolean(), only=CS2),
    m("ipRelatedInformation", 27, IP_RELATED_INFORMATION, only=CS2),
)
ARGUMENT = ByVariant({CAMEL4: CAP_ARGUMENT, CS: CS_ARGUMENT})
RESULT = ByVariant(
    {
        CAMEL4: Sequence(
            m("supportedCamelPhases", 0, Octets(2, 3)),
            m("offeredCamel4Functionalities", 1, Octets(3, 9)),
            m("extensions", 2, EXTENSIONS),
            m("releaseCallArgExtensionAllowed", 3, Null()),
        )
    }
)

INITIATE_CALL_ATTEMPT = declare(
    Operation(
        name="InitiateCallAttempt",
        code=32,
        operation_class=1,
        sent_by=SCP,
        variants=CS | CAMEL4,
        summary="set up a new call to one party",
        argument=ARGUMENT,
        result=RESULT,
        errors=USUAL_ERRORS,
        example={
            "destinationRoutingAddress_digits": "6421000002",
            "callingPartyNumber_digits": "6421000001",
        },
    )
)
