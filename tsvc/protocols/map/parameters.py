"""Types that several MAP operations share.

Source: TS 29.002 (MAP-CommonDataTypes, MAP-MS-DataTypes, MAP-CH-DataTypes, MAP-SM-DataTypes)
"""

from tsvc.protocols.asn1 import (
    Choice,
    Enumerated,
    Integer,
    Null,
    Octets,
    OpenType,
    Sequence,
    SequenceOf,
    m,
)
from tsvc.protocols.inap.parameters import BASIC_SERVICE as BASIC_SERVICE
from tsvc.protocols.inap.parameters import CELL_OR_LAI
from tsvc.protocols.map.operation import MAP3, InOrder
from tsvc.protocols.party_number import ADDRESS_STRING as ADDRESS_STRING
from tsvc.protocols.party_number import IMEI, ISDN_ADDRESS, LOCATION_NUMBER, TBCD
from tsvc.protocols.party_number import IMSI as IMSI


class ExtensionContainer(OpenType):
    """Private extensions: a SEQUENCE whose contents stay opaque."""

    tag = 0x30


class BitString(Octets):
    """BIT STRING, as its octets: the first one counts the unused bits of the last."""

    tag = 0x03


EXTENSION_CONTAINER = ExtensionContainer()
LMSI = Octets(4, 4)
DIAMETER_NAME = Octets(9, 255)
CALL_PRIORITY = Integer(0, 15)
IST_SUPPORT_INDICATOR = Enumerated({0: "basicISTSupported", 1: "istCommandSupported"})

SUBSCRIBER_IDENTITY = Choice(m("imsi", 0, IMSI), m("msisdn", 1, ISDN_ADDRESS))

REQUESTED_INFO = Sequence(
    m("locationInformation", 0, Null()),
    m("subscriberState", 1, Null()),
    m("extensionContainer", 2, EXTENSION_CONTAINER),
    m("currentLocation", 3, Null()),
    m("requestedDomain", 4, Enumerated({0: "cs-Domain", 1: "ps-Domain"})),
    m("imei", 6, Null()),
    m("ms-classmark", 5, Null()),
    m("mnpRequestedInfo", 7, Null()),
    m("locationInformationEPS-Supported", 11, Null()),
    m("t-adsData", 8, Null()),
    m("requestedNodes", 9, BitString(2, 2)),
    m("servingNodeIndication", 10, Null()),
    m("localTimeZoneRequest", 12, Null()),
)

# -- where a subscriber is, and how ---------------------------------------------------------------

NOT_REACHABLE_REASON = Enumerated(
    {0: "msPurged", 1: "imsiDetached", 2: "restrictedArea", 3: "notRegistered"}
)
SUBSCRIBER_STATE = Choice(
    m("assumedIdle", 0, Null()),
    m("camelBusy", 1, Null()),
    m("netDetNotReachable", None, NOT_REACHABLE_REASON),
    m("notProvidedFromVLR", 2, Null()),
)
USED_RAT_TYPE = Enumerated(
    {0: "utran", 1: "geran", 2: "gan", 3: "i-hspa-evolution", 4: "e-utran", 5: "nb-iot"}
)
NUMBER_PORTABILITY_STATUS = Enumerated(
    {
        0: "notKnownToBePorted",
        1: "ownNumberPortedOut",
        2: "foreignNumberPortedToForeignNetwork",
        4: "ownNumberNotPortedOut",
        5: "foreignNumberPortedIn",
    }
)
_AGE = Integer(0, 32767, unit="min")
LOCATION_AREA = Choice(m("laiFixedLength", 0, Octets(5, 5)), m("lac", 1, Octets(2, 2)))
PAGING_AREA = SequenceOf(LOCATION_AREA, 1, 5)
USER_CSG_INFORMATION = Sequence(
    m("csg-Id", 0, BitString(5, 5), required=True),
    m("extensionContainer", 1, EXTENSION_CONTAINER),
    m("accessMode", 2, Octets(1, 1)),
    m("cmi", 3, Octets(1, 1)),
)
LOCATION_INFORMATION_EPS = Sequence(
    m("e-utranCellGlobalIdentity", 0, Octets(7, 7)),
    m("trackingAreaIdentity", 1, Octets(5, 5)),
    m("extensionContainer", 2, EXTENSION_CONTAINER),
    m("geographicalInformation", 3, Octets(8, 8)),
    m("geodeticInformation", 4, Octets(10, 10)),
    m("currentLocationRetrieved", 5, Null()),
    m("ageOfLocationInformation", 6, _AGE),
    m("mme-Name", 7, DIAMETER_NAME),
)
LOCATION_INFORMATION = Sequence(
    m("ageOfLocationInformation", None, _AGE),
    m("geographicalInformation", 0, Octets(8, 8)),
    m("vlr-number", 1, ISDN_ADDRESS),
    m("locationNumber", 2, LOCATION_NUMBER),
    m("cellGlobalIdOrServiceAreaIdOrLAI", 3, CELL_OR_LAI),
    m("extensionContainer", 4, EXTENSION_CONTAINER),
    m("selectedLSA-Id", 5, Octets(3, 3)),
    m("msc-Number", 6, ISDN_ADDRESS),
    m("geodeticInformation", 7, Octets(10, 10)),
    m("currentLocationRetrieved", 8, Null()),
    m("sai-Present", 9, Null()),
    m("locationInformationEPS", 10, LOCATION_INFORMATION_EPS),
    m("userCSGInformation", 11, USER_CSG_INFORMATION),
)
LOCATION_INFORMATION_GPRS = Sequence(
    m("cellGlobalIdOrServiceAreaIdOrLAI", 0, CELL_OR_LAI),
    m("routeingAreaIdentity", 1, Octets(6, 6)),
    m("geographicalInformation", 2, Octets(8, 8)),
    m("sgsn-Number", 3, ISDN_ADDRESS),
    m("selectedLSAIdentity", 4, Octets(3, 3)),
    m("extensionContainer", 5, EXTENSION_CONTAINER),
    m("sai-Present", 6, Null()),
    m("geodeticInformation", 7, Octets(10, 10)),
    m("currentLocationRetrieved", 8, Null()),
    m("ageOfLocationInformation", 9, _AGE),
    m("userCSGInformation", 10, USER_CSG_INFORMATION),
)
LOCATION_INFORMATION_5GS = Sequence(
    m("nrCellGlobalIdentity", 0, Octets(8, 8)),
    m("e-utranCellGlobalIdentity", 1, Octets(7, 7)),
    m("geographicalInformation", 2, Octets(8, 8)),
    m("geodeticInformation", 3, Octets(10, 10)),
    m("amf-address", 4, DIAMETER_NAME),
    m("trackingAreaIdentity", 5, Octets(5, 5)),
    m("currentLocationRetrieved", 6, Null()),
    m("ageOfLocationInformation", 7, _AGE),
    m("vplmnId", 8, Octets(3, 3)),
    m("localtimeZone", 9, Octets(2, 3)),
    m("rat-Type", 10, USED_RAT_TYPE),
    m("extensionContainer", 11, EXTENSION_CONTAINER),
    m("nrTrackingAreaIdentity", 12, Octets(6, 6)),
)
PDP_CONTEXT_INFO = Sequence(
    m("pdp-ContextIdentifier", 0, Integer(1, 50), required=True),
    m("pdp-ContextActive", 1, Null()),
    m("pdp-Type", 2, Octets(2, 2), required=True),
    m("pdp-Address", 3, Octets(1, 16)),
    m("apn-Subscribed", 4, Octets(2, 63)),
    m("apn-InUse", 5, Octets(2, 63)),
    m("nsapi", 6, Integer(0, 15)),
    m("transactionId", 7, Octets(1, 2)),
    m("teid-ForGnAndGp", 8, Octets(4, 4)),
    m("teid-ForIu", 9, Octets(4, 4)),
    m("ggsn-Address", 10, Octets(5, 17)),
    m("qos-Subscribed", 11, Octets(1, 9)),
    m("qos-Requested", 12, Octets(1, 9)),
    m("qos-Negotiated", 13, Octets(1, 9)),
    m("chargingId", 14, Octets(4, 4)),
    m("chargingCharacteristics", 15, Octets(2, 2)),
    m("rnc-Address", 16, Octets(5, 17)),
    m("extensionContainer", 17, EXTENSION_CONTAINER),
    m("qos2-Subscribed", 18, Octets(1, 3)),
    m("qos2-Requested", 19, Octets(1, 3)),
    m("qos2-Negotiated", 20, Octets(1, 3)),
    m("qos3-Subscribed", 21, Octets(1, 2)),
    m("qos3-Requested", 22, Octets(1, 2)),
    m("qos3-Negotiated", 23, Octets(1, 2)),
    m("qos4-Subscribed", 25, Octets(1, 1)),
    m("qos4-Requested", 26, Octets(1, 1)),
    m("qos4-Negotiated", 27, Octets(1, 1)),
    m("ext-pdp-Type", 28, Octets(2, 2)),
    m("ext-pdp-Address", 29, Octets(1, 16)),
)
PS_SUBSCRIBER_STATE = Choice(
    m("notProvidedFromSGSNorMME", 0, Null()),
    m("ps-Detached", 1, Null()),
    m("ps-AttachedNotReachableForPaging", 2, Null()),
    m("ps-AttachedReachableForPaging", 3, Null()),
    m("ps-PDP-ActiveNotReachableForPaging", 4, SequenceOf(PDP_CONTEXT_INFO, 1, 50)),
    m("ps-PDP-ActiveReachableForPaging", 5, SequenceOf(PDP_CONTEXT_INFO, 1, 50)),
    m("netDetNotReachable", None, NOT_REACHABLE_REASON),
)
SUBSCRIBER_INFO = Sequence(
    m("locationInformation", 0, LOCATION_INFORMATION),
    m("subscriberState", 1, SUBSCRIBER_STATE),
    m("extensionContainer", 2, EXTENSION_CONTAINER),
    m("locationInformationGPRS", 3, LOCATION_INFORMATION_GPRS),
    m("ps-SubscriberState", 4, PS_SUBSCRIBER_STATE),
    m("imei", 5, IMEI),
    m("ms-Classmark2", 6, Octets(3, 3)),
    m(
        "gprs-MS-Class",
        7,
        Sequence(
            m("mSNetworkCapability", 0, Octets(1, 8), required=True),
            m("mSRadioAccessCapability", 1, Octets(1, 50)),
        ),
    ),
    m(
        "mnpInfoRes",
        8,
        Sequence(
            m("routeingNumber", 0, TBCD.sized(1, 5)),
            m("imsi", 1, IMSI),
            m("msisdn", 2, ISDN_ADDRESS),
            m("numberPortabilityStatus", 3, NUMBER_PORTABILITY_STATUS),
            m("extensionContainer", 4, EXTENSION_CONTAINER),
        ),
    ),
    m(
        "imsVoiceOverPS-SessionsIndication",
        9,
        Enumerated(
            {
                0: "imsVoiceOverPS-SessionsNotSupported",
                1: "imsVoiceOverPS-SessionsSupported",
                2: "unknown",
            }
        ),
    ),
    m("lastUE-ActivityTime", 10, Octets(4, 4)),
    m("lastRAT-Type", 11, USED_RAT_TYPE),
    m("eps-SubscriberState", 12, PS_SUBSCRIBER_STATE),
    m("locationInformationEPS", 13, LOCATION_INFORMATION_EPS),
    m("timeZone", 14, Octets(2, 3)),
    m(
        "daylightSavingTime",
        15,
        Enumerated({0: "noAdjustment", 1: "plusOneHourAdjustment", 2: "plusTwoHoursAdjustment"}),
    ),
    m("locationInformation5GS", 16, LOCATION_INFORMATION_5GS),
)
SUBSCRIBER_INFO_RESULT = InOrder(
    m("subscriberInfo", None, SUBSCRIBER_INFO, required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER),
)

# -- calls ----------------------------------------------------------------------------------------

CUG_CHECK_INFO = Sequence(
    m("cug-Interlock", None, Octets(4, 4), required=True),
    m("cug-OutgoingAccess", None, Null()),
    m("extensionContainer", None, EXTENSION_CONTAINER, only=MAP3),
)
EXTERNAL_SIGNAL_INFO = Sequence(
    m(
        "protocolId",
        None,
        Enumerated({1: "gsm-0408", 2: "gsm-0806", 3: "gsm-BSSMAP", 4: "ets-300102-1"}),
        required=True,
    ),
    m("signalInfo", None, Octets(1, 200), required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER, only=MAP3),
)
EXT_EXTERNAL_SIGNAL_INFO = Sequence(
    m("ext-ProtocolId", None, Enumerated({1: "ets-300356"}), required=True),
    m("signalInfo", None, Octets(1, 200), required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER),
)
FORWARDING_DATA = Sequence(
    m("forwardedToNumber", 5, ISDN_ADDRESS),
    m("forwardedToSubaddress", 4, Octets(1, 21)),
    m("forwardingOptions", 6, Octets(1, 1)),
    m("extensionContainer", 7, EXTENSION_CONTAINER, only=MAP3),
    m("longForwardedToNumber", 8, ADDRESS_STRING.sized(1, 15), only=MAP3),
)
ROUTING_INFO = Choice(
    m("roamingNumber", None, ISDN_ADDRESS), m("forwardingData", None, FORWARDING_DATA)
)

# -- short messages -------------------------------------------------------------------------------

CORRELATION_ID = Sequence(
    m("hlr-id", 0, IMSI),
    m("sip-uri-A", 1, Octets(1, 255)),
    m("sip-uri-B", 2, Octets(1, 255), required=True),
)
NETWORK_NODE_DIAMETER_ADDRESS = Sequence(
    m("diameter-Name", 0, DIAMETER_NAME, required=True),
    m("diameter-Realm", 1, DIAMETER_NAME, required=True),
)
SM_RP_DA = Choice(
    m("imsi", 0, IMSI),
    m("lmsi", 1, LMSI),
    m("serviceCentreAddressDA", 4, ADDRESS_STRING),
    m("noSM-RP-DA", 5, Null()),
)
SM_RP_OA = Choice(
    m("msisdn", 2, ISDN_ADDRESS),
    m("serviceCentreAddressOA", 4, ADDRESS_STRING),
    m("noSM-RP-OA", 5, Null()),
)
SM_RP_UI = Octets(1, 200)
FORWARD_SM_RESULT = InOrder(
    m("sm-RP-UI", None, SM_RP_UI),
    m("extensionContainer", None, EXTENSION_CONTAINER),
)
