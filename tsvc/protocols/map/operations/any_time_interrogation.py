"""AnyTimeInterrogation: ask an HLR where a subscriber is and in what state.

Source: TS 29.002 (MAP-MS-DataTypes)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.facts import fact
from tsvc.protocols.map.facts import SUBSCRIBER_INFO, requested_information
from tsvc.protocols.map.operation import HLR_OR_SCP, MAP3, TIMER_M_S, MapOperation, declare
from tsvc.protocols.map.parameters import (
    EXTENSION_CONTAINER,
    REQUESTED_INFO,
    SUBSCRIBER_IDENTITY,
    SUBSCRIBER_INFO_RESULT,
)
from tsvc.protocols.party_number import ISDN_ADDRESS

ARGUMENT = Sequence(
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
        argument=ARGUMENT,
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
