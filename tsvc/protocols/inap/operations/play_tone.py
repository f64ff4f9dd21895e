"""PlayTone: play a tone to one leg or call segment.

Source: TS 29.078 (CAP)
"""

from tsvc.protocols.asn1 import Choice, Sequence, m
from tsvc.protocols.inap.operation import CAMEL4, SCP, Operation, declare
from tsvc.protocols.inap.parameters import BURSTS, EXTENSIONS, LEG_ID
from tsvc.protocols.inap.parameters_cs2 import CALL_SEGMENT

LEG_OR_CALL_SEGMENT = Choice(m("callSegmentID", 0, CALL_SEGMENT), m("legID", 1, LEG_ID))
ARGUMENT = Sequence(
    m("legOrCallSegment", 0, LEG_OR_CALL_SEGMENT, required=True),
    m("bursts", 1, BURSTS, required=True),
    m("extensions", 2, EXTENSIONS),
)

PLAY_TONE = declare(
    Operation(
        name="PlayTone",
        code=97,
        operation_class=2,
        sent_by=SCP,
        variants=CAMEL4,
        summary="play a tone to one leg or call segment",
        argument=ARGUMENT,
        errors=(
            "missingParameter",
            "parameterOutOfRange",
            "systemFailure",
            "unexpectedComponentSequence",
            "unexpectedDataValue",
            "unexpectedParameter",
            "unknownLegID",
            "unknownCSID",
        ),
        example={
            "legOrCallSegment": {"legID": {"sendingSideID_hex": "01"}},
            "bursts": {"numberOfBursts": 1, "burstInterval": 2},
        },
    )
)
