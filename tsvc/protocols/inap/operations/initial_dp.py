"""InitialDP: the SSP asks for instructions; it opens the dialogue of a call.

Source: TS 29.078 §11.24 (CAP), ETS 300 374-1 §6.3 (INAP CS-1); the Q.1218 members are kept too.
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    Null,
    Octets,
    Sequence,
    Tree,
    m,
)
from tsvc.protocols.facts import fact
from tsvc.protocols.inap.errors import USUAL_ERRORS
from tsvc.protocols.inap.operation import (
    ALL,
    CAMEL,
    CAMEL2_UP,
    CAMEL3_UP,
    CS,
    SSP,
    Operation,
    declare,
)
from tsvc.protocols.inap.parameters import (
    BASIC_SERVICE,
    BEARER_CAPABILITY,
    EVENT_TYPE,
    EXTENSION_CONTAINER,
    EXTENSIONS,
    IP_SSP_CAPABILITIES,
    LOCATION_INFORMATION,
    MISC_CALL_INFO,
    SERVICE_INTERACTION_INDICATORS_TWO,
    renamed,
)
from tsvc.protocols.party_number import (
    CALLED_BCD_NUMBER,
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    CAUSE,
    GENERIC_NUMBER_IN_DIGITS,
    IMEI,
    IMSI,
    ISDN_ADDRESS,
    LOCATION_NUMBER,
    REDIRECTING_NUMBER,
    TIME_AND_TIMEZONE,
)

SUBSCRIBER_STATE = Choice(
    m("assumedIdle", 0, Null()),
    m("camelBusy", 1, Null()),
    m(
        "netDetNotReachable",
        None,
        Enumerated({0: "msPurged", 1: "imsiDetached", 2: "restrictedArea", 3: "notRegistered"}),
    ),
    m("notProvidedFromVLR", 2, Null()),
)

UU_DATA = Sequence(
    m("uuIndicator", 0, Octets(1, 1)),
    m("uui", 1, Octets(1, 131)),
    m("uusCFInteraction", 2, Null()),
    m("extensionContainer", 3, EXTENSION_CONTAINER),
)

ARGUMENT_EXTENSION_CAP2 = Sequence(
    m(
        "naCarrierInformation",
        0,
        Sequence(m("naCarrierId", 0, Octets(3, 3)), m("naCICSelectionType", 1, Octets(1, 1))),
    ),
    m("gmscAddress", 1, ISDN_ADDRESS),
)
ARGUMENT_EXTENSION = Sequence(
    m("gmscAddress", 0, ISDN_ADDRESS),
    m("forwardingDestinationNumber", 1, CALLED_PARTY_NUMBER),
    m("ms-Classmark2", 2, Octets(3, 3)),
    m("iMEI", 3, IMEI),
    m("supportedCamelPhases", 4, Octets(2, 3)),
    m("offeredCamel4Functionalities", 5, Octets(3, 9)),
    m("bearerCapability2", 6, BEARER_CAPABILITY),
    m("ext-basicServiceCode2", 7, BASIC_SERVICE),
    m("highLayerCompatibility2", 8, Octets(2, 2)),
    m("lowLayerCompatibility", 9, Octets(1, 16)),
    m("lowLayerCompatibility2", 10, Octets(1, 16)),
    m("enhancedDialledServicesAllowed", 11, Null()),
    m("uu-Data", 12, UU_DATA),
    m("collectInformationAllowed", 13, Null()),
    m("releaseCallArgExtensionAllowed", 14, Null()),
)

ARGUMENT = Sequence(
    m("serviceKey", 0, Integer(0, 2147483647), required=True),
    m("dialledDigits", 1, CALLED_PARTY_NUMBER, only=CS),
    m("calledPartyNumber", 2, CALLED_PARTY_NUMBER),
    m("callingPartyNumber", 3, CALLING_PARTY_NUMBER),
    m("callingPartyBusinessGroupID", 4, Octets(1, 20), only=CS),
    m("callingPartysCategory", 5, Octets(1, 1)),
    m("callingPartySubaddress", 6, Octets(1, 21), only=CS),
    m(
        "cGEncountered",
        7,
        Enumerated({0: "noCGencountered", 1: "manualCGencountered", 2: "scpOverload"}),
    ),
    m("iPSSPCapabilities", 8, IP_SSP_CAPABILITIES),
    m("iPAvailable", 9, Octets(1, 10), only=CS),
    m("locationNumber", 10, LOCATION_NUMBER),
    m("miscCallInfo", 11, MISC_CALL_INFO, only=CS),
    m("originalCalledPartyID", 12, REDIRECTING_NUMBER),
    m("serviceProfileIdentifier", 13, Octets(1, 20), only=CS),
    m(
        "terminalType",
        14,
        Enumerated({0: "unknown", 1: "dialPulse", 2: "dtmf", 3: "isdn"}),
        only=CS,
    ),
    m("extensions", 15, EXTENSIONS),
    m("triggerType", 16, Enumerated({17: "offHookDelay"}), only=CS),
    m("highLayerCompatibility", 23, Octets(2, 2)),
    m("serviceInteractionIndicators", 24, Octets(1, 127), only=CS),
    m("additionalCallingPartyNumber", 25, GENERIC_NUMBER_IN_DIGITS),
    m("forwardCallIndicators", 26, Octets(2, 2), only=CS),
    m("bearerCapability", 27, BEARER_CAPABILITY),
    m("eventTypeBCSM", 28, EVENT_TYPE),
    m("redirectingPartyID", 29, REDIRECTING_NUMBER),
    m("redirectionInformation", 30, Octets(2, 2)),
    m("cause", 17, CAUSE, only=CAMEL),
    m("serviceInteractionIndicatorsTwo", 32, SERVICE_INTERACTION_INDICATORS_TWO, only=CAMEL3_UP),
    m("carrier", 37, Octets(4, 4), only=CAMEL),
    m("cug-Index", 45, Integer(0, 32767), only=CAMEL3_UP),
    m("cug-Interlock", 46, Octets(4, 4), only=CAMEL3_UP),
    m("cug-OutgoingAccess", 47, Null(), only=CAMEL3_UP),
    m("iMSI", 50, IMSI, only=CAMEL),
    m("subscriberState", 51, SUBSCRIBER_STATE, only=CAMEL),
    m("locationInformation", 52, LOCATION_INFORMATION, only=CAMEL),
    m("ext-basicServiceCode", 53, BASIC_SERVICE, only=CAMEL),
    m("callReferenceNumber", 54, Octets(1, 8), only=CAMEL),
    m("mscAddress", 55, ISDN_ADDRESS, only=CAMEL),
    m("calledPartyBCDNumber", 56, CALLED_BCD_NUMBER, only=CAMEL),
    m("timeAndTimezone", 57, TIME_AND_TIMEZONE, only=CAMEL),
    m("callForwardingSS-Pending", 58, Null(), only=CAMEL3_UP),
    m(
        "initialDPArgExtension",
        59,
        ByVariant({CAMEL3_UP: ARGUMENT_EXTENSION, CAMEL2_UP: ARGUMENT_EXTENSION_CAP2}),
        only=CAMEL2_UP,
    ),
)


def expand(tree: Tree) -> Tree:
    """Accept the spelling vlrNumber in locationInformation too, which older definitions use."""
    location = tree.get("locationInformation")
    if isinstance(location, dict):
        tree["locationInformation"] = renamed(location, {"vlrNumber": "vlr-number"})
    return tree


INITIAL_DP = declare(
    Operation(
        name="InitialDP",
        short_name="IDP",
        code=0,
        operation_class=2,
        sent_by=SSP,
        variants=ALL,
        summary="ask the SCP for instructions; opens the dialogue of a call",
        argument=ARGUMENT,
        errors=("missingCustomerRecord", *USUAL_ERRORS),
        can_begin=True,
        expand=expand,
        facts=(
            fact("service key", "serviceKey"),
            fact("called", "calledPartyNumber_digits"),
            fact("called", "calledPartyBCDNumber_digits"),
            fact("dialled", "dialledDigits_digits"),
            fact("calling", "callingPartyNumber_digits"),
            fact("original called", "originalCalledPartyID_digits"),
            fact("redirecting", "redirectingPartyID_digits"),
            fact("IMSI", "iMSI_digits"),
            fact("at", "eventTypeBCSM_name"),
        ),
        example={
            "serviceKey": 45,
            "calledPartyNumber_digits": "0800123456",
            "callingPartyNumber_digits": "6421000001",
            "eventTypeBCSM": 2,
        },
    )
)
