"""SendRoutingInfoForSM: ask an HLR where to send a short message to a subscriber.

Source: TS 29.002 (MAP-SM-DataTypes)
"""

from tsvc.protocols.asn1 import Boolean, Choice, Enumerated, Integer, Null, Octets, Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import IMSI_FACT, MSISDN_FACT
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP1_2,
    MAP3,
    TIMER_M_S,
    VERSIONS,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    ADDRESS_STRING,
    CORRELATION_ID,
    EXTENSION_CONTAINER,
    IMSI,
    LMSI,
    NETWORK_NODE_DIAMETER_ADDRESS,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

ARGUMENT = Sequence(
    m("msisdn", 0, ISDN_ADDRESS, required=True),
    m("sm-RP-PRI", 1, Boolean(), required=True),
    m("serviceCentreAddress", 2, ADDRESS_STRING, required=True),
    m("teleservice", 5, Octets(1, 1), only=MAP1_2),
    m("extensionContainer", 6, EXTENSION_CONTAINER, only=MAP3),
    m("gprsSupportIndicator", 7, Null(), only=MAP3),
    m("sm-RP-MTI", 8, Integer(0, 10), only=MAP3),
    m("sm-RP-SMEA", 9, Octets(1, 12), only=MAP3),
    m(
        "sm-deliveryNotIntended",
        10,
        Enumerated({0: "onlyIMSI-requested", 1: "onlyMCC-MNC-requested"}),
        only=MAP3,
    ),
    m("ip-sm-gwGuidanceIndicator", 11, Null(), only=MAP3),
    m("imsi", 12, IMSI, only=MAP3),
    m("t4-Trigger-Indicator", 14, Null(), only=MAP3),
    m("singleAttemptDelivery", 13, Null(), only=MAP3),
    m("correlationID", 15, CORRELATION_ID, only=MAP3),
    m("smsf-supportIndicator", 16, Null(), only=MAP3),
)

ADDITIONAL_NUMBER = Choice(m("msc-Number", 0, ISDN_ADDRESS), m("sgsn-Number", 1, ISDN_ADDRESS))
LOCATION_INFO_WITH_LMSI = Sequence(
    m("roamingNumber", 0, ISDN_ADDRESS, only=MAP1_2),
    m("networkNode-Number", 1, ISDN_ADDRESS, only=MAP1_2),  # called msc-Number in MAP 1 and 2
    m("networkNode-Number", 1, ISDN_ADDRESS, required=True, only=MAP3),
    m("lmsi", None, LMSI),
    m("extensionContainer", None, EXTENSION_CONTAINER, only=MAP3),
    m("gprsNodeIndicator", 5, Null(), only=MAP3),
    m("additional-Number", 6, ADDITIONAL_NUMBER, only=MAP3),
    m("networkNodeDiameterAddress", 7, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
    m("additionalNetworkNodeDiameterAddress", 8, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
    m("thirdNumber", 9, ADDITIONAL_NUMBER, only=MAP3),
    m("thirdNetworkNodeDiameterAddress", 10, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
    m("imsNodeIndicator", 11, Null(), only=MAP3),
    m("smsf-3gpp-Number", 12, ISDN_ADDRESS, only=MAP3),
    m("smsf-3gpp-DiameterAddress", 13, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
    m("smsf-non-3gpp-Number", 14, ISDN_ADDRESS, only=MAP3),
    m("smsf-non-3gpp-DiameterAddress", 15, NETWORK_NODE_DIAMETER_ADDRESS, only=MAP3),
    m("smsf-3gpp-address-indicator", 16, Null(), only=MAP3),
    m("smsf-non-3gpp-address-indicator", 17, Null(), only=MAP3),
)
_DELIVERY_TIME = Integer(30, 600, unit="s")
RESULT = Sequence(
    m("imsi", None, IMSI, required=True),
    m("locationInfoWithLMSI", 0, LOCATION_INFO_WITH_LMSI, required=True),
    m("mwd-Set", 2, Boolean(), only=MAP1_2),
    m("extensionContainer", 4, EXTENSION_CONTAINER, only=MAP3),
    m(
        "ip-sm-gwGuidance",
        5,
        InOrder(
            m("minimumDeliveryTimeValue", None, _DELIVERY_TIME, required=True),
            m("recommendedDeliveryTimeValue", None, _DELIVERY_TIME, required=True),
            m("extensionContainer", None, EXTENSION_CONTAINER),
        ),
        only=MAP3,
    ),
)

SEND_ROUTING_INFO_FOR_SM = declare(
    MapOperation(
        name="SendRoutingInfoForSM",
        short_name="SRI-SM",
        code=45,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=VERSIONS,
        summary="ask where to send a short message",
        argument=ARGUMENT,
        result=RESULT,
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "facilityNotSupported",
            "unknownSubscriber",
            "teleserviceNotProvisioned",
            "absentSubscriber",
            "callBarred",
            "absentSubscriberSM",
        ),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map2": "srism2", "map3": "srism3"},
        facts=(MSISDN_FACT, fact("centre", "serviceCentreAddress_digits")),
        result_facts=(
            IMSI_FACT,
            fact("node", "locationInfoWithLMSI.networkNode-Number_digits"),
        ),
        example={
            "msisdn_digits": "6421000001",
            "sm-RP-PRI": 1,
            "serviceCentreAddress_digits": "6421000077",
        },
    )
)
