"""Connect: route the call to the given address.

Source: TS 29.078 (CAP), ETS 300 374-1 and Q.1218 (INAP CS-1)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    SequenceOf,
    m,
)
from tsvc.protocols.facts import fact
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import (
    ALL,
    CAMEL,
    CAMEL3_UP,
    CAMEL4,
    CS,
    SCP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    CARRIER,
    EXTENSIONS,
    LEG_ID,
    SCF_ID,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    GENERIC_NUMBER,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
)

ARGUMENT = Sequence(
    m(
        "destinationRoutingAddress",
        0,
        ByVariant(
            {
                CS: SequenceOf(CALLED_PARTY_NUMBER, 1, 3),
                CAMEL: SequenceOf(CALLED_PARTY_NUMBER, 1, 1),
            }
        ),
        required=True,
    ),
    m("alertingPattern", 1, Octets(3, 3)),
    m("correlationID", 2, GENERIC_NUMBER, only=CS),
    m("cutAndPaste", 3, Integer(0, 22), only=CS),
    m("forwardingCondition", 4, Enumerated({0: "busy", 1: "noanswer", 2: "any"}), only=CS),
    m("iSDNAccessRelatedInformation", 5, Octets(1, 128), only=CS),
    m("originalCalledPartyID", 6, REDIRECTING_NUMBER),
    m("routeList", 7, SequenceOf(Octets(1, 128), 1, 3), only=CS),
    m("scfID", 8, SCF_ID, only=CS),
    m("travellingClassMark", 9, LOCATION_NUMBER, only=CS),
    m("extensions", 10, EXTENSIONS),
    m("carrier", 11, CARRIER),
    m("serviceInteractionIndicators", 26, Octets(1, 127), only=CS),
    m("callingPartyNumber", 27, CALLING_PARTY_NUMBER, only=CS),
    m("callingPartysCategory", 28, Octets(1, 1)),
    m("redirectingPartyID", 29, REDIRECTING_NUMBER),
    m("redirectionInformation", 30, Octets(2, 2)),
    m("genericNumbers", 14, SequenceOf(GENERIC_NUMBER, 1, 5), only=CAMEL),
    m(
        "serviceInteractionIndicatorsTwo",
        15,
        SERVICE_INTERACTION_INDICATORS_TWO,
        only=CAMEL3_UP,
    ),
    m("chargeNumber", 19, LOCATION_NUMBER, only=CAMEL),
    m("legToBeConnected", 21, LEG_ID, only=CAMEL4),
    m("cug-Interlock", 31, Octets(4, 4), only=CAMEL3_UP),
    m("cug-OutgoingAccess", 32, Null(), only=CAMEL3_UP),
    m("suppressionOfAnnouncement", 55, Null(), only=CAMEL),
    m("oCSIApplicable", 56, Null(), only=CAMEL),
    m("naOliInfo", 57, Octets(1, 1), only=CAMEL),
    m("bor-InterrogationRequested", 58, Null(), only=CAMEL3_UP),
    m("suppress-N-CSI", 59, Null(), only=CAMEL3_UP),
)

CONNECT = declare(
    Operation(
        name="Connect",
        short_name="CON",
        code=20,
        operation_class=2,
        sent_by=SCP,
        variants=ALL,
        summary="route the call to an address",
        argument=ARGUMENT,
        errors=(*USUAL_ERRORS, "unknownLegID"),
        facts=(
            fact("to", "destinationRoutingAddress_digits"),
            fact("calling", "callingPartyNumber_digits"),
            fact("original called", "originalCalledPartyID_digits"),
            fact("redirecting", "redirectingPartyID_digits"),
        ),
        example={"destinationRoutingAddress_digits": "6421000002"},
    )
)
