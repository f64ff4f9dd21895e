"""Types that several operations of Q.1218 and CS-2 share; bounds that are the operator's are wide.

The members are those of the last modules, Q.1248.2 (CS-4); CS-1 and CS-2 have subsets of them.

Source: Q.1248.2 (IN-SSF-SCF-datatypes), Q.1248.3 (IN-SCF-SRF-datatypes)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
    Choice,
    Enumerated,
    Integer,
    ObjectIdentifier,
    Octets,
    OpenType,
    Sequence,
    SequenceOf,
    Text,
    m,
)
from tsvc.protocols.inap.bcsm import EVENT_NAMES
from tsvc.protocols.inap.operation import CAMEL, CS
from tsvc.protocols.inap.parameters import (
    BEARER_CAPABILITY,
    EXTENSIONS,
    INFORMATION_TO_SEND,
    MISC_CALL_INFO,
    SERVICE_INTERACTION_INDICATORS_TWO,
)
from tsvc.protocols.party_number import (
    CALLED_PARTY_NUMBER,
    CALLING_PARTY_NUMBER,
    CAUSE,
    GENERIC_DIGITS,
    GENERIC_NUMBER,
    LOCATION_NUMBER,
    TBCD,
)

ANY_INTEGER = Integer(-(2**31), 2**31 - 1)
INTEGER4 = Integer(0, 2147483647)
CALL_SEGMENT = Integer(1, 127)
DURATION = Integer(-2, 86400, unit="s")  # -1 for ever, -2 as the network has it
DATE_AND_TIME = TBCD  # YYMMDDHHMMSS

EVENT_TYPE_CS2 = Enumerated(
    {
        **EVENT_NAMES,
        20: "oSuspend",
        21: "tSuspend",
        22: "origAttempt",
        23: "termAttempt",
        24: "oReAnswer",
        25: "tReAnswer",
        26: "facilitySelectedAndAvailable",
        28: "authorizeRouteFailure",
        29: "originationAttemptDenied",
        30: "terminationAttemptDenied",
        100: "oModifyRequest",
        101: "oModifyResult",
        102: "tModifyRequest",
        103: "tModifyResult",
    }
)
MONITOR_MODE = Enumerated({0: "interrupted", 1: "notifyAndContinue", 2: "transparent"})
TERMINAL_TYPE = Enumerated(
    {0: "unknown", 1: "dialPulse", 2: "dtmf", 3: "isdn", 4: "isdnNoDtmf", 16: "spare"}
)
TRIGGER_TYPE = Enumerated(
    {
        0: "featureActivation",
        1: "verticalServiceCode",
        2: "customizedAccess",
        3: "customizedIntercom",
        12: "emergencyService",
        13: "aFR",
        14: "sharedIOTrunk",
        17: "offHookDelay",
        18: "channelSetupPRI",
        25: "tNoAnswer",
        26: "tBusy",
        27: "oCalledPartyBusy",
        29: "oNoAnswer",
        30: "originationAttemptAuthorized",
        31: "oAnswer",
        32: "oDisconnect",
        33: "termAttemptAuthorized",
        34: "tAnswer",
        35: "tDisconnect",
        100: "oModifyRequest",
        101: "tModifyRequest",
    }
)

# What an identifier of the Remote Operations modules is: a number or an object identifier.
CODE = Choice(m("local", None, ANY_INTEGER), m("global", None, ObjectIdentifier()))
ENTRY = Choice(m("agreements", 0, ObjectIdentifier()), m("networkSpecific", 1, INTEGER4))
FACILITY_GROUP = Choice(
    m("trunkGroupID", 0, ANY_INTEGER),
    m("privateFacilityID", 1, ANY_INTEGER),
    m("huntGroup", 2, Octets()),
    m("routeIndex", 3, Octets()),
)
ROUTE = Octets(1, 128)
ROUTE_LIST = SequenceOf(ROUTE, 1, 3)
RESOURCE_ID = Choice(
    m("lineID", 0, GENERIC_DIGITS),
    m("facilityGroupID", 1, FACILITY_GROUP),
    m("facilityGroupMemberID", 2, ANY_INTEGER),
    m("trunkGroupID", 3, ANY_INTEGER),
)
RESOURCE_STATUS = Enumerated({0: "busy", 1: "idle"})

COMPONENT_TYPE = Enumerated({0: "any", 1: "invoke", 2: "rResult", 3: "rError", 4: "rReject"})
# relayedComponent is an EMBEDDED PDV: what is inside stays opaque.
COMPONENT = Choice(m("componentInfo", 0, Octets(1, 118)), m("relayedComponent", 1, OpenType()))
USI_SERVICE_INDICATOR = Choice(
    m("global", None, ObjectIdentifier()), m("local", None, Octets(1, 128))
)
USI_INFORMATION = Octets(1, 255)

IDENTITIES = SequenceOf(Choice(m("url", 0, Text(1, 512))), 1, 127)
IP_RELATED_INFORMATION = Sequence(
    m("alternativeCalledPartyIds", 0, IDENTITIES),
    m("alternativeOriginatingPartyIds", 1, IDENTITIES),
    m("alternativeOriginalCalledPartyIds", 2, IDENTITIES),
    m("alternativeRedirectingPartyIds", 3, IDENTITIES),
)

SERVICE_ADDRESS_INFORMATION = Sequence(
    m("serviceKey", 0, INTEGER4),
    m("miscCallInfo", 1, MISC_CALL_INFO, required=True),
    m("triggerType", 2, TRIGGER_TYPE),
)
DP_SPECIFIC_COMMON_PARAMETERS = Sequence(
    m("serviceAddressInformation", 0, SERVICE_ADDRESS_INFORMATION, required=True),
    m("bearerCapability", 1, BEARER_CAPABILITY),
    m("calledPartyNumber", 2, CALLED_PARTY_NUMBER),
    m("callingPartyNumber", 3, CALLING_PARTY_NUMBER),
    m("callingPartysCategory", 4, Octets(1, 1)),
    m("iPSSPCapabilities", 5, Octets(1, 10)),
    m("iPAvailable", 6, Octets(1, 10)),
    m("iSDNAccessRelatedInformation", 7, Octets(1, 128)),
    m(
        "cGEncountered",
        8,
        Enumerated({0: "noCGencountered", 1: "manualCGencountered", 2: "scpOverload"}),
    ),
    m("locationNumber", 9, LOCATION_NUMBER),
    m("serviceProfileIdentifier", 10, Octets()),
    m("terminalType", 11, TERMINAL_TYPE),
    m("extensions", 12, EXTENSIONS),
    m("chargeNumber", 13, LOCATION_NUMBER),
    m("servingAreaID", 14, LOCATION_NUMBER),
    m("serviceInteractionIndicators", 15, Octets(1, 127)),
    m("iNServiceCompatibilityIndication", 16, SequenceOf(ENTRY, 1, 127)),
    m("serviceInteractionIndicatorsTwo", 17, SERVICE_INTERACTION_INDICATORS_TWO),
    m("uSIServiceIndicator", 18, USI_SERVICE_INDICATOR),
    m("uSIInformation", 19, USI_INFORMATION),
    m("forwardGVNS", 20, Octets(1, 128)),
    m("createdCallSegmentAssociation", 21, ANY_INTEGER),
    m("ipRelatedInformation", 22, IP_RELATED_INFORMATION),
)

GAP_INDICATORS = Sequence(
    m("duration", 0, DURATION, required=True),
    m("gapInterval", 1, Integer(-1, 60000, unit="ms"), required=True),
)
_CONTROL_TYPES = {0: "sCPOverloaded", 1: "manuallyInitiated"}
CONTROL_TYPE = ByVariant(
    {
        CS: Enumerated({**_CONTROL_TYPES, 2: "destinationOverload"}),
        CAMEL: Enumerated(_CONTROL_TYPES),
    }
)
GAP_TREATMENT = Choice(
    m("informationToSend", 0, INFORMATION_TO_SEND),
    m("releaseCause", 1, CAUSE),
    m(
        "both",
        2,
        Sequence(
            m("informationToSend", 0, INFORMATION_TO_SEND, required=True),
            m("releaseCause", 1, CAUSE, required=True),
        ),
        only=CS,
    ),
)
FILTERING_CRITERIA = Choice(
    m("dialledNumber", 0, GENERIC_DIGITS),
    m("callingLineID", 1, GENERIC_DIGITS),
    m("serviceKey", 2, INTEGER4),
    m(
        "addressAndService",
        30,
        Sequence(
            m("calledAddressValue", 0, GENERIC_NUMBER, required=True),
            m("serviceKey", 1, INTEGER4, required=True),
            m("callingAddressValue", 2, GENERIC_NUMBER),
            m("locationNumber", 3, LOCATION_NUMBER),
        ),
    ),
)
END_OF_PERIOD = Choice(m("duration", 0, DURATION), m("stopTime", 1, DATE_AND_TIME))

PROFILE_IDENTIFIER = Choice(m("access", 0, CALLED_PARTY_NUMBER), m("group", 1, FACILITY_GROUP))
TRIGGER = Sequence(
    m("tDPIdentifier", 0, ANY_INTEGER, required=True), m("dpName", 1, EVENT_TYPE_CS2)
)
TDP_IDENTIFIER = Choice(
    m("oneTrigger", None, ANY_INTEGER), m("triggers", 1, SequenceOf(TRIGGER, 1, 127))
)
ACTION_PERFORMED = Enumerated(
    {
        1: "activated",
        2: "deactivated",
        3: "alreadyActive",
        4: "alreadyInactive",
        5: "isActive",
        6: "isInactive",
        7: "tDPunknown",
    }
)
SCRIPT_ID = m("uIScriptId", None, CODE, required=True)
