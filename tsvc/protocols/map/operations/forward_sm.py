"""MO-ForwardSM and MT-ForwardSM: a short message to the service centre, or to a subscriber.

In MAP 1 and 2 the operation with MO's code is ForwardSM and carries messages in both directions;
code 44 is MT-ForwardSM in MAP 3 only.

Source: TS 29.002 (MAP-SM-DataTypes)
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Enumerated, Integer, Null, Octets, m
from tsvc.protocols.map.facts import SHORT_MESSAGE, message_length
from tsvc.protocols.map.operation import (
    HLR_OR_SCP,
    MAP1_2,
    MAP2,
    MAP3,
    TIMER_ML_S,
    VERSIONS,
    InOrder,
    MapOperation,
    declare,
)
from tsvc.protocols.map.parameters import (
    ADDRESS_STRING,
    CORRELATION_ID,
    EXTENSION_CONTAINER,
    FORWARD_SM_RESULT,
    IMSI,
    LMSI,
    NETWORK_NODE_DIAMETER_ADDRESS,
    SM_RP_DA,
    SM_RP_OA,
    SM_RP_UI,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

MO_ARGUMENT = InOrder(
    m("sm-RP-DA", None, SM_RP_DA, required=True),
    m("sm-RP-OA", None, SM_RP_OA, required=True),
    m("sm-RP-UI", None, SM_RP_UI, required=True),
    m("extensionContainer", None, EXTENSION_CONTAINER),
    m("imsi", None, IMSI),
    m("correlationID", 0, CORRELATION_ID),
    m(
        "sm-DeliveryOutcome",
        1,
        Enumerated({0: "memoryCapacityExceeded", 1: "absentSubscriber", 2: "successfulTransfer"}),
    ),
)
SM_RP_DA_2 = Choice(
    m("imsi", 0, IMSI),
    m("lmsi", 1, LMSI),
    m("roamingNumber", 3, ISDN_ADDRESS),
    m("serviceCentreAddressDA", 4, ADDRESS_STRING),
    m("noSM-RP-DA", 5, Null()),
)
MO_ARGUMENT_2 = InOrder(
    m("sm-RP-DA", None, SM_RP_DA_2, required=True),
    m("sm-RP-OA", None, SM_RP_OA, required=True),
    m("sm-RP-UI", None, SM_RP_UI, required=True),
    m("moreMessagesToSend", None, Null(), only=MAP2),
)

MO_FORWARD_SM = declare(
    MapOperation(
        name="MO-ForwardSM",
        short_name="MO-FSM",
        code=46,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=VERSIONS,
        summary="forward a short message towards the service centre",
        argument=ByVariant({MAP3: MO_ARGUMENT, MAP1_2: MO_ARGUMENT_2}),
        result=ByVariant({MAP3: FORWARD_SM_RESULT}),
        is_result_optional=True,
        errors=(
            "systemFailure",
            "dataMissing",
            "unexpectedDataValue",
            "facilityNotSupported",
            "unidentifiedSubscriber",
            "illegalSubscriber",
            "illegalEquipment",
            "absentSubscriber",
            "subscriberBusyForMT-SMS",
            "sm-DeliveryFailure",
        ),
        timer_s=TIMER_ML_S,
        can_begin=True,
        contexts={"map2": "mosm2", "map3": "mosm3"},
        # Version 2 uses the same operation for deliveries, in their own context.
        other_contexts=("mtsm2",),
        facts=SHORT_MESSAGE,
        result_facts=(message_length,),
        example={
            "sm-RP-DA": {"serviceCentreAddressDA_digits": "6421000077"},
            "sm-RP-OA": {"msisdn_digits": "6421000001"},
            "sm-RP-UI_hex": "11000a9146120000100000aa04f4f29c0e",
        },
    )
)


MT_ARGUMENT = InOrder(
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
        argument=MT_ARGUMENT,
        result=FORWARD_SM_RESULT,
        is_result_optional=True,
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
