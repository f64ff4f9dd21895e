"""DisconnectLeg: release one leg of the call; empty result.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.party_number import (
    CAUSE,
)

ARGUMENT = Sequence(
    m("legToBeReleased", 0, LEG_ID, required=True),
    m("releaseCause", 1, CAUSE),
    m("extensions", 2, EXTENSIONS),
)

DISCONNECT_LEG = declare(
    Operation(
        name="DisconnectLeg",
        code=90,
        operation_class=1,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="release one leg of the call",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
        ),
        example={"legToBeReleased": {"sendingSideID_hex": "01"}, "releaseCause_cause": 16},
    )
)
