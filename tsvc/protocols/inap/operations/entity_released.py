"""EntityReleased: report that a call segment or leg is gone. The argument is a bare choice.

Source: TS 29.078 (CAP), Q.1248.2
"""

from tsvc.protocols.asn1 import ByVariant, Choice, Octets, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, CS2, SSP, Operation, declare
from tsvc.protocols.inap.parameters import LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT
from tsvc.protocols.party_number import CAUSE

ARGUMENT = ByVariant(
    {
        CAMEL4: Choice(
            m(
                "callSegmentFailure",
                0,
                Sequence(m("callSegmentID", 0, CALL_SEGMENT), m("cause", 2, CAUSE)),
            ),
            m("bCSM-Failure", 1, Sequence(m("legID", 0, LEG_ID), m("cause", 2, CAUSE))),
        ),
        CS2: Choice(
            m(
                "cSFailure",
                0,
                Sequence(
                    m("callSegmentID", 0, CALL_SEGMENT, required=True),
                    m("reason", 1, Octets(1, 255)),
                    m("cause", 2, CAUSE),
                ),
            ),
            m(
                "bCSMFailure",
                1,
                Sequence(
                    m("legID", 0, LEG_ID, required=True),
                    m("reason", 1, Octets(1, 255)),
                    m("cause", 2, CAUSE),
                ),
            ),
        ),
    }
)

ENTITY_RELEASED = declare(
    Operation(
        name="EntityReleased",
        code=96,
        operation_class=4,
        sent_by=SSP,
        variants=CS2 | CAMEL4,
        summary="report that a call segment or leg is gone",
        argument=ARGUMENT,
        # callSegmentID 1 failed: raw, so that it is valid in every variant.
        example={"_hex": "a003800101"},
    )
)
