"""DisconnectForwardConnectionWithArgument: disconnect a resource from one leg or call segment.

The code's formal name is dFCWithArgument.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS2, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, USI_INFORMATION, USI_SERVICE_INDICATOR

PARTY = Choice(m("legID", 0, LEG_ID), m("callSegmentID", 1, CALL_SEGMENT))
ARGUMENT = ByVariant(
    {
        CAMEL4: Sequence(m("callSegmentID", 1, CALL_SEGMENT), m("extensions", 2, EXTENSIONS)),
        CS2: Sequence(
            m("partyToDisconnect", None, PARTY, required=True),
            m("extensions", 2, EXTENSIONS),
            m("uSIServiceIndicator", 3, USI_SERVICE_INDICATOR),
            m("uSIInformation", 4, USI_INFORMATION),
        ),
    }
)

DISCONNECT_FORWARD_CONNECTION_WITH_ARGUMENT = declare(
    Operation(
        name="DisconnectForwardConnectionWithArgument",
        code=86,
        operation_class=2,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="disconnect a resource from one leg or call segment",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "systemFailure",
            "taskRefused",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownCSID",
        ),
        # callSegmentID 1: raw, so that it is valid in every variant.
        example={"_hex": "3003810101"},
    )
)
