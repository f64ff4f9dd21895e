"""DisconnectForwardConnection: the SCP takes down the resource or temporary connection.

Source: TS 29.078 (CAP), ETS 300 374-1 (INAP CS-1), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Sequence, m
from tsvc.protocols.inap.errors import USUAL_BUT_RANGE
from tsvc.protocols.inap.operation import CAMEL4, CS2, NOT_CAMEL1, SCP, Operation, declare
from tsvc.protocols.inap.parameters import EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT, USI_INFORMATION, USI_SERVICE_INDICATOR

declare(
    Operation(
        name="DisconnectForwardConnection",
        short_name="DFC",
        code=18,
        operation_class=2,
        sent_by=SCP,
        variants=NOT_CAMEL1,
        summary="take down the connection to a resource or an assisting SSP",
        errors=("systemFailure", "taskRefused", "unexpectedComponentSequence"),
    )
)

PARTY = Choice(m("legID", 0, LEG_ID), m("callSegmentID", 1, CALL_SEGMENT))

# The code's formal name is dFCWithArgument.
declare(
    Operation(
        name="DisconnectForwardConnectionWithArgument",
        code=86,
        operation_class=2,
        sent_by=SCP,
        variants=CS2 | CAMEL4,
        summary="disconnect a resource from one leg or call segment",
        argument=ByVariant(
            {
                CAMEL4: Sequence(
                    m("callSegmentID", 1, CALL_SEGMENT), m("extensions", 2, EXTENSIONS)
                ),
                CS2: Sequence(
                    m("partyToDisconnect", None, PARTY, required=True),
                    m("extensions", 2, EXTENSIONS),
                    m("uSIServiceIndicator", 3, USI_SERVICE_INDICATOR),
                    m("uSIInformation", 4, USI_INFORMATION),
                ),
            }
        ),
        errors=(*USUAL_BUT_RANGE, "unknownCSID"),
        # callSegmentID 1: raw, so that it is valid in every variant.
        example={"_hex": "3003810101"},
    )
)
