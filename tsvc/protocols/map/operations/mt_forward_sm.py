"""MT-ForwardSM: a short message on its way to a subscriber (MAP 3; MAP 2 has code 46 for it).

Source: TS 29.002 (MAP-SM-DataTypes)
"""

from tsvc.protocols.asn1 import Integer, Null, Octets, m
from tsvc.protocols.map.facts import SHORT_MESSAGE, message_length
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP3,
    TIMER_ML_S,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    CORRELATION_ID,
    EXTENSION_CONTAINER,
    FORWARD_SM_RESULT,
    NETWORK_NODE_DIAMETER_ADDRESS,
    SM_RP_DA,
    SM_RP_OA,
    SM_RP_UI,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

ARGUMENT = InOrder(
    m("sm-RP-DA", None, SM_RP_DA, required=True),
    m("sm-RP-OA", None, SM_RP_OA, required=True),
    m("sm-RP-UI", None, SM_RP_UI, required=True),
    m("moreMessagesToSend", None, Null()),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("smDeliveryTimer", None, Integer(30, 600, unit="s")),
    m("smDeliveryStartTime", None, Octets(4, 4)),
    m("smsOverIP-OnlyIndicator", 0, Null()),
    m("correlationID", 1, CORRELATION_ID),
    m("maximumRetransmissionTime", 2, Octets(4, 4)),
    m("smsGmscAddress", 3, ISDN_ADDRESS),
    m("smsGmscDiameterAddress", 4, NETWORK_NODE_DIAMETER_ADDRESS),
)

MT_FORWARD_SM = declare(
    MapOperation(
        name="MT-ForwardSM",
        short_name="MT-FSM",
        code=44,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP3,
        summary="forward a short message to a subscriber",
        argument=ARGUMENT,
        result=FORWARD_SM_RESULT,
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "facilityNotSupported",
            "unidentifiedSubscriber",
            "illegalSubscriber",
            "illegalEquipment",
            "subscriberBusyForMT-SMS",
            "sm-DeliveryFailure",
            "absentSubscriberSM",
        ),
        timer_s=TIMER_ML_S,
        can_begin=True,
        contexts={"map3": "mtsm3"},
        facts=SHORT_MESSAGE,
        result_facts=(message_length,),
        example={
            "sm-RP-DA": {"imsi_digits": "530010000000001"},
            "sm-RP-OA": {"serviceCentreAddressOA_digits": "6421000077"},
            "sm-RP-UI_hex": "040a91461200001000008080808080808004f4f29c0e",
        },
    )
)
