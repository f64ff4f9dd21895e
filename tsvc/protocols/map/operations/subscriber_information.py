"""AnyTimeInterrogation and ProvideSubscriberInfo: the location and state of a subscriber.

The first asks an HLR; with the second an HLR asks a VLR.

Source: TS 29.002 (MAP-MS-DataTypes)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import IMSI_FACT, SUBSCRIBER_INFO, requested_information
from tsvc.protocols.map.operation import HLR_OR_SCP, MAP3, TIMER_M_S, MapOperation, declare
from tsvc.protocols.map.parameters import (
    CALL_PRIORITY,
    EXTENSION_CONTAINER,
    IMSI,
    LMSI,
    REQUESTED_INFO,
    SUBSCRIBER_IDENTITY,
    SUBSCRIBER_INFO_RESULT,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

INTERROGATION_ARGUMENT = Sequence(
    m("subscriberIdentity", 0, SUBSCRIBER_IDENTITY, required=True),
    m("requestedInfo", 1, REQUESTED_INFO, required=True),
    m("gsmSCF-Address", 3, ISDN_ADDRESS, required=True),
    m("extensionContainer", 2, EXTENSION_CONTAINER),
)

ANY_TIME_INTERROGATION = declare(
    MapOperation(
        name="AnyTimeInterrogation",
        short_name="ATI",
        code=71,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP3,
        summary="ask where a subscriber is and in what state",
        argument=INTERROGATION_ARGUMENT,
        result=SUBSCRIBER_INFO_RESULT,
        errors=(
            "systemFailure",
            "ati-NotAllowed",
            "dataMissing",
            "unexpectedDataValue",
            "unknownSubscriber",
        ),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map3": "ati3"},
        facts=(
            fact("MSISDN", "subscriberIdentity.msisdn_digits"),
            fact("IMSI", "subscriberIdentity.imsi_digits"),
            requested_information,
        ),
        result_facts=SUBSCRIBER_INFO,
        example={
            "subscriberIdentity": {"msisdn_digits": "6421000001"},
            "requestedInfo": {"locationInformation": 1, "subscriberState": 1},
            "gsmSCF-Address_digits": "6421000099",
        },
    )
)


INFO_ARGUMENT = Sequence(
    m("imsi", 0, IMSI, required=True),
    m("lmsi", 1, LMSI),
    m("requestedInfo", 2, REQUESTED_INFO, required=True),
    m("extensionContainer", 3, EXTENSION_CONTAINER),
    m("callPriority", 4, CALL_PRIORITY),
)

PROVIDE_SUBSCRIBER_INFO = declare(
    MapOperation(
        name="ProvideSubscriberInfo",
        short_name="PSI",
        code=70,
        operation_class=1,
        sent_by=HLR_OR_SCP,
        variants=MAP3,
        summary="ask a VLR where a subscriber is and in what state",
        argument=INFO_ARGUMENT,
        result=SUBSCRIBER_INFO_RESULT,
        errors=("dataMissing", "unexpectedDataValue"),
        timer_s=TIMER_M_S,
        can_begin=True,
        contexts={"map3": "psi3"},
        facts=(IMSI_FACT, requested_information),
        result_facts=SUBSCRIBER_INFO,
        example={
            "imsi_digits": "530010000000001",
            "requestedInfo": {"locationInformation": 1, "subscriberState": 1},
        },
    )
)
