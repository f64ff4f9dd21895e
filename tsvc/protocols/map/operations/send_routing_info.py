"""SendRoutingInfo: ask an HLR where to route a call to a subscriber.

Source: TS 29.002 (MAP-CH-DataTypes)
"""

from tsvc.protocols.asn1 import (
    ByVariant,
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
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import IMSI_FACT, MSISDN_FACT
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP1_2,
    MAP2,
    MAP2_3,
    MAP3,
    TIMER_M_S,
    VERSIONS,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    BASIC_SERVICE,
    CALL_PRIORITY,
    CUG_CHECK_INFO,
    EXT_EXTERNAL_SIGNAL_INFO,
    EXTENSION_CONTAINER,
    EXTERNAL_SIGNAL_INFO,
    FORWARDING_DATA,
    IMSI,
    IST_SUPPORT_INDICATOR,
    NUMBER_PORTABILITY_STATUS,
    ROUTING_INFO,
    SUBSCRIBER_INFO,
    BitString,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

CAMEL_INFO = Sequence(
    m("supportedCamelPhases", None, BitString(2, 3), required=True),
    m("suppress-T-CSI", None, Null()),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("offeredCamel4CSIs", 0, BitString(2, 3)),
)
ARGUMENT = Sequence(
    m("msisdn", 0, ISDN_ADDRESS, required=True),
    m("cug-CheckInfo", 1, CUG_CHECK_INFO, only=MAP2_3),
    m("numberOfForwarding", 2, Integer(1, 5)),
    m(
        "interrogationType",
        3,
        Enumerated({0: "basicCall", 1: "forwarding"}),
        required=True,
        only=MAP3,
    ),
    m("or-Interrogation", 4, Null(), only=MAP3),
    m("or-Capability", 5, Integer(1, 127), only=MAP3),
    m("gmsc-OrGsmSCF-Address", 6, ISDN_ADDRESS, required=True, only=MAP3),
    m("callReferenceNumber", 7, Octets(1, 8), only=MAP3),
    m(
        "forwardingReason",
        8,
        Enumerated({0: "notReachable", 1: "busy", 2: "noReply"}),
        only=MAP3,
    ),
    m("basicServiceGroup", 9, BASIC_SERVICE, only=MAP3),
    m("networkSignalInfo", 10, EXTERNAL_SIGNAL_INFO),
    m("camelInfo", 11, CAMEL_INFO, only=MAP3),
    m("suppressionOfAnnouncement", 12, Null(), only=MAP3),
    m("extensionContainer", 13, EXTENSION_CONTAINER, only=MAP3),
    m("alertingPattern", 14, Octets(1, 1), only=MAP3),
    m("ccbs-Call", 15, Null(), only=MAP3),
    m("supportedCCBS-Phase", 16, Integer(1, 127), only=MAP3),
    m("additionalSignalInfo", 17, EXT_EXTERNAL_SIGNAL_INFO, only=MAP3),
    m("istSupportIndicator", 18, IST_SUPPORT_INDICATOR, only=MAP3),
    m("pre-pagingSupported", 19, Null(), only=MAP3),
    m("callDiversionTreatmentIndicator", 20, Octets(1, 1), only=MAP3),
    m("longFTN-Supported", 21, Null(), only=MAP3),
    m("suppress-VT-CSI", 22, Null(), only=MAP3),
    m("suppressIncomingCallBarring", 23, Null(), only=MAP3),
    m("gsmSCF-InitiatedCall", 24, Null(), only=MAP3),
    m("basicServiceGroup2", 25, BASIC_SERVICE, only=MAP3),
    m("networkSignalInfo2", 26, EXTERNAL_SIGNAL_INFO, only=MAP3),
    m("suppressMTSS", 27, BitString(2, 3), only=MAP3),
    m("mtRoamingRetrySupported", 28, Null(), only=MAP3),
    m("callPriority", 29, CALL_PRIORITY, only=MAP3),
)

# The contents of CAMEL subscription information stay opaque: only a GMSC needs them.
GMSC_CAMEL_SUBSCRIPTION_INFO = Sequence(
    m("t-CSI", 0, OpenType()),
    m("o-CSI", 1, OpenType()),
    m("extensionContainer", 2, EXTENSION_CONTAINER),
    m("o-BcsmCamelTDP-CriteriaList", 3, OpenType()),
    m("t-BCSM-CAMEL-TDP-CriteriaList", 4, OpenType()),
    m("d-csi", 5, OpenType()),
)
CAMEL_ROUTING_INFO = Sequence(
    m("forwardingData", None, FORWARDING_DATA),
    m("gmscCamelSubscriptionInfo", 0, GMSC_CAMEL_SUBSCRIPTION_INFO, required=True),
    m("extensionContainer", 1, EXTENSION_CONTAINER),
)
EXTENDED_ROUTING_INFO = Choice(
    m("routingInfo", None, ROUTING_INFO), m("camelRoutingInfo", 8, CAMEL_ROUTING_INFO)
)
SS_LIST = SequenceOf(Octets(1, 1), 1, 30)


class _Result(Sequence):
    tag = 0xA3  # [3] IMPLICIT SEQUENCE


RESULT = _Result(
    m("imsi", 9, IMSI),
    m("extendedRoutingInfo", None, EXTENDED_ROUTING_INFO),
    m("cug-CheckInfo", 3, CUG_CHECK_INFO),
    m("cugSubscriptionFlag", 6, Null()),
    m("subscriberInfo", 7, SUBSCRIBER_INFO),
    m("ss-List", 1, SS_LIST),
    m("basicService", 5, BASIC_SERVICE),
    m("forwardingInterrogationRequired", 4, Null()),
    m("vmsc-Address", 2, ISDN_ADDRESS),
    m("extensionContainer", 0, EXTENSION_CONTAINER),
    m(
        "naea-PreferredCI",
        10,
        Sequence(
            m("naea-PreferredCIC", 0, Octets(3, 3), required=True),
            m("extensionContainer", 1, EXTENSION_CONTAINER),
        ),
    ),
    m(
        "ccbs-Indicators",
        11,
        Sequence(
            m("ccbs-Possible", 0, Null()),
            m("keepCCBS-CallIndicator", 1, Null()),
            m("extensionContainer", 2, EXTENSION_CONTAINER),
        ),
    ),
    m("msisdn", 12, ISDN_ADDRESS),
    m("numberPortabilityStatus", 13, NUMBER_PORTABILITY_STATUS),
    m("istAlertTimer", 14, Integer(15, 255, unit="min")),
    m("supportedCamelPhasesInVMSC", 15, BitString(2, 3)),
    m("offeredCamel4CSIsInVMSC", 16, BitString(2, 3)),
    m("routingInfo2", 17, ROUTING_INFO),
    m("ss-List2", 18, SS_LIST),
    m("basicService2", 19, BASIC_SERVICE),
    m("allowedServices", 20, BitString(2, 2)),
    m(
        "unavailabilityCause",
        21,
        Enumerated(
            {
                1: "bearerServiceNotProvisioned",
                2: "teleserviceNotProvisioned",
                3: "absentSubscriber",
                4: "busySubscriber",
                5: "callBarred",
                6: "cug-Reject",
            }
        ),
    ),
    m("releaseResourcesSupported", 22, Null()),
    m("gsm-BearerCapability", 23, EXTERNAL_SIGNAL_INFO),
)
RESULT_2 = InOrder(
    m("imsi", None, IMSI, required=True),
    m("routingInfo", None, ROUTING_INFO, required=True),
    m("cug-CheckInfo", None, CUG_CHECK_INFO, only=MAP2),
)

_FORWARDED = "forwardingData.forwardedToNumber_digits"


SEND_ROUTING_INFO = declare(
    MapOperation(
        name="SendRoutingInfo",
        short_name="SRI",
        code=22,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=VERSIONS,
        summary="ask where to route a call to a subscriber",
        argument=ARGUMENT,
        result=ByVariant({MAP3: RESULT, MAP1_2: RESULT_2}),
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "facilityNotSupported",
            "or-NotAllowed",
            "unknownSubscriber",
            "numberChanged",
            "bearerServiceNotProvisioned",
            "teleserviceNotProvisioned",
            "absentSubscriber",
            "busySubscriber",
            "noSubscriberReply",
            "callBarred",
            "cug-Reject",
            "forwardingViolation",
        ),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map2": "sri2", "map3": "sri3"},
        facts=(MSISDN_FACT, fact("", "interrogationType_name")),
        result_facts=(
            IMSI_FACT,
            fact("roaming number", "extendedRoutingInfo.routingInfo.roamingNumber_digits"),
            fact("forwarded to", "extendedRoutingInfo.routingInfo." + _FORWARDED),
            fact("roaming number", "routingInfo.roamingNumber_digits"),
            fact("forwarded to", "routingInfo." + _FORWARDED),
        ),
        example={
            "msisdn_digits": "6421000001",
            "interrogationType": "basicCall",
            "gmsc-OrGsmSCF-Address_digits": "6421000099",
        },
    )
)
