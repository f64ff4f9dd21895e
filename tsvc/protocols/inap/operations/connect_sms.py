"""ConnectSMS: deliver the short message to the addresses given.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import SCP, SMS, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS
from tsvc.protocols.party_number import (
    ISDN_ADDRESS,
)

ARGUMENT = Sequence(
    m("callingPartysNumber", 0, ISDN_ADDRESS),
    m("destinationSubscriberNumber", 1, ISDN_ADDRESS),
    m("sMSCAddress", 2, ISDN_ADDRESS),
    m("extensions", 10, EXTENSIONS),
)

CONNECT_SMS = declare(
    Operation(
        name="ConnectSMS",
        code=62,
        operation_class=2,
        sent_by=SCP,
        variants=SMS,
        summary="deliver the short message to the addresses given",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
        ),
        example={"destinationSubscriberNumber_digits": "6421000003"},
    )
)
